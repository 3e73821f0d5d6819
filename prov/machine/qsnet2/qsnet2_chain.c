/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of chained events (machine_chain.h). Each member maps its part of the
 * tree's memory at the same address of its context, so descriptors are written
 * without an exchange of addresses:
 *
 * 	events    got, of each slot: short, long;  up, down: of each point
 * 	slots     packets, received and forwarded
 * 	blocks    for each event the commands that it copies to the queue
 *
 * A block begins with the command that re-arms its event. For got and down,
 * a DMA to each child follows: from the slot to the child's slot, or without
 * data; it sets the child's event. For up, one DMA without data to the
 * parent follows:
 *
 * 	got, down   count 1            -> DMA to each child: got, down
 * 	up          count 1 + children -> DMA to the parent: up
 * 	                                  at the root: set down
 *
 * The queue holds DMA commands only and no STEN packets, so a discarded
 * packet causes no other command to be repeated.
 */
#include "prov/machine/qsnet2/qsnet2_chain.h"

#include "src/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS	      (2 * WEFT_CHAIN_SLOTS + 2 * WEFT_CHAIN_POINTS)
#define SLOTS_OFFSET  (EVENTS * sizeof(struct weft_qsnet2_event))
#define BLOCKS_OFFSET (SLOTS_OFFSET + WEFT_CHAIN_SLOTS * WEFT_CHAIN_LONG)
#define ARM_WORDS     5
#define DMA_WORDS     (1 + QSNET2_DMA_WORDS)
#define QUEUE_BYTES   (64 * 1024)
/* Maximum number of blocks in the queue: one event per slot at a time. */
#define QUEUED_BLOCKS (WEFT_CHAIN_SLOTS + 2 * WEFT_CHAIN_POINTS + 1)
#define BLOCK_MAX     (QUEUE_BYTES / 8 / QUEUED_BLOCKS)

static_assert(BLOCK_MAX <= WEFT_QSNET2_COPY / 8, "an event copies a block");
static_assert(SLOTS_OFFSET % 64 == 0, "slots on cache lines");

struct qsnet2_chain {
	struct weft_chain base;
	struct weft_qsnet2 *s;
	unsigned context;
	unsigned queue;
	/* context address of the memory, equal for all members */
	uint64_t address;
	unsigned char *mem; /* process address of that memory */
	size_t bytes;
	unsigned block_words;
	unsigned below;
	uint32_t *child; /* virtual processes of the children */
	uint32_t parent;
	struct weft_peer *root; /* root of the tree; NULL: this member */
	bool open;
};

static struct qsnet2_chain *chain_of(const struct weft_chain *c)
{
	return weft_container_of((struct weft_chain *)(uintptr_t)c,
				 struct qsnet2_chain, base);
}

/* ---- addresses ---- */

static unsigned ev_received(uint64_t seq, bool is_long)
{
	return (unsigned)(seq % WEFT_CHAIN_SLOTS) * 2 + is_long;
}

static unsigned ev_up(unsigned point)
{
	return 2 * WEFT_CHAIN_SLOTS + point;
}

static unsigned ev_down(unsigned point)
{
	return ev_up(WEFT_CHAIN_POINTS) + point;
}

static struct weft_qsnet2_event *event(const struct qsnet2_chain *c, unsigned i)
{
	return (struct weft_qsnet2_event *)(void *)c->mem + i;
}

static uint64_t event_at(const struct qsnet2_chain *c, unsigned i)
{
	return c->address + i * sizeof(struct weft_qsnet2_event);
}

static size_t chain_slot_offset(uint64_t seq)
{
	return SLOTS_OFFSET + seq % WEFT_CHAIN_SLOTS * WEFT_CHAIN_LONG;
}

static size_t block_offset(const struct qsnet2_chain *c, unsigned i)
{
	return BLOCKS_OFFSET + (size_t)i * c->block_words * 8;
}

static uint64_t fired(const struct qsnet2_chain *c, unsigned i)
{
	/* not atomic: events fire only when this thread polls */
	return event(c, i)->fired;
}

/* ---- blocks of commands ---- */

/*
 * Writes the command of a DMA that copies slot to slot, or has no data, and
 * sets event i at the target.
 */
static void put_dma(const struct qsnet2_chain *c, struct weft_qsnet2_stream *st,
		    uint32_t vproc, unsigned i, uint32_t bytes)
{
	uint64_t slot = c->address + chain_slot_offset(i / 2);
	const struct weft_qsnet2_dma d = {
		.bytes = bytes,
		.restarts = QSNET2_FOREVER,
		.vproc = vproc,
		.src = bytes ? slot : 0,
		.dst = bytes ? slot : 0,
		.dst_event = event_at(c, i),
	};

	weft_qsnet2_run_dma(st, &d);
}

static uint32_t event_bytes(unsigned i)
{
	if (i >= 2 * WEFT_CHAIN_SLOTS)
		return 0;
	return i % 2 ? WEFT_CHAIN_LONG : WEFT_CHAIN_SHORT;
}

static bool counts_up(unsigned i)
{
	return i >= ev_up(0) && i < ev_up(WEFT_CHAIN_POINTS);
}

/* Writes the block of an event and arms the event. */
static void chain_link(struct qsnet2_chain *c, unsigned i)
{
	uint32_t count = counts_up(i) ? 1 + c->below : 1;
	struct weft_qsnet2_stream st = {
		.word = (uint64_t *)(void *)(c->mem + block_offset(c, i)),
		.max = c->block_words,
	};
	struct weft_qsnet2_event *e = event(c, i);

	e->count = -(int32_t)count;
	e->type = WEFT_QSNET2_EVENT_COPY;
	e->from = c->address + block_offset(c, i);
	e->to = WEFT_QSNET2_QUEUE_ADDRESS(c->queue);
	/*
	 * the first command contains the length of the block, so it is written
	 * again at the end
	 */
	weft_qsnet2_wait_event(&st, event_at(c, i), count, e);
	if (counts_up(i)) {
		if (c->root)
			put_dma(c, &st, c->parent, i, 0);
		else
			weft_qsnet2_set_event(
				&st, event_at(c, ev_down(i - ev_up(0))), 1);
	}
	for (unsigned k = 0; k < c->below && !counts_up(i); k++)
		put_dma(c, &st, c->child[k], i, event_bytes(i));
	e->words = (uint8_t)st.count;
	st.count = 0;
	weft_qsnet2_wait_event(&st, event_at(c, i), count, e);
}

/* ---- open and close ---- */

static int chain_map(struct qsnet2_chain *c)
{
	const struct {
		size_t from, end;
		unsigned perm;
	} parts[] = {
		{ 0, SLOTS_OFFSET,
		  WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_LOCAL_WRITE |
			  WEFT_QSNET2_REMOTE_EVENT },
		{ SLOTS_OFFSET, BLOCKS_OFFSET,
		  WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_REMOTE_WRITE },
		{ BLOCKS_OFFSET, c->bytes, WEFT_QSNET2_LOCAL_READ },
	};
	int err = 0;

	for (unsigned i = 0; i < WEFT_COUNT_OF(parts) && !err; i++)
		err = weft_qsnet2_map_at(
			c->s, c->context, c->address + parts[i].from,
			c->mem + parts[i].from, parts[i].end - parts[i].from,
			parts[i].perm | WEFT_QSNET2_LARGE);
	return err;
}

static int chain_alloc(struct qsnet2_chain *c)
{
	c->bytes = block_offset(c, EVENTS);
	c->mem = aligned_alloc(64, (c->bytes + 63) / 64 * 64);
	c->child = calloc(c->below + 1u, sizeof(*c->child));
	if (!c->mem || !c->child)
		return -ENOMEM;
	memset(c->mem, 0, c->bytes);
	return 0;
}

static void chain_tree(struct qsnet2_chain *c, const struct weft_chain_attr *a)
{
	const struct weft_tree *t = a->tree;

	for (unsigned k = 0; k < c->below; k++)
		c->child[k] =
			a->member[t->input[t->first[a->me] + (int)k]]->index;
	if (a->me == t->root)
		return;
	c->parent = a->member[t->parent[a->me]]->index;
	c->root = a->member[t->root];
}

int qsnet2_chain_open(struct weft_qsnet2 *s, unsigned context,
		      const struct weft_chain_attr *a,
		      const struct weft_chain_ops *ops, struct weft_chain **c_p)
{
	struct qsnet2_chain *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->base.ops = ops;
	c->s = s;
	c->context = context;
	/* unique address: late packets of a closed group find no mapping */
	c->address = UINT64_C(1) << 62 | weft_hash_mix(a->key) >> 24 << 22;
	c->below = (unsigned)weft_tree_inputs(a->tree, a->me);
	c->block_words = ARM_WORDS + DMA_WORDS * (c->below + 1);
	err = c->block_words > BLOCK_MAX ? -EOPNOTSUPP : chain_alloc(c);
	if (!err)
		err = weft_qsnet2_queue_open(s, context, QUEUE_BYTES,
					     WEFT_QSNET2_MAY_EVENT |
						     WEFT_QSNET2_MAY_WAIT |
						     WEFT_QSNET2_MAY_DMA,
					     0, &c->queue);
	c->open = !err;
	if (!err)
		err = chain_map(c);
	if (err) {
		qsnet2_chain_close(&c->base);
		return err;
	}
	chain_tree(c, a);
	for (unsigned i = 0; i < EVENTS; i++)
		chain_link(c, i);
	*c_p = &c->base;
	return 0;
}

static bool dma_is_ours(const struct qsnet2_chain *c,
			const struct qsnet2_dma *d)
{
	return d->context == c->context &&
	       d->d.dst_event - c->address < c->bytes;
}

void qsnet2_chain_close(struct weft_chain *chain)
{
	struct qsnet2_chain *c = chain_of(chain);

	if (c->open) {
		struct weft_list *pos, *tmp;

		/* remove descriptors of the tree that have not been sent */
		weft_list_each(pos, tmp, &c->s->dma_run) {
			struct qsnet2_dma *d =
				weft_container_of(pos, struct qsnet2_dma, link);

			if (d->state == QSNET2_RETRY && dma_is_ours(c, d))
				qsnet2_dma_end(c->s, d);
		}
		weft_qsnet2_queue_close(c->s, c->queue);
		weft_qsnet2_unmap_at(c->s, c->context, c->address);
		weft_qsnet2_unmap_at(c->s, c->context,
				     c->address + SLOTS_OFFSET);
		weft_qsnet2_unmap_at(c->s, c->context,
				     c->address + BLOCKS_OFFSET);
	}
	free(c->mem);
	free(c->child);
	free(c);
}

struct weft_qsnet2 *qsnet2_chain_unit(const struct weft_chain *chain)
{
	return chain_of(chain)->s;
}

struct weft_peer *qsnet2_chain_root(const struct weft_chain *chain)
{
	return chain_of(chain)->root;
}

/* ---- operations ---- */

static int chain_command(struct qsnet2_chain *c,
			 const struct weft_qsnet2_stream *st)
{
	int err = weft_qsnet2_queue_write(c->s, c->queue, st->word, st->count);

	if (!err)
		qsnet2_chain_run(&c->base);
	return err;
}

void *qsnet2_chain_slot(struct weft_chain *chain, uint64_t seq)
{
	return chain_of(chain)->mem + chain_slot_offset(seq);
}

int qsnet2_chain_broadcast(struct weft_chain *chain, uint64_t seq, size_t bytes)
{
	struct qsnet2_chain *c = chain_of(chain);
	unsigned i = ev_received(seq, bytes > WEFT_CHAIN_SHORT);
	uint64_t w[DMA_WORDS];
	struct weft_qsnet2_stream st = { .word = w, .max = DMA_WORDS };

	if (c->root)
		put_dma(c, &st, c->root->index, i, event_bytes(i));
	else
		weft_qsnet2_set_event(&st, event_at(c, i), 1);
	return chain_command(c, &st);
}

uint64_t qsnet2_chain_received(const struct weft_chain *chain, uint64_t seq)
{
	const struct qsnet2_chain *c = chain_of(chain);

	return fired(c, ev_received(seq, false)) +
	       fired(c, ev_received(seq, true));
}

int qsnet2_chain_arrive(struct weft_chain *chain, enum weft_chain_point p)
{
	struct qsnet2_chain *c = chain_of(chain);
	uint64_t w[2];
	struct weft_qsnet2_stream st = { .word = w, .max = 2 };

	weft_qsnet2_set_event(&st, event_at(c, ev_up(p)), 1);
	return chain_command(c, &st);
}

uint64_t qsnet2_chain_passed(const struct weft_chain *chain,
			     enum weft_chain_point p)
{
	return fired(chain_of(chain), ev_down(p));
}

bool qsnet2_chain_run(struct weft_chain *chain)
{
	struct qsnet2_chain *c = chain_of(chain);
	struct qsnet2_queue *q = qsnet2_queue(c->s, c->queue);
	struct weft_list *pos;
	struct weft_list *tmp;
	bool left = true;

	if (q->head != q->tail)
		qsnet2_tx_queue(c->s, q);
	weft_list_each(pos, tmp, &c->s->dma_run) {
		struct qsnet2_dma *d =
			weft_container_of(pos, struct qsnet2_dma, link);

		if (d->state == QSNET2_RETRY && dma_is_ours(c, d))
			left &= qsnet2_dma_step(c->s, d) != -EAGAIN;
	}
	if (q->head != q->tail)
		return q->trap;
	weft_list_remove(&q->run);
	return left;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine in the DMA engine's queue: a descriptor for
 * each segment, an event that fires when all are complete, and no descriptor
 * left if the copy is refused.
 */
#include "prov/machine/qsnet2/qsnet2_bulk.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

#define BYTES	100000
#define MEM	(BYTES + 4096)
#define CONTEXT 9

struct side {
	struct weft_qsnet2 *s;
	struct weft_unit unit;
	struct weft_peer *peer;
	alignas(64) unsigned char mem[MEM];
};

struct pair {
	struct side a;
	struct side b;
	int reg; /* the mapping of b's memory */
};

struct transfer {
	struct weft_dma d;
	int completed;
	int err;
};

static void completed(struct weft_dma *d, int err)
{
	struct transfer *a = (struct transfer *)d;

	a->completed++;
	a->err = err;
}

static unsigned in_list(const struct weft_list *l)
{
	unsigned n = 0;

	for (const struct weft_list *p = l->next; p != l; p = p->next)
		n++;
	return n;
}

/* Moves three local segments (one is empty) to or from a remote segment. */
static int move(struct pair *p, struct transfer *a, bool get)
{
	*a = (struct transfer){ .d = { .local_count = 3,
				       .remote = (uintptr_t)p->b.mem + 5,
				       .bytes = BYTES,
				       .done = completed } };
	a->d.local[0] = (struct iovec){ p->a.mem + 1, 1000 };
	a->d.local[1] = (struct iovec){ p->a.mem, 0 };
	a->d.local[2] = (struct iovec){ p->a.mem + 2000, BYTES };
	return qsnet2_bulk_move(p->a.s, &p->a.unit, p->a.peer, &a->d, get);
}

static void side_open(struct side *s)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
	};
	size_t offset = qsnet2_bulk_reserve(&a);

	memset(s, 0, sizeof(*s));
	T_OK(qsnet2_create(&weft_carrier_loop, &a, &s->s));
	s->unit.carrier = s->s->port.carrier;
	T_OK(weft_qsnet2_filter(s->s, CONTEXT, WEFT_QSNET2_ACCEPT));
	T_OK(qsnet2_bulk_open(s->s, CONTEXT, offset));
}

static void connect_to(struct side *s, struct side *to)
{
	struct weft_carrier *c = s->s->port.carrier;
	union weft_name name;

	to->s->port.carrier->ops->name_get(to->s->port.carrier, &name);
	T_OK(c->ops->peer(c, &name, &s->peer));
	T_OK(qsnet2_route_bind(s->s, s->peer->index, s->peer, CONTEXT));
}

static int mem_open(struct side *s, size_t bytes, unsigned access)
{
	const struct iovec mem = { s->mem, bytes };

	return qsnet2_bulk_mem_open(s->s, &mem, access);
}

/* Opens two units; peers may access the memory of b. */
static void open_pair(struct pair *p)
{
	side_open(&p->a);
	side_open(&p->b);
	connect_to(&p->a, &p->b);
	connect_to(&p->b, &p->a);
	p->reg = mem_open(&p->b, MEM,
			  WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE);
	T_IS(p->reg, 0);
}

static void side_close(struct side *s)
{
	qsnet2_bulk_close(s->s);
	weft_qsnet2_close(s->s);
}

static void close_pair(struct pair *p)
{
	side_close(&p->a);
	side_close(&p->b);
}

static void a_get_uses_descriptors_and_an_event(void **state)
{
	static struct pair p;
	struct transfer a;
	uint64_t dmas, events;

	open_pair(&p);
	dmas = p.a.s->stats.dmas;
	events = p.a.s->stats.events;
	t_fill(p.b.mem + 5, BYTES, 3);
	p.b.mem[5 + BYTES] = 1;
	p.a.mem[1000 + BYTES] = 2;
	T_OK(move(&p, &a, true));
	T_IS(a.completed, 1);
	T_IS(a.err, 0);
	T_IS(p.a.s->stats.dmas - dmas, 2);
	T_IS(p.a.s->stats.events - events, 1);
	T_IS(p.a.unit.transfers, 1);
	/* the byte after the requested bytes is unchanged */
	T_IS(p.a.mem[1000 + BYTES], 2);
	memmove(p.a.mem + 1001, p.a.mem + 2000, BYTES - 1000);
	T_IS(t_differs(p.a.mem + 1, BYTES, 3), -1);
	T_TRUE(weft_list_empty(&p.a.s->dma_run));
	close_pair(&p);
}

static void a_put_uses_descriptors_and_an_event(void **state)
{
	static struct pair p;
	struct transfer a;

	open_pair(&p);
	t_fill(p.a.mem + 1, BYTES + 2000, 4);
	T_OK(move(&p, &a, false));
	T_IS(a.completed, 1);
	T_IS(a.err, 0);
	T_MEM(p.b.mem + 5, p.a.mem + 1, 1000);
	T_MEM(p.b.mem + 1005, p.a.mem + 2000, BYTES - 1000);
	close_pair(&p);
}

/*
 * Without a free descriptor or record, a transfer returns an error and leaves
 * no descriptor in the queue.
 */
static void transfer_without_descriptor_returns_eagain(void **state)
{
	static struct pair p;
	struct transfer a;
	struct weft_list kept;
	unsigned all;

	open_pair(&p);
	all = in_list(&p.a.s->dma_free);
	weft_list_init(&kept);
	while (in_list(&p.a.s->dma_free) > 1)
		weft_list_push_back(&kept,
				    weft_list_pop_front(&p.a.s->dma_free));
	T_IS(move(&p, &a, true), -EAGAIN);
	T_IS(a.completed, 0);
	T_IS(in_list(&p.a.s->dma_free), 1);
	while (!weft_list_empty(&kept))
		weft_list_push_back(&p.a.s->dma_free,
				    weft_list_pop_front(&kept));
	T_IS(in_list(&p.a.s->dma_free), all);
	T_OK(move(&p, &a, true));
	T_IS(a.completed, 1);
	close_pair(&p);
}

/* Returns the result of a transfer, after which no descriptor is left. */
static int result(struct pair *p, bool get)
{
	struct transfer a;

	T_OK(move(p, &a, get));
	T_IS(a.completed, 1);
	T_TRUE(weft_list_empty(&p->a.s->dma_run));
	return a.err;
}

static void the_mappings_of_the_target_limit_a_transfer(void **state)
{
	static struct pair p;
	uint64_t dmas;
	int reg;

	open_pair(&p);
	T_OK(result(&p, true));
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	dmas = p.a.s->stats.dmas;
	T_IS(result(&p, true), -EACCES);
	T_IS(result(&p, false), -EACCES);
	reg = mem_open(&p.b, MEM, WEFT_MR_REMOTE_READ);
	T_OK(result(&p, true));
	T_IS(result(&p, false), -EACCES);
	qsnet2_bulk_mem_close(p.b.s, reg);
	reg = mem_open(&p.b, BYTES + 4, WEFT_MR_REMOTE_READ);
	T_IS(result(&p, true), -EACCES);
	qsnet2_bulk_mem_close(p.b.s, reg);
	mem_open(&p.b, BYTES + 5, WEFT_MR_REMOTE_WRITE);
	T_IS(result(&p, true), -EACCES);
	T_OK(result(&p, false));
	T_IS(p.a.s->stats.dmas - dmas, 2 * 2);
	T_IS(p.a.unit.transfers, 3);
	close_pair(&p);
}

/* A mapping is removed together with its pages; equal mappings stay. */
static void a_closed_mapping_is_not_translated(void **state)
{
	const unsigned perm = WEFT_QSNET2_REMOTE_WRITE;
	static struct pair p;
	uint64_t at;
	int reg;

	open_pair(&p);
	at = (uintptr_t)p.b.mem;
	reg = mem_open(&p.b, MEM, WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE);
	T_PTR(qsnet2_memory(p.b.s, CONTEXT, at, MEM, perm), p.b.mem);
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	T_PTR(qsnet2_memory(p.b.s, CONTEXT, at, MEM, perm), p.b.mem);
	qsnet2_bulk_mem_close(p.b.s, reg);
	T_PTR(qsnet2_memory(p.b.s, CONTEXT, at, MEM, perm), NULL);
	close_pair(&p);
}

/* Sends a transaction of a to b. Returns whether b refuses it. */
static bool refused(struct pair *p, unsigned type, uint64_t address,
		    const void *data, unsigned bytes)
{
	uint64_t before = p->b.s->stats.refused;
	struct qsnet2_packet k = { 0 };

	T_OK(qsnet2_packet_add(&k, type, address, data, bytes));
	T_OK(qsnet2_send(p->a.s, qsnet2_route(p->a.s, p->a.peer->index), 1,
			 &k));
	for (int i = 0; i < 4; i++) {
		weft_qsnet2_poll(p->b.s, 16);
		weft_qsnet2_poll(p->a.s, 16);
	}
	return p->b.s->stats.refused > before;
}

/*
 * Sends a remote DMA that would read b's memory. Returns whether b refuses it.
 */
static bool remote_get_refused(struct pair *p)
{
	const struct weft_qsnet2_dma d = {
		.bytes = 64,
		.restarts = 1,
		.vproc = p->b.peer->index,
		.src = (uintptr_t)p->b.mem,
		.dst = (uintptr_t)p->a.mem,
	};
	uint64_t w[QSNET2_DMA_WORDS];

	weft_qsnet2_dma_words(&d, w);
	return refused(p, WEFT_QSNET2_T_REMOTE_DMA, 0, w, sizeof(w));
}

static void packets_of_peers_are_limited_to_the_mappings(void **state)
{
	static struct pair p;
	uint64_t at;

	open_pair(&p);
	at = (uintptr_t)p.b.mem;
	mem_open(&p.a, MEM, WEFT_MR_REMOTE_WRITE);
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	p.b.mem[0] = 'b';
	T_TRUE(remote_get_refused(&p));
	T_TRUE(refused(&p, WEFT_QSNET2_T_WRITE, at, "12345678", 8));
	mem_open(&p.b, MEM, WEFT_MR_REMOTE_READ);
	T_TRUE(refused(&p, WEFT_QSNET2_T_WRITE, at, "12345678", 8));
	T_IS(p.b.mem[0], 'b');
	T_IS(p.a.mem[0], 0);
	T_FALSE(remote_get_refused(&p));
	T_IS(p.a.mem[0], 'b');
	close_pair(&p);
}

/* ---- atomics ---- */

static void count_exec(struct weft_amo_word *w)
{
	uint64_t *at = w->at;

	w->old = *at;
	*at = w->compare; /* no operation: shows that the program has run */
}

static int amo(struct pair *p, unsigned kind, unsigned op, unsigned type,
	       uint64_t operand)
{
	uint64_t *word = (void *)(p->b.mem + 8);
	struct weft_amo_word w = {
		.remote = (uintptr_t)word,
		.at = word,
		.operand = operand,
		.compare = 99,
		.kind = (uint8_t)kind,
		.op = (uint8_t)op,
		.type = (uint8_t)type,
		.bytes = 8,
		.exec = count_exec,
	};

	return qsnet2_word_amo(p->a.s, &p->a.unit, p->a.peer, &w);
}

static uint64_t word_of(const struct pair *p)
{
	uint64_t v;

	memcpy(&v, p->b.mem + 8, sizeof(v));
	return v;
}

static void sums_are_add_word_others_start_a_thread(void **state)
{
	static struct pair p;

	open_pair(&p);
	T_OK(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, WEFT_NUM_I64, 7));
	T_IS(word_of(&p), 7);
	T_IS(p.a.s->stats.threads, 0);
	T_OK(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, WEFT_NUM_F64, 7));
	T_IS(word_of(&p), 99);
	T_IS(p.a.s->stats.threads, 1);
	T_OK(amo(&p, WEFT_FETCH, WEFT_NUM_SUM, WEFT_NUM_I64, 7));
	T_OK(amo(&p, WEFT_COMPARE, WEFT_NUM_CSWAP, WEFT_NUM_I64, 7));
	T_IS(p.a.s->stats.threads, 3);
	T_FALSE(qsnet2_thread_waits(p.a.s));
	T_IS(p.a.unit.atomics, 4);
	T_IS(p.a.s->stats.packets, 4);
	close_pair(&p);
}

static void the_mappings_of_the_target_limit_atomics(void **state)
{
	static struct pair p;
	const unsigned type = WEFT_NUM_I64;

	open_pair(&p);
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	T_IS(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, type, 7), -EACCES);
	T_IS(p.a.s->stats.trap, WEFT_QSNET2_TRAP_MEMORY);
	p.reg = mem_open(&p.b, MEM, WEFT_MR_REMOTE_READ);
	T_IS(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, type, 7), -EACCES);
	T_IS(amo(&p, WEFT_FETCH, WEFT_NUM_SUM, type, 7), -EACCES);
	T_OK(amo(&p, WEFT_FETCH, WEFT_NUM_READ, type, 0));
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	p.reg = mem_open(&p.b, MEM, WEFT_MR_REMOTE_WRITE);
	T_IS(amo(&p, WEFT_FETCH, WEFT_NUM_SUM, type, 7), -EACCES);
	T_OK(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, type, 7));
	qsnet2_bulk_mem_close(p.b.s, p.reg);
	p.reg = mem_open(&p.b, 15, WEFT_MR_REMOTE_WRITE);
	T_IS(amo(&p, WEFT_ATOMIC, WEFT_NUM_SUM, type, 7), -EACCES);
	T_IS(word_of(&p), 99 + 7);
	T_IS(p.a.unit.atomics, 2);
	close_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_get_uses_descriptors_and_an_event),
		T_CASE(a_put_uses_descriptors_and_an_event),
		T_CASE(transfer_without_descriptor_returns_eagain),
		T_CASE(the_mappings_of_the_target_limit_a_transfer),
		T_CASE(a_closed_mapping_is_not_translated),
		T_CASE(packets_of_peers_are_limited_to_the_mappings),
		T_CASE(sums_are_add_word_others_start_a_thread),
		T_CASE(the_mappings_of_the_target_limit_atomics),
	};

	return T_RUN(tests);
}

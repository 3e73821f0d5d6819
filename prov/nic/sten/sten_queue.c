/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command queues. Words are written through a port of 8 KB that is mapped into
 * one process. Stores may arrive out of order; the queue executes words up to
 * the first gap. Words stay in the ring until no restart can need them.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT_WORDS (WEFT_STEN_PAGE / 8)

struct sten_queue *sten_queue(struct weft_sten *s, unsigned q)
{
	return q < WEFT_STEN_QUEUES ? s->queue[q] : NULL;
}

void sten_queue_wake(struct weft_sten *s, struct sten_queue *q)
{
	if (weft_list_empty(&q->run) && !q->trap)
		weft_list_push_back(&s->run[q->flags & WEFT_STEN_HIGH],
				    &q->run);
}

void sten_queue_trap(struct sten_queue *q, enum weft_sten_trap trap,
		     uint64_t address)
{
	q->trap = (uint8_t)trap;
	q->address = address;
	weft_list_remove(&q->run);
}

uint64_t sten_queue_oldest(const struct sten_queue *q)
{
	uint64_t keep = q->head;

	for (unsigned i = 0; i < WEFT_STEN_CHANNELS; i++) {
		const struct sten_channel *c = &q->ch[i];

		if ((c->state == STEN_SENT || c->state == STEN_RETRY) &&
		    c->start < keep)
			keep = c->start;
	}
	return keep;
}

static bool depth_ok(uint32_t depth)
{
	return depth == 1024 || depth == 8 * 1024 || depth == 64 * 1024 ||
	       depth == 512 * 1024;
}

static struct sten_queue *queue_make(uint32_t depth)
{
	struct sten_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->words = depth / 8;
	q->ring = calloc(q->words, sizeof(uint64_t));
	q->late = calloc((q->words + 63) / 64, sizeof(uint64_t));
	weft_list_init(&q->run);
	if (q->ring && q->late)
		return q;
	free(q->ring);
	free(q->late);
	free(q);
	return NULL;
}

int sten_queue_open_at(struct weft_sten *s, unsigned context, uint32_t depth,
		       unsigned perm, unsigned flags, unsigned i)
{
	struct sten_queue *q = queue_make(depth);

	if (!q)
		return -ENOMEM;
	q->number = i;
	q->context = (uint16_t)context;
	q->perm = (uint8_t)perm;
	q->flags = (uint8_t)flags;
	s->queue[i] = q;
	if (i >= s->queues)
		s->queues = i + 1;
	return 0;
}

WEFT_EXPORT int weft_sten_queue_open(struct weft_sten *s, unsigned context,
				     uint32_t depth, unsigned perm,
				     unsigned flags, unsigned *q_p)
{
	unsigned i = 0;
	int err;

	if (context >= WEFT_STEN_CONTEXTS || !depth_ok(depth) ||
	    (perm & ~WEFT_STEN_MAY_ALL) || (flags & ~WEFT_STEN_HIGH))
		return -EINVAL;
	while (i < WEFT_STEN_QUEUES && s->queue[i])
		i++;
	if (i == WEFT_STEN_QUEUES)
		return -ENOSPC;
	err = sten_queue_open_at(s, context, depth, perm, flags, i);
	if (!err)
		*q_p = i;
	return err;
}

WEFT_EXPORT int weft_sten_queue_close(struct weft_sten *s, unsigned n)
{
	struct sten_queue *q = sten_queue(s, n);

	if (!q)
		return -EINVAL;
	if (s->holder == q)
		s->holder = NULL;
	weft_list_remove(&q->run);
	free(q->ring);
	free(q->late);
	free(q);
	s->queue[n] = NULL;
	return 0;
}

void sten_queue_fini(struct weft_sten *s)
{
	for (unsigned i = 0; i < s->queues; i++)
		weft_sten_queue_close(s, i);
}

static uint64_t queue_room(const struct sten_queue *q)
{
	return q->words - (q->tail - sten_queue_oldest(q));
}

/* ---- words in order ---- */

WEFT_EXPORT int weft_sten_queue_write(struct weft_sten *s, unsigned n,
				      const uint64_t *w, unsigned count)
{
	struct sten_queue *q = sten_queue(s, n);

	if (!q)
		return -EINVAL;
	if (q->trap)
		return -EIO;
	if (count > queue_room(q))
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++)
		q->ring[(q->tail + i) & (q->words - 1)] = w[i];
	q->tail += count;
	sten_queue_wake(s, q);
	return 0;
}

/* ---- words as stored, out of order ---- */

static bool gap_bit_test(const struct sten_queue *q, uint64_t i)
{
	uint64_t k = i & (q->words - 1);

	return q->late[k / 64] >> k % 64 & 1;
}

static void gap_bit_flip(struct sten_queue *q, uint64_t i)
{
	uint64_t k = i & (q->words - 1);

	q->late[k / 64] ^= UINT64_C(1) << k % 64;
}

/*
 * The port is a window on the stream: half of it is before the tail (already
 * written), half after it. Word numbers are relative to the tail.
 */
static enum weft_sten_trap port_store(struct sten_queue *q, uint32_t word,
				      uint64_t w)
{
	uint64_t ahead = (word - q->tail) & (PORT_WORDS - 1);
	uint64_t i = q->tail + ahead;

	if (ahead >= PORT_WORDS / 2)
		return WEFT_STEN_TRAP_WRITE_ORDER;
	if (i - sten_queue_oldest(q) >= q->words)
		return WEFT_STEN_TRAP_OVERFLOW;
	if (gap_bit_test(q, i))
		return WEFT_STEN_TRAP_WRITE_ORDER;
	q->ring[i & (q->words - 1)] = w;
	gap_bit_flip(q, i);
	while (gap_bit_test(q, q->tail))
		gap_bit_flip(q, q->tail++);
	return WEFT_STEN_TRAP_NONE;
}

WEFT_EXPORT int weft_sten_queue_store(struct weft_sten *s, unsigned n,
				      uint32_t offset, const void *bytes,
				      unsigned count)
{
	struct sten_queue *q = sten_queue(s, n);
	enum weft_sten_trap t = WEFT_STEN_TRAP_NONE;
	uint64_t w;

	if (!q || offset >= WEFT_STEN_PAGE)
		return -EINVAL;
	if (q->trap)
		return -EIO;
	if (!count || count % 8 || offset % 8)
		t = WEFT_STEN_TRAP_WRITE_SIZE;
	for (unsigned i = 0; i < count && !t; i += 8) {
		memcpy(&w, (const char *)bytes + i, 8);
		t = port_store(q, (offset + i) / 8, w);
	}
	if (t) {
		sten_queue_trap(q, t, offset);
		return -EIO;
	}
	sten_queue_wake(s, q);
	return 0;
}

/* ---- states ---- */

WEFT_EXPORT int weft_sten_queue_state(struct weft_sten *s, unsigned n,
				      struct weft_sten_queue_state *st)
{
	struct sten_queue *q = sten_queue(s, n);

	if (!q)
		return -EINVAL;
	st->trap = q->trap;
	st->address = q->address;
	st->restarts = q->restarts;
	st->words = (uint32_t)(q->tail - sten_queue_oldest(q));
	for (unsigned i = 0; i < WEFT_STEN_CHANNELS; i++)
		st->ack[i] = q->ch[i].state == STEN_DONE ? q->ch[i].ack : 0;
	return 0;
}

WEFT_EXPORT int weft_sten_queue_clear(struct weft_sten *s, unsigned n)
{
	struct sten_queue *q = sten_queue(s, n);

	if (!q || !q->trap)
		return -EINVAL;
	q->trap = WEFT_STEN_TRAP_NONE;
	q->skip = false;
	q->head = q->tail;
	if (s->holder == q)
		s->holder = NULL;
	memset(q->late, 0, (q->words + 63) / 64 * sizeof(uint64_t));
	for (unsigned i = 0; i < WEFT_STEN_CHANNELS; i++) {
		q->ch[i].state = STEN_IDLE;
		q->ch[i].gen++;
	}
	return 0;
}

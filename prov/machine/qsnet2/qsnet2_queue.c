/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command queues. A process writes words through a mapped port of 8 KB. Stores
 * may arrive out of order; the queue executes words up to the first gap. Words
 * stay in the ring until no restart can need them.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT_WORDS (WEFT_QSNET2_PAGE / 8)

struct qsnet2_queue *qsnet2_queue(struct weft_qsnet2 *s, unsigned q)
{
	return q < WEFT_QSNET2_QUEUES ? s->queue[q] : NULL;
}

void qsnet2_queue_wake(struct weft_qsnet2 *s, struct qsnet2_queue *q)
{
	if (weft_list_empty(&q->run) && !q->trap)
		weft_list_push_back(&s->run[q->flags & WEFT_QSNET2_HIGH],
				    &q->run);
}

void qsnet2_queue_trap(struct qsnet2_queue *q, enum weft_qsnet2_trap trap,
		       uint64_t address)
{
	q->trap = (uint8_t)trap;
	q->address = address;
	weft_list_remove(&q->run);
}

uint64_t qsnet2_queue_oldest(const struct qsnet2_queue *q)
{
	uint64_t keep = q->head;

	for (unsigned i = 0; i < WEFT_QSNET2_CHANNELS; i++) {
		const struct qsnet2_channel *c = &q->ch[i];

		if ((c->state == QSNET2_SENT || c->state == QSNET2_RETRY) &&
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

static struct qsnet2_queue *queue_make(uint32_t depth)
{
	struct qsnet2_queue *q = calloc(1, sizeof(*q));

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

int qsnet2_queue_open_at(struct weft_qsnet2 *s, unsigned context,
			 uint32_t depth, unsigned perm, unsigned flags,
			 unsigned i)
{
	struct qsnet2_queue *q = queue_make(depth);

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

WEFT_EXPORT int weft_qsnet2_queue_open(struct weft_qsnet2 *s, unsigned context,
				       uint32_t depth, unsigned perm,
				       unsigned flags, unsigned *q_p)
{
	unsigned i = 0;
	int err;

	if (context >= WEFT_QSNET2_CONTEXTS || !depth_ok(depth) ||
	    (perm & ~WEFT_QSNET2_MAY_ALL) || (flags & ~WEFT_QSNET2_HIGH))
		return -EINVAL;
	while (i < WEFT_QSNET2_QUEUES && s->queue[i])
		i++;
	if (i == WEFT_QSNET2_QUEUES)
		return -ENOSPC;
	err = qsnet2_queue_open_at(s, context, depth, perm, flags, i);
	if (!err)
		*q_p = i;
	return err;
}

WEFT_EXPORT int weft_qsnet2_queue_close(struct weft_qsnet2 *s, unsigned n)
{
	struct qsnet2_queue *q = qsnet2_queue(s, n);

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

void qsnet2_queue_fini(struct weft_qsnet2 *s)
{
	for (unsigned i = 0; i < s->queues; i++)
		weft_qsnet2_queue_close(s, i);
}

/* ---- words in order ---- */

WEFT_EXPORT int weft_qsnet2_queue_write(struct weft_qsnet2 *s, unsigned n,
					const uint64_t *w, unsigned count)
{
	struct qsnet2_queue *q = qsnet2_queue(s, n);

	if (!q)
		return -EINVAL;
	if (q->trap)
		return -EIO;
	if (count > q->words - (q->tail - qsnet2_queue_oldest(q)))
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++)
		q->ring[(q->tail + i) & (q->words - 1)] = w[i];
	q->tail += count;
	qsnet2_queue_wake(s, q);
	return 0;
}

/* ---- words as stored, out of order ---- */

static bool gap_bit_test(const struct qsnet2_queue *q, uint64_t i)
{
	uint64_t k = i & (q->words - 1);

	return q->late[k / 64] >> k % 64 & 1;
}

static void gap_bit_flip(struct qsnet2_queue *q, uint64_t i)
{
	uint64_t k = i & (q->words - 1);

	q->late[k / 64] ^= UINT64_C(1) << k % 64;
}

/*
 * Stores a word through the port, which is a window on the stream of words: one
 * half is before the tail (already written), the other half after it.
 */
static enum weft_qsnet2_trap port_store(struct qsnet2_queue *q, uint32_t word,
					uint64_t w)
{
	uint64_t ahead = (word - q->tail) & (PORT_WORDS - 1);
	uint64_t i = q->tail + ahead;

	if (ahead >= PORT_WORDS / 2)
		return WEFT_QSNET2_TRAP_WRITE_ORDER;
	if (i - qsnet2_queue_oldest(q) >= q->words)
		return WEFT_QSNET2_TRAP_OVERFLOW;
	if (gap_bit_test(q, i))
		return WEFT_QSNET2_TRAP_WRITE_ORDER;
	q->ring[i & (q->words - 1)] = w;
	gap_bit_flip(q, i);
	while (gap_bit_test(q, q->tail))
		gap_bit_flip(q, q->tail++);
	return WEFT_QSNET2_TRAP_NONE;
}

WEFT_EXPORT int weft_qsnet2_queue_store(struct weft_qsnet2 *s, unsigned n,
					uint32_t offset, const void *bytes,
					unsigned count)
{
	struct qsnet2_queue *q = qsnet2_queue(s, n);
	enum weft_qsnet2_trap t = WEFT_QSNET2_TRAP_NONE;
	uint64_t w;

	if (!q || offset >= WEFT_QSNET2_PAGE)
		return -EINVAL;
	if (q->trap)
		return -EIO;
	if (!count || count % 8 || offset % 8)
		t = WEFT_QSNET2_TRAP_WRITE_SIZE;
	for (unsigned i = 0; i < count && !t; i += 8) {
		memcpy(&w, (const char *)bytes + i, 8);
		t = port_store(q, (offset + i) / 8, w);
	}
	if (t) {
		qsnet2_queue_trap(q, t, offset);
		return -EIO;
	}
	qsnet2_queue_wake(s, q);
	return 0;
}

/* ---- states ---- */

WEFT_EXPORT int weft_qsnet2_queue_state(struct weft_qsnet2 *s, unsigned n,
					struct weft_qsnet2_queue_state *st)
{
	struct qsnet2_queue *q = qsnet2_queue(s, n);

	if (!q)
		return -EINVAL;
	st->trap = q->trap;
	st->address = q->address;
	st->restarts = q->restarts;
	st->words = (uint32_t)(q->tail - qsnet2_queue_oldest(q));
	for (unsigned i = 0; i < WEFT_QSNET2_CHANNELS; i++)
		st->ack[i] = q->ch[i].state == QSNET2_DONE ? q->ch[i].ack : 0;
	return 0;
}

WEFT_EXPORT int weft_qsnet2_queue_clear(struct weft_qsnet2 *s, unsigned n)
{
	struct qsnet2_queue *q = qsnet2_queue(s, n);

	if (!q || !q->trap)
		return -EINVAL;
	q->trap = WEFT_QSNET2_TRAP_NONE;
	q->skip = false;
	q->head = q->tail;
	if (s->holder == q)
		s->holder = NULL;
	memset(q->late, 0, (q->words + 63) / 64 * sizeof(uint64_t));
	for (unsigned i = 0; i < WEFT_QSNET2_CHANNELS; i++) {
		q->ch[i].state = QSNET2_IDLE;
		q->ch[i].gen++;
	}
	return 0;
}

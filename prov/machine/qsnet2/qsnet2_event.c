/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An event is a count in memory that each set operation increments. When the
 * count reaches 0, the event fires: it copies up to 2040 bytes, or writes one
 * word, to memory or to a command queue of the same context. So one operation
 * starts the next without the processor being involved.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <string.h>

/* Writes words to the command queue with this address. */
static enum weft_qsnet2_trap fire_queue(struct weft_qsnet2 *s, unsigned context,
					uint64_t to, const uint64_t *w,
					unsigned count)
{
	unsigned n = (unsigned)((to & ~QSNET2_QUEUE_SPACE) >> 13);
	struct qsnet2_queue *q = qsnet2_queue(s, n);

	if (!q || q->context != context)
		return WEFT_QSNET2_TRAP_PERMISSION;
	s->chained++;
	if (weft_qsnet2_queue_write(s, n, w, count) == 0)
		return WEFT_QSNET2_TRAP_NONE;
	if (!q->trap)
		qsnet2_queue_trap(q, WEFT_QSNET2_TRAP_OVERFLOW, to);
	return WEFT_QSNET2_TRAP_NONE;
}

static enum weft_qsnet2_trap fire_words(struct weft_qsnet2 *s, unsigned context,
					uint64_t to, const uint64_t *w,
					unsigned count)
{
	void *dst;

	if (to & QSNET2_QUEUE_SPACE)
		return fire_queue(s, context, to, w, count);
	dst = qsnet2_memory(s, context, to, count * 8u,
			    WEFT_QSNET2_LOCAL_WRITE);
	if (!dst)
		return WEFT_QSNET2_TRAP_MEMORY;
	memcpy(dst, w, count * 8u);
	return WEFT_QSNET2_TRAP_NONE;
}

static enum weft_qsnet2_trap event_fire(struct weft_qsnet2 *s, unsigned context,
					struct weft_qsnet2_event *e)
{
	uint64_t w[WEFT_QSNET2_COPY / 8];
	const void *src;

	s->stats.events++;
	nic_event_post((weft_au64 *)(void *)&e->fired, e->fired + 1);
	switch (e->type) {
	case WEFT_QSNET2_EVENT_NONE:
		return WEFT_QSNET2_TRAP_NONE;
	case WEFT_QSNET2_EVENT_WRITE:
		return fire_words(s, context, e->to, &e->from, 1);
	case WEFT_QSNET2_EVENT_COPY:
		src = qsnet2_memory(s, context, e->from, e->words * 8u,
				    WEFT_QSNET2_LOCAL_READ);
		if (!src)
			return WEFT_QSNET2_TRAP_MEMORY;
		memcpy(w, src, e->words * 8u);
		return fire_words(s, context, e->to, w, e->words);
	default:
		return WEFT_QSNET2_TRAP_COMMAND;
	}
}

static enum weft_qsnet2_trap event_find(struct weft_qsnet2 *s, unsigned context,
					uint64_t address, unsigned perm,
					struct weft_qsnet2_event **e_p)
{
	unsigned like;

	if (address % 32)
		return WEFT_QSNET2_TRAP_ALIGNMENT;
	*e_p = qsnet2_memory_translate(s, context, address, sizeof(**e_p), perm,
				       &like);
	/*
	 * event fields are in host byte order, so big-endian pages cannot hold
	 * them
	 */
	if (!*e_p || like & WEFT_QSNET2_BIG_ENDIAN)
		return WEFT_QSNET2_TRAP_MEMORY;
	return WEFT_QSNET2_TRAP_NONE;
}

enum weft_qsnet2_trap qsnet2_event_set(struct weft_qsnet2 *s, unsigned context,
				       uint64_t address, uint32_t count,
				       unsigned perm)
{
	struct weft_qsnet2_event *e;
	enum weft_qsnet2_trap t = event_find(s, context, address, perm, &e);
	int64_t before;

	if (t)
		return t;
	before = e->count;
	if (before + count > INT32_MAX)
		return WEFT_QSNET2_TRAP_OVERFLOW;
	e->count = (int32_t)(before + count);
	if (before >= 0 || e->count < 0)
		return WEFT_QSNET2_TRAP_NONE;
	return event_fire(s, context, e);
}

/* Executes a wait-event command; w: its five words. */
enum weft_qsnet2_trap qsnet2_event_wait(struct weft_qsnet2 *s, unsigned context,
					const uint64_t *w)
{
	struct weft_qsnet2_event *e;
	enum weft_qsnet2_trap t =
		event_find(s, context, w[1], WEFT_QSNET2_LOCAL_WRITE, &e);
	int64_t count;

	if (t)
		return t;
	count = (int64_t)e->count - qsnet2_cmd_high(w[0]);
	if (count < INT32_MIN)
		return WEFT_QSNET2_TRAP_OVERFLOW;
	e->type = (uint8_t)w[2];
	e->words = (uint8_t)(w[2] >> 8);
	e->from = w[3];
	e->to = w[4];
	e->count = (int32_t)count;
	return count >= 0 ? event_fire(s, context, e) : WEFT_QSNET2_TRAP_NONE;
}

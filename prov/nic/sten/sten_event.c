/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: a count in memory that sets increment. When it reaches 0 the event
 * fires and copies up to 2040 bytes, or writes one word, to memory or into a
 * command queue of the same context, so that one operation starts the next
 * without the processor.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <string.h>

/* Writes words into the command queue given by an address. */
static enum weft_sten_trap fire_queue(struct weft_sten *s, unsigned context,
				      uint64_t to, const uint64_t *w,
				      unsigned count)
{
	unsigned n = (unsigned)((to & ~STEN_QUEUE_SPACE) >> 13);
	struct sten_queue *q = sten_queue(s, n);

	if (!q || q->context != context)
		return WEFT_STEN_TRAP_PERMISSION;
	s->chained++;
	if (weft_sten_queue_write(s, n, w, count) == 0)
		return WEFT_STEN_TRAP_NONE;
	if (!q->trap)
		sten_queue_trap(q, WEFT_STEN_TRAP_OVERFLOW, to);
	return WEFT_STEN_TRAP_NONE;
}

static enum weft_sten_trap fire_words(struct weft_sten *s, unsigned context,
				      uint64_t to, const uint64_t *w,
				      unsigned count)
{
	void *dst;

	if (to & STEN_QUEUE_SPACE)
		return fire_queue(s, context, to, w, count);
	dst = sten_memory(s, context, to, count * 8u, WEFT_STEN_LOCAL_WRITE);
	if (!dst)
		return WEFT_STEN_TRAP_MEMORY;
	memcpy(dst, w, count * 8u);
	return WEFT_STEN_TRAP_NONE;
}

static enum weft_sten_trap event_fire(struct weft_sten *s, unsigned context,
				      struct weft_sten_event *e)
{
	uint64_t w[WEFT_STEN_COPY / 8];
	const void *src;

	s->stats.events++;
	nic_event_post((weft_au64 *)(void *)&e->fired, e->fired + 1);
	switch (e->type) {
	case WEFT_STEN_EVENT_NONE:
		return WEFT_STEN_TRAP_NONE;
	case WEFT_STEN_EVENT_WRITE:
		return fire_words(s, context, e->to, &e->from, 1);
	case WEFT_STEN_EVENT_COPY:
		src = sten_memory(s, context, e->from, e->words * 8u,
				  WEFT_STEN_LOCAL_READ);
		if (!src)
			return WEFT_STEN_TRAP_MEMORY;
		memcpy(w, src, e->words * 8u);
		return fire_words(s, context, e->to, w, e->words);
	default:
		return WEFT_STEN_TRAP_COMMAND;
	}
}

static enum weft_sten_trap event_find(struct weft_sten *s, unsigned context,
				      uint64_t address, unsigned perm,
				      struct weft_sten_event **e_p)
{
	unsigned like;

	if (address % 32)
		return WEFT_STEN_TRAP_ALIGNMENT;
	*e_p = sten_memory_translate(s, context, address, sizeof(**e_p), perm,
				     &like);
	/* event fields are in host byte order, never in a big-endian page */
	if (!*e_p || like & WEFT_STEN_BIG_ENDIAN)
		return WEFT_STEN_TRAP_MEMORY;
	return WEFT_STEN_TRAP_NONE;
}

enum weft_sten_trap sten_event_set(struct weft_sten *s, unsigned context,
				   uint64_t address, uint32_t count,
				   unsigned perm)
{
	struct weft_sten_event *e;
	enum weft_sten_trap t = event_find(s, context, address, perm, &e);
	int64_t before;

	if (t)
		return t;
	before = e->count;
	if (before + count > INT32_MAX)
		return WEFT_STEN_TRAP_OVERFLOW;
	e->count = (int32_t)(before + count);
	if (before >= 0 || e->count < 0)
		return WEFT_STEN_TRAP_NONE;
	return event_fire(s, context, e);
}

/* w: the five words of a wait-event command. */
enum weft_sten_trap sten_event_wait(struct weft_sten *s, unsigned context,
				    const uint64_t *w)
{
	struct weft_sten_event *e;
	enum weft_sten_trap t =
		event_find(s, context, w[1], WEFT_STEN_LOCAL_WRITE, &e);
	int64_t count;

	if (t)
		return t;
	count = (int64_t)e->count - sten_cmd_high(w[0]);
	if (count < INT32_MIN)
		return WEFT_STEN_TRAP_OVERFLOW;
	e->type = (uint8_t)w[2];
	e->words = (uint8_t)(w[2] >> 8);
	e->from = w[3];
	e->to = w[4];
	e->count = (int32_t)count;
	return count >= 0 ? event_fire(s, context, e) : WEFT_STEN_TRAP_NONE;
}

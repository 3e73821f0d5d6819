/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a job, written by its ranks into one file that the launcher opened
 * and reads when they are gone. Memory is bounded: a rank maps one chunk of
 * each type at a time.
 *
 *   launcher  weft_trace_create -> pass fd -> weft_trace_read, each -> close
 *   rank      weft_trace_attach -> weft_trace_put ... -> weft_trace_detach
 *
 * Writers of one process take care themselves that one puts at a time.
 */
#ifndef WEFT_BASE_TRACE_H
#define WEFT_BASE_TRACE_H

#include "src/base/attr.h"
#include "src/base/trace_layout.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

/* A file without a name in the folder of the file that it is for; descriptor
 * or -errno. */
int weft_trace_create(const char *beside);

struct trace_event {
	uint64_t t; /* ps; of a writer that counts: the counter's */
	uint64_t span;
	uint64_t word;
	uint32_t id;
	enum trace_kind kind;
};

struct weft_trace {
	/* line 0: what every event asks. Where the next one goes, until end;
	 * NULL: nowhere yet */
	alignas(WEFT_CACHE_LINE) struct trace_entry *next, *end;
	uint32_t turn;
	bool counts; /* weft_trace_count() */
	int fd;	     /* -1: not traced */
	uint32_t me;
	struct trace_chunk *desk; /* or NULL */
	struct trace_head *head;
	/* line 1 */
	struct trace_chunk *chunk[TRACE_TYPES]; /* being written; or NULL */
};

/* The file behind fd, which stays the caller's. 0; -EINVAL: it is no trace. */
int weft_trace_attach(struct weft_trace *t, int fd, uint32_t me);
/* Before the first event: times of events will be those of weft_counter(), the
 * reader sees ps. False: its creator found that no good clock. */
bool weft_trace_count(struct weft_trace *t);
/* One record of that type, which is not TRACE_EVENTS; when there is no room
 * left, nothing more is written, and the reader sees that. */
void weft_trace_put(struct weft_trace *t, enum trace_type type,
		    const void *record, size_t bytes);
void weft_trace_detach(struct weft_trace *t);

/* Clears the desk, or takes one; false: there is no room. */
bool weft_trace_turn(struct weft_trace *t) WEFT_COLD;

/* One event, likewise. In the way of every call: a line of memory is read and
 * one is written. */
WEFT_INLINE void weft_trace_event(struct weft_trace *t,
				  const struct trace_event *e)
{
	struct trace_entry *to;

	if (weft_unlikely(t->next == t->end) && !weft_trace_turn(t))
		return;
	to = t->next++;
	to->t = e->t;
	to->span = e->span;
	to->word = e->word;
	to->id = e->id;
	/* R1 pairs with A1 in on_desk(): an event counts when it is whole,
	 * whenever its writer dies. */
	weft_store32(&to->mark, TRACE_MARK(t->turn, e->kind));
}

/* All of it, for reading. */
struct weft_trace_file {
	const char *base;
	size_t bytes;
	uint64_t chunks;
	uint32_t lost;
	uint64_t counter, ps; /* a moment of both clocks */
	uint64_t rate;	      /* ps for each 2^32 of the counter */
};

/* The rate of the counter is told by the time from create to read. */
int weft_trace_read(struct weft_trace_file *f, int fd);
void weft_trace_close(struct weft_trace_file *f);

/* What a chunk says of itself; 0: nothing is in it that counts. */
uint32_t weft_trace_used(const struct weft_trace_file *f, uint64_t i);
bool weft_trace_is_desk(const struct weft_trace_file *f, uint64_t i);

WEFT_INLINE const struct trace_chunk *
weft_trace_chunk(const struct weft_trace_file *f, uint64_t i)
{
	return (const void *)(f->base + TRACE_HEAD + i * TRACE_CHUNK);
}

/* So much of the counter in ps; an unsigned product of 128 bits. */
WEFT_INLINE uint64_t weft_trace_span(const struct weft_trace_file *f,
				     uint64_t span)
{
	uint64_t high = span >> 32, low = (uint32_t)span;

	return high * f->rate + (low * (f->rate >> 32)) +
	       (low * (uint32_t)f->rate >> 32);
}

/* One that stands in chunk c, with times in ps. */
WEFT_INLINE struct trace_event weft_trace_get(const struct weft_trace_file *f,
					      const struct trace_chunk *c,
					      const struct trace_entry *from)
{
	/* relaxed: A1 was before */
	struct trace_event e = { from->t, from->span, from->word, from->id,
				 TRACE_MARK_KIND(
					 weft_load32_relaxed(&from->mark)) };

	if (!c->counted)
		return e;
	e.t = f->ps + weft_trace_span(f, e.t - f->counter);
	if (e.kind == TRACE_CALL)
		e.span = weft_trace_span(f, e.span);
	return e;
}

/* Chunks of one type and writer (TRACE_ANYBODY: all), in the order in which
 * they were written: *at is where to look, 0 at first; its records, or NULL. */
#define TRACE_ANYBODY UINT32_MAX
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer, uint64_t *at,
			    size_t *bytes_p);

#endif

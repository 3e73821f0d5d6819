/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trace of a job: its ranks write events to one file, which the launcher has
 * opened and which it reads when the ranks have ended. Memory is bounded: a
 * rank maps one chunk of each type at a time.
 *
 *   launcher  weft_trace_create -> pass fd -> weft_trace_read, each -> close
 *   rank      weft_trace_attach -> weft_trace_put ... -> weft_trace_detach
 *
 * The caller serializes the writers of one process.
 */
#ifndef WEFT_JOB_TRACE_H
#define WEFT_JOB_TRACE_H

#include "src/base/attr.h"
#include "src/job/job_trace_layout.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Creates a file without a name in the directory of the given file. Returns a
 * descriptor or -errno.
 */
int weft_trace_create(const char *file);

struct trace_event {
	/* time in ps; after weft_trace_use_counter(): counter value */
	uint64_t t;
	uint64_t span;
	uint64_t word;
	/* CALL: number of the name; SEND, DONE: destination rank */
	uint32_t id;
	enum trace_kind kind;
	uint64_t size;	    /* CALL: bytes + 1, or 0: none; SEND, RECV: bytes */
	uint32_t root;	    /* CALL: root + 1, or 0: no root */
	uint32_t root_rank; /* CALL: rank of the root in the job */
	bool later;	    /* SEND: a DONE event follows */
};

struct weft_trace {
	/*
	 * cache line 0, accessed by every event: next entry and end of the
	 * event buffer; NULL: no buffer yet
	 */
	alignas(WEFT_CACHE_LINE) struct trace_entry *next, *end;
	uint32_t generation;
	/* times are counter values; set by weft_trace_use_counter() */
	bool counts;
	int fd; /* trace file; -1: not traced */
	uint32_t me;
	struct trace_chunk *event_buf; /* event buffer, or NULL */
	struct trace_head *head;
	/* cache line 1: chunk of each type being written, or NULL */
	struct trace_chunk *chunk[TRACE_TYPES];
};

/*
 * Attaches to the trace file behind fd, which the caller keeps. Returns 0,
 * -errno, or -EINVAL: not a trace.
 */
int weft_trace_attach(struct weft_trace *t, int fd, uint32_t me);
/*
 * Uses weft_counter() for the times of events, which the reader converts to ps;
 * to be called before the first event. Returns false if the counter is
 * not usable as a clock on this host.
 */
bool weft_trace_use_counter(struct weft_trace *t);
/*
 * Writes one record of a type other than TRACE_EVENTS. If there is no space
 * left, this rank writes nothing more, and the reader reports that.
 */
void weft_trace_put(struct weft_trace *t, enum trace_type type,
		    const void *record, size_t bytes);
void weft_trace_detach(struct weft_trace *t);
/*
 * Returns TRACE_THREADS slots for open calls, valid until weft_trace_detach();
 * NULL: no space left.
 */
struct trace_open *weft_trace_open_calls(struct weft_trace *t);

/*
 * Writes the event buffer to the file, or creates the buffer if there is none.
 * Returns false if there is no space left.
 */
bool weft_trace_flush(struct weft_trace *t) WEFT_COLD;

/* Return the fields span and id of an entry (table in job_trace_layout.h). */
WEFT_INLINE uint64_t weft_trace_span_of(const struct trace_event *e)
{
	return e->kind == TRACE_SEND || e->kind == TRACE_MORE ? e->size
							      : e->span;
}

WEFT_INLINE uint32_t weft_trace_id_of(const struct trace_event *e)
{
	uint64_t most = e->kind == TRACE_CALL ? TRACE_SIZE_MOST : UINT32_MAX;
	uint32_t size = (uint32_t)(e->size < most ? e->size : most);

	if (e->kind == TRACE_CALL)
		return size << TRACE_NAME_BITS | e->id;
	if (e->kind == TRACE_MORE)
		return e->root;
	if (e->kind == TRACE_SEND)
		return (e->id & ~TRACE_LATER) | (e->later ? TRACE_LATER : 0);
	return e->kind == TRACE_RECV ? size : e->id;
}

WEFT_INLINE void weft_trace_entry(struct weft_trace *t,
				  const struct trace_event *e)
{
	struct trace_entry *to;

	if (weft_unlikely(t->next == t->end) && !weft_trace_flush(t))
		return;
	to = t->next++;
	to->t = e->t;
	to->span = weft_trace_span_of(e);
	to->word = e->word;
	to->id = weft_trace_id_of(e);
	/*
	 * R1 pairs with A1 in weft_trace_valid_bytes(): an event is valid only
	 * when it is complete, even if its writer dies at any time.
	 */
	weft_store32(&to->mark, TRACE_MARK(t->generation, e->kind));
}

/* Writes the TRACE_MORE entry of a call. */
void weft_trace_more(struct weft_trace *t,
		     const struct trace_event *e) WEFT_NOINLINE;

/* Writes one event: reads one cache line and writes one. */
WEFT_INLINE void weft_trace_event(struct weft_trace *t,
				  const struct trace_event *e)
{
	if (weft_unlikely(e->kind == TRACE_CALL &&
			  (e->root || e->size >= TRACE_SIZE_MOST)))
		weft_trace_more(t, e);
	weft_trace_entry(t, e);
}

struct weft_trace_file {
	const char *base;
	size_t bytes;
	uint64_t chunks;
	uint32_t lost;
	/* counter value and clock, read at the same time */
	uint64_t counter, ps;
	double rate;	  /* ps per tick of the counter */
	uint64_t read_ps; /* time of reading, only with a usable counter */
};

/*
 * Maps a trace for reading. The rate of the counter is computed from the time
 * between create and read. Returns 0 or -errno.
 */
int weft_trace_read(struct weft_trace_file *f, int fd);
void weft_trace_close(struct weft_trace_file *f);

/* Returns the number of bytes of valid records in chunk i. */
uint32_t weft_trace_valid_bytes(const struct weft_trace_file *f, uint64_t i);
bool weft_trace_is_buffer(const struct weft_trace_file *f, uint64_t i);

WEFT_INLINE const struct trace_chunk *
weft_trace_chunk(const struct weft_trace_file *f, uint64_t i)
{
	return (const void *)(f->base + TRACE_HEAD + i * TRACE_CHUNK);
}

WEFT_INLINE uint64_t weft_trace_ps(const struct weft_trace_file *f,
				   uint64_t counter)
{
	return f->ps + (uint64_t)((double)(counter - f->counter) * f->rate);
}

/* Converts an entry of chunk c to an event, with times in ps. */
WEFT_INLINE struct trace_event weft_trace_get(const struct weft_trace_file *f,
					      const struct trace_chunk *c,
					      const struct trace_entry *from)
{
	/* relaxed: ordered by A1 */
	struct trace_event e = { .t = from->t,
				 .span = from->span,
				 .word = from->word,
				 .id = from->id,
				 .kind = TRACE_MARK_KIND(
					 weft_load32_relaxed(&from->mark)) };

	if (e.kind == TRACE_CALL) {
		e.size = e.id >> TRACE_NAME_BITS;
		e.id &= (1u << TRACE_NAME_BITS) - 1;
	} else if (e.kind == TRACE_RECV) {
		e.size = e.id;
	} else if (e.kind == TRACE_MORE) {
		e.size = e.span;
		e.root = e.id;
		e.root_rank = (uint32_t)e.word;
	} else {
		e.size = e.span;
		e.later = e.kind == TRACE_SEND && e.id & TRACE_LATER;
		e.id &= ~TRACE_LATER;
	}
	if (!c->counted)
		return e;
	e.t = weft_trace_ps(f, e.t);
	if (e.kind == TRACE_CALL || e.kind == TRACE_RECV)
		e.span = (uint64_t)((double)e.span * f->rate);
	return e;
}

/*
 * Iterates over the chunks of one type and writer (TRACE_ALL_WRITERS: all), in
 * the order in which they were written. *pos: position in the file, initially
 * 0. Returns the records of the chunk, or NULL at the end.
 */
#define TRACE_ALL_WRITERS UINT32_MAX
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer,
			    uint64_t *pos, size_t *bytes_p);

#endif

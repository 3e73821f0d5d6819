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

#include <stdbool.h>
#include <stddef.h>

/* A file without a name in the folder of the file that it is for; descriptor
 * or -errno. */
int weft_trace_create(const char *beside);

struct weft_trace {
	/* where the next event goes, until end; NULL: nowhere yet */
	struct trace_event *next, *end;
	struct trace_chunk *desk; /* or NULL */
	uint64_t state;		  /* the desk's */
	int fd;			  /* -1: not traced */
	uint32_t me;
	struct trace_head *head;
	struct trace_chunk *chunk[TRACE_TYPES]; /* being written; or NULL */
};

/* The file behind fd, which stays the caller's. 0; -EINVAL: it is no trace. */
int weft_trace_attach(struct weft_trace *t, int fd, uint32_t me);
/* One record of that type, which is not TRACE_EVENTS; when there is no room
 * left, nothing more is written, and the reader sees that. */
void weft_trace_put(struct weft_trace *t, enum trace_type type,
		    const void *record, size_t bytes);
void weft_trace_detach(struct weft_trace *t);

/* Clears the desk, or takes one; false: there is no room. */
bool weft_trace_turn(struct weft_trace *t) WEFT_COLD;

/* One event, likewise. In the way of every call: few lines of memory. */
WEFT_INLINE void weft_trace_event(struct weft_trace *t,
				  const struct trace_event *e)
{
	if (weft_unlikely(t->next == t->end) && !weft_trace_turn(t))
		return;
	*t->next++ = *e;
	t->state += sizeof(*e);
	/* R1 pairs with A1 in weft_trace_used(): a record counts when it is
	 * whole, whenever its writer dies. */
	weft_store64(&t->desk->state, t->state);
}

/* All of it, for reading. */
struct weft_trace_file {
	const char *base;
	size_t bytes;
	uint64_t chunks;
	uint32_t lost;
};

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

/* Chunks of one type and writer (TRACE_ANYBODY: all), in the order in which
 * they were written: *at is where to look, 0 at first; its records, or NULL. */
#define TRACE_ANYBODY UINT32_MAX
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer, uint64_t *at,
			    size_t *bytes_p);

#endif

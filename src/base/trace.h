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

#include "src/base/trace_layout.h"

#include <stddef.h>

/* A file without a name in the folder of the file that it is for; descriptor
 * or -errno. */
int weft_trace_create(const char *beside);

struct weft_trace {
	int fd; /* -1: not traced */
	uint32_t me;
	struct trace_head *head;
	struct trace_chunk *chunk[TRACE_TYPES]; /* being written; or NULL */
};

/* The file behind fd, which stays the caller's. 0; -EINVAL: it is no trace. */
int weft_trace_attach(struct weft_trace *t, int fd, uint32_t me);
/* One record of that type; when there is no room left, nothing more is
 * written, and the reader sees that. */
void weft_trace_put(struct weft_trace *t, enum trace_type type,
		    const void *record, size_t bytes);
void weft_trace_detach(struct weft_trace *t);

/* All of it, for reading. */
struct weft_trace_file {
	const char *base;
	size_t bytes;
	uint64_t chunks;
	uint32_t lost;
};

int weft_trace_read(struct weft_trace_file *f, int fd);
void weft_trace_close(struct weft_trace_file *f);

/* Chunks of one type and writer (TRACE_ANYBODY: all), in the order in which
 * they were written: *at is where to look, 0 at first; its records, or NULL. */
#define TRACE_ANYBODY UINT32_MAX
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer, uint64_t *at,
			    size_t *bytes_p);

#endif

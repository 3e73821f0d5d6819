/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a trace, see trace.h. Its writers are other processes: what a chunk
 * says of itself is checked. */
#include "src/base/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { READ_AHEAD = 1 << 28 }; /* of more the kernel keeps what it likes */

int weft_trace_read(struct weft_trace_file *f, int fd)
{
	const struct trace_head *head;
	struct stat s;
	void *base;

	memset(f, 0, sizeof(*f));
	if (fstat(fd, &s) < 0 || s.st_size < TRACE_HEAD)
		return -EINVAL;
	/* all of it is read, most of it more than once */
	base = mmap(NULL, (size_t)s.st_size, PROT_READ,
		    MAP_SHARED | (s.st_size < READ_AHEAD ? MAP_POPULATE : 0),
		    fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	head = base;
	f->base = base;
	f->bytes = (size_t)s.st_size;
	/* the last one may end where its records do */
	f->chunks = (f->bytes - TRACE_HEAD + TRACE_CHUNK - 1) / TRACE_CHUNK;
	f->lost = weft_load32(&head->lost);
	return 0;
}

void weft_trace_close(struct weft_trace_file *f)
{
	if (f->base)
		munmap((void *)(uintptr_t)f->base, f->bytes);
	memset(f, 0, sizeof(*f));
}

bool weft_trace_is_desk(const struct weft_trace_file *f, uint64_t i)
{
	return weft_trace_chunk(f, i)->desk == i;
}

/* Its writer died before he had cleared his desk. */
static bool is_still_on_the_desk(const struct weft_trace_file *f,
				 const struct trace_chunk *c, uint64_t state)
{
	const struct trace_chunk *desk;

	if (c->desk >= f->chunks)
		return false;
	desk = weft_trace_chunk(f, c->desk);
	return desk != c &&
	       weft_load64(&desk->state) / TRACE_TURN == state / TRACE_TURN;
}

uint32_t weft_trace_used(const struct weft_trace_file *f, uint64_t i)
{
	const struct trace_chunk *c = weft_trace_chunk(f, i);
	size_t room = f->bytes - (size_t)((const char *)c - f->base);
	/* A1 pairs with R1 in weft_trace_event() */
	uint64_t state = weft_load64(&c->state);
	uint32_t used = TRACE_USED(state);

	if (room > TRACE_CHUNK)
		room = TRACE_CHUNK;
	if (used + TRACE_CHUNK_HEAD > room || used > TRACE_CHUNK ||
	    is_still_on_the_desk(f, c, state))
		return 0;
	return used;
}

/* Desks come behind all other chunks. */
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer, uint64_t *at,
			    size_t *bytes_p)
{
	while (*at < 2 * f->chunks) {
		uint64_t i = *at % f->chunks;
		bool late = (*at)++ >= f->chunks;
		const struct trace_chunk *c = weft_trace_chunk(f, i);
		uint32_t used = weft_trace_used(f, i);

		if (!used || c->type != type ||
		    weft_trace_is_desk(f, i) != late ||
		    (writer != TRACE_ANYBODY && c->writer != writer))
			continue;
		*bytes_p = used;
		return (const char *)c + TRACE_CHUNK_HEAD;
	}
	return NULL;
}

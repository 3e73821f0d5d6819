/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a trace (job_trace.h). The writers are other processes, so the head
 * of every chunk is checked.
 */
#include "src/job/job_trace.h"

#include "src/base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { READ_AHEAD = 1 << 28 }; /* bytes; larger files are not prefaulted */

/* Computes the rate of the counter; waits until a minimum time has passed. */
static void compute_rate(struct weft_trace_file *f,
			 const struct trace_head *head)
{
	enum { ENOUGH_NS = 1000000 };
	struct weft_clock_pair now;

	f->counter = head->counter;
	f->ps = head->ns * 1000;
	if (!head->counted)
		return;
	do
		now = weft_clock_pair_now();
	while (now.ns - head->ns < ENOUGH_NS);
	f->rate = (double)(now.ns - head->ns) * 1000 /
		  (double)(now.counter - head->counter);
	f->read_ps = now.ns * 1000;
}

int weft_trace_read(struct weft_trace_file *f, int fd)
{
	const struct trace_head *head;
	struct stat s;
	void *base;

	memset(f, 0, sizeof(*f));
	if (fstat(fd, &s) < 0 || s.st_size < TRACE_HEAD)
		return -EINVAL;
	/* the whole file is read, most parts more than once */
	base = mmap(NULL, (size_t)s.st_size, PROT_READ,
		    MAP_SHARED | (s.st_size < READ_AHEAD ? MAP_POPULATE : 0),
		    fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	head = base;
	f->base = base;
	f->bytes = (size_t)s.st_size;
	/* rounded up: the file may end after the records of the last chunk */
	f->chunks = (f->bytes - TRACE_HEAD + TRACE_CHUNK - 1) / TRACE_CHUNK;
	f->lost = weft_load32(&head->lost);
	compute_rate(f, head);
	return 0;
}

void weft_trace_close(struct weft_trace_file *f)
{
	if (f->base)
		munmap((void *)(uintptr_t)f->base, f->bytes);
	memset(f, 0, sizeof(*f));
}

bool weft_trace_is_buffer(const struct weft_trace_file *f, uint64_t i)
{
	return weft_trace_chunk(f, i)->event_buf == i;
}

/*
 * Returns whether the writer died before it started a new generation of its
 * event buffer, so that the buffer still holds the events of this chunk.
 */
static bool is_still_buffered(const struct weft_trace_file *f,
			      const struct trace_chunk *c, uint64_t state)
{
	const struct trace_chunk *event_buf;

	if (c->event_buf >= f->chunks)
		return false;
	event_buf = weft_trace_chunk(f, c->event_buf);
	return event_buf != c &&
	       weft_load64(&event_buf->state) / TRACE_GENERATION ==
		       state / TRACE_GENERATION;
}

uint32_t weft_trace_valid_bytes(const struct weft_trace_file *f, uint64_t i)
{
	const struct trace_chunk *c = weft_trace_chunk(f, i);
	size_t room = f->bytes - (size_t)((const char *)c - f->base);
	/*
	 * A2 pairs with R2 in weft_trace_put(), A3 with R3 in
	 * start_generation()
	 */
	uint64_t state = room < TRACE_CHUNK_HEAD ? 0 : weft_load64(&c->state);
	uint32_t used = TRACE_USED(state);

	if (room > TRACE_CHUNK)
		room = TRACE_CHUNK;
	if (!state)
		return 0;
	if (weft_trace_is_buffer(f, i)) {
		/*
		 * only events that have the event buffer's generation are valid
		 */
		const struct trace_entry *e =
			(const void *)((const char *)c + TRACE_CHUNK_HEAD);
		uint32_t generation = TRACE_MARK_GENERATION(
			TRACE_MARK(state / TRACE_GENERATION, 0));
		size_t most = (room - TRACE_CHUNK_HEAD) / sizeof(*e), n = 0;

		/* A1 pairs with R1 in weft_trace_entry() */
		while (n < most && TRACE_MARK_GENERATION(weft_load32(
					   &e[n].mark)) == generation)
			n++;
		return (uint32_t)(n * sizeof(*e));
	}
	if (used + TRACE_CHUNK_HEAD > room || used > TRACE_CHUNK ||
	    is_still_buffered(f, c, state))
		return 0;
	return used;
}

/*
 * Makes two passes over the chunks, and returns event buffers in the second
 * pass.
 */
const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer,
			    uint64_t *pos, size_t *bytes_p)
{
	while (*pos < 2 * f->chunks) {
		uint64_t i = *pos % f->chunks;
		bool second_pass = (*pos)++ >= f->chunks;
		const struct trace_chunk *c = weft_trace_chunk(f, i);
		uint32_t used = weft_trace_valid_bytes(f, i);

		if (!used || c->type != type ||
		    weft_trace_is_buffer(f, i) != second_pass ||
		    (writer != TRACE_ALL_WRITERS && c->writer != writer))
			continue;
		*bytes_p = used;
		return (const char *)c + TRACE_CHUNK_HEAD;
	}
	return NULL;
}

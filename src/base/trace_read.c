/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a trace, see trace.h. Its writers are other processes: what a chunk
 * says of itself is checked. */
#include "src/base/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int weft_trace_read(struct weft_trace_file *f, int fd)
{
	const struct trace_head *head;
	struct stat s;
	void *base;

	memset(f, 0, sizeof(*f));
	if (fstat(fd, &s) < 0 || s.st_size < TRACE_HEAD)
		return -EINVAL;
	base = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	head = base;
	f->base = base;
	f->bytes = (size_t)s.st_size;
	f->chunks = (f->bytes - TRACE_HEAD) / TRACE_CHUNK;
	f->lost = weft_load32(&head->lost);
	return 0;
}

void weft_trace_close(struct weft_trace_file *f)
{
	if (f->base)
		munmap((void *)(uintptr_t)f->base, f->bytes);
	memset(f, 0, sizeof(*f));
}

const void *weft_trace_next(const struct weft_trace_file *f,
			    enum trace_type type, uint32_t writer, uint64_t *at,
			    size_t *bytes_p)
{
	while (*at < f->chunks) {
		const char *p = f->base + TRACE_HEAD + (*at)++ * TRACE_CHUNK;
		const struct trace_chunk *c = (const void *)p;
		/* A1 pairs with R1 in weft_trace_put() */
		uint32_t used = weft_load32(&c->used);

		if (!used || c->type != type ||
		    used > TRACE_CHUNK - TRACE_CHUNK_HEAD ||
		    (writer != TRACE_ANYBODY && c->writer != writer))
			continue;
		*bytes_p = used;
		return p + TRACE_CHUNK_HEAD;
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a trace (job_trace.h). */
#include "src/job/job_trace.h"

#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Opens a file without a name. If O_TMPFILE is not supported, the file is
 * created with a name, which is removed immediately.
 */
static int open_unnamed(const char *dir)
{
	char name[PATH_MAX];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd < 0 ? -errno : fd;
	if (snprintf(name, sizeof(name), "%s/.weft-trace-XXXXXX", dir) >=
	    (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

static const char *directory_of(const char *file, char *dir, size_t len)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return ".";
	if (slash == file)
		return "/";
	snprintf(dir, len, "%.*s", (int)(slash - file), file);
	return dir;
}

/*
 * Reserves disk space before it is mapped, so that a full disk is an error here
 * and not a signal later. Writing zeros reserves space but allocates no blocks
 * until the kernel writes them back. A short job therefore has no blocks to
 * free at its end; freeing blocks may take long (mount option discard), in
 * proportion to their number.
 */
static int reserve_space(int fd, off_t offset, size_t bytes)
{
	enum { PIECE = 4096 };
	static const char zeros[PIECE];
	struct iovec iov[TRACE_CHUNK / PIECE];
	ssize_t n;

	for (size_t i = 0; i < bytes / PIECE; i++)
		iov[i] = (struct iovec){ (void *)(uintptr_t)zeros, PIECE };
	n = pwritev(fd, iov, (int)(bytes / PIECE), offset);
	if (n < 0)
		return -errno;
	return n == (ssize_t)bytes ? 0 : -ENOSPC;
}

int weft_trace_create(const char *file)
{
	const struct weft_clock_pair now = weft_clock_pair_now();
	const struct trace_head head = { .magic = TRACE_MAGIC,
					 .version = TRACE_VERSION,
					 .counted = weft_counter_usable(),
					 .counter = now.counter,
					 .ns = now.ns };
	char dir[PATH_MAX];
	int fd = open_unnamed(directory_of(file, dir, sizeof(dir)));
	int err;

	if (fd < 0)
		return fd;
	err = reserve_space(fd, 0, TRACE_HEAD);
	if (!err && pwrite(fd, &head, sizeof(head), 0) != sizeof(head))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static bool is_trace(const struct stat *s, int fd)
{
	struct trace_head head;

	return S_ISREG(s->st_mode) && s->st_uid == geteuid() &&
	       s->st_size >= TRACE_HEAD &&
	       pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       head.magic == TRACE_MAGIC && head.version == TRACE_VERSION;
}

int weft_trace_attach(struct weft_trace *t, int fd, uint32_t me)
{
	struct stat s;
	void *head;

	*t = (struct weft_trace){ .fd = -1, .me = me };
	if (fstat(fd, &s) < 0 || !is_trace(&s, fd))
		return -EINVAL;
	head = mmap(NULL, TRACE_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (head == MAP_FAILED)
		return -errno;
	t->head = head;
	t->fd = fd;
	return 0;
}

bool weft_trace_use_counter(struct weft_trace *t)
{
	t->counts = t->head && t->head->counted;
	return t->counts;
}

static uint64_t new_chunk_number(struct weft_trace *t)
{
	/* relaxed: the number only has to be unique */
	return atomic_fetch_add_explicit(&t->head->chunks, 1,
					 memory_order_relaxed);
}

static off_t chunk_offset(uint64_t i)
{
	return TRACE_HEAD + (off_t)i * TRACE_CHUNK;
}

static struct trace_chunk *chunk_new(struct weft_trace *t, enum trace_type type)
{
	uint64_t i = new_chunk_number(t);
	struct trace_chunk *c;

	if (reserve_space(t->fd, chunk_offset(i), TRACE_CHUNK))
		return NULL;
	c = mmap(NULL, TRACE_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd,
		 chunk_offset(i));
	if (c == MAP_FAILED)
		return NULL;
#ifdef MADV_POPULATE_WRITE
	/* old kernels ignore the advice: each page then causes a fault */
	madvise(c, TRACE_CHUNK, MADV_POPULATE_WRITE);
#endif
	c->type = type;
	c->writer = t->me;
	c->event_buf = type == TRACE_EVENTS ? (uint32_t)i : TRACE_NO_BUFFER;
	c->counted = t->counts;
	return c;
}

static void unmap_all(struct weft_trace *t)
{
	for (int i = 0; i < TRACE_TYPES; i++)
		if (t->chunk[i])
			munmap(t->chunk[i], TRACE_CHUNK);
	if (t->event_buf)
		munmap(t->event_buf, TRACE_CHUNK);
	if (t->head)
		munmap(t->head, TRACE_HEAD);
	*t = (struct weft_trace){ .fd = -1, .me = t->me };
}

static void stop_tracing(struct weft_trace *t)
{
	weft_add32(&t->head->lost, 1);
	unmap_all(t);
}

void weft_trace_put(struct weft_trace *t, enum trace_type type,
		    const void *record, size_t bytes)
{
	struct trace_chunk *c;
	uint64_t used;

	if (t->fd < 0 || bytes > TRACE_CHUNK - TRACE_CHUNK_HEAD)
		return;
	c = t->chunk[type];
	/* relaxed: only this writer accesses the state */
	used = c ? weft_load64_relaxed(&c->state) : 0;
	if (!c || used + bytes > TRACE_CHUNK - TRACE_CHUNK_HEAD) {
		if (c)
			munmap(c, TRACE_CHUNK);
		used = 0;
		c = t->chunk[type] = chunk_new(t, type);
		if (!c) {
			stop_tracing(t);
			return;
		}
	}
	memcpy((char *)c + TRACE_CHUNK_HEAD + used, record, bytes);
	/*
	 * R2 pairs with A2 in weft_trace_valid_bytes(): a record is valid when
	 * it is complete
	 */
	weft_store64(&c->state, used + bytes);
}

/* ---- events -------------------------------------------------------------- */

static struct trace_entry *buffer_entries(const struct weft_trace *t)
{
	return (void *)((char *)t->event_buf + TRACE_CHUNK_HEAD);
}

static bool write_buffer(struct weft_trace *t)
{
	size_t used = (size_t)((char *)t->next - (char *)buffer_entries(t));
	struct trace_chunk head = { .type = TRACE_EVENTS,
				    .writer = t->me,
				    .state = t->generation * TRACE_GENERATION +
					     used,
				    .event_buf = t->event_buf->event_buf,
				    .counted = t->counts };
	const struct iovec iov[] = {
		{ &head, sizeof(head) },
		{ buffer_entries(t), used },
	};

	return pwritev(t->fd, iov, 2, chunk_offset(new_chunk_number(t))) ==
	       TRACE_CHUNK_HEAD + (ssize_t)used;
}

static void start_generation(struct weft_trace *t)
{
	t->next = buffer_entries(t);
	t->end = t->next + (TRACE_CHUNK - TRACE_CHUNK_HEAD) / sizeof(*t->next);
	t->generation++;
	/*
	 * R3 pairs with A3 in weft_trace_valid_bytes(): the earlier events are
	 * in a chunk before the buffer becomes empty.
	 */
	weft_store64(&t->event_buf->state, t->generation * TRACE_GENERATION);
}

bool weft_trace_flush(struct weft_trace *t)
{
	bool ok;

	if (t->fd < 0)
		return false;
	if (t->event_buf)
		ok = write_buffer(t);
	else
		ok = (t->event_buf = chunk_new(t, TRACE_EVENTS)) != NULL;
	if (ok)
		start_generation(t);
	else
		stop_tracing(t);
	return ok;
}

void weft_trace_more(struct weft_trace *t, const struct trace_event *e)
{
	const struct trace_event more = { .kind = TRACE_MORE,
					  .size = e->size,
					  .root = e->root,
					  .word = e->root_rank };

	weft_trace_entry(t, &more);
}

struct trace_open *weft_trace_open_calls(struct weft_trace *t)
{
	return t->event_buf || weft_trace_flush(t) ? t->event_buf->open : NULL;
}

/*
 * Detaches from the trace after writing the event buffer to the file: after the
 * next attach this writer has another buffer, with a larger chunk number.
 */
void weft_trace_detach(struct weft_trace *t)
{
	for (int i = 0; t->event_buf && i < TRACE_THREADS; i++)
		weft_store32(&t->event_buf->open[i].id, 0);
	if (t->event_buf && t->next > buffer_entries(t) && write_buffer(t))
		start_generation(t);
	unmap_all(t);
}

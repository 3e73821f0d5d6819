/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes of aggregators (file_window.h). A window without gaps
 * between the data of the members is written by one call. With gaps, either
 * each run of data is written separately, or the gaps are read and everything
 * is written at once, under a lock of the range.
 */
#include "src/file/file_window.h"

#include "src/file/file_cover.h"
#include "src/file/file_io.h"
#include "src/file/file_layout.h"

#include <errno.h>
#include <stdlib.h>

#define BATCH	256
/* largest mean gap for which gaps are read, bytes */
#define GAP_MAX 8192

/* A window being written. */
struct store {
	struct weft_file *f;
	struct file_window w;
	char *buf;
	struct file_cover cover;
};

/* ---- marks --------------------------------------------------------------- */

/*
 * Returns the bitwise OR of the file offsets of all boundaries between data and
 * gaps; its low zero bits are their common alignment.
 */
static uint64_t boundaries(const struct store *s, const struct file_part *part)
{
	uint64_t bits = (uint64_t)s->w.offset;

	for (int i = 0; i < s->f->comm->size; i++) {
		if (!part[i].bytes)
			continue;
		bits |= (uint64_t)part[i].offset | (uint64_t)part[i].end;
		if (!file_part_is_run(&part[i]))
			bits |= weft_file_layout(s->f, i)->grain;
	}
	return bits;
}

/* Marks the pieces of one member. */
static void mark_part(struct store *s, const struct file_layout *l,
		      const struct file_part *part)
{
	struct iovec piece[BATCH];
	size_t pos = part->pos, end = part->pos + part->bytes, at = pos;

	if (file_part_is_run(part)) {
		file_cover_mark(&s->cover, (size_t)(part->offset - s->w.offset),
				part->bytes);
		return;
	}
	while (at < end) {
		int n = weft_pack_iov(&l->map, &pos, piece, BATCH);

		for (int i = 0; i < n && at < end; i++) {
			size_t len = piece[i].iov_len < end - at
					     ? piece[i].iov_len
					     : end - at;

			file_cover_mark(&s->cover,
					(size_t)piece[i].iov_base -
						(size_t)s->w.offset,
					len);
			at += len;
		}
	}
}

/* ---- writing ------------------------------------------------------------- */

/* Summary of the marked runs. */
struct extent {
	size_t first; /* offset in the window */
	size_t end;
	size_t bytes; /* marked bytes */
	size_t runs;
};

static struct extent extent_of(const struct store *s)
{
	struct extent e = { 0 };
	size_t at = 0, n;

	while (file_cover_next(&s->cover, &at, &n)) {
		if (!e.runs)
			e.first = at;
		e.end = at + n;
		e.bytes += n;
		e.runs++;
		at += n;
	}
	return e;
}

static int write_run(struct store *s, size_t at, size_t n)
{
	MPI_Offset offset = s->w.offset + (MPI_Offset)at;
	MPI_Offset end = offset + (MPI_Offset)n;
	bool locked = file_io_lock_shared(s->f, offset, end);
	size_t done;
	int rc = file_io_write(s->f, s->buf + at, n, offset, &done);

	if (locked)
		file_io_unlock(s->f, offset, end);
	return rc;
}

static int write_runs(struct store *s)
{
	size_t at = 0, n;
	int rc = 0;

	while (!rc && file_cover_next(&s->cover, &at, &n)) {
		rc = write_run(s, at, n);
		at += n;
	}
	return rc;
}

/* Copies the file's data between the marked runs from `old` to the buffer. */
static void fill_gaps(struct store *s, const struct extent *e, const char *old)
{
	size_t at = e->first, from = e->first, n;

	while (file_cover_next(&s->cover, &at, &n)) {
		memcpy(s->buf + from, old + (from - e->first), at - from);
		at += n;
		from = at;
	}
}

/* Reads the gaps and writes everything; the range is locked. */
static int rewrite(struct store *s, const struct extent *e, char *old)
{
	size_t span = e->end - e->first, done;
	MPI_Offset offset = s->w.offset + (MPI_Offset)e->first;
	ssize_t got = file_io_read(s->f, old, span, offset);

	if (got < 0)
		return (int)got;
	memset(old + got, 0, span - (size_t)got);
	fill_gaps(s, e, old);
	return file_io_write(s->f, s->buf + e->first, span, offset, &done);
}

/*
 * Writes the data with the gaps between the runs. Returns -EAGAIN if the range
 * cannot be locked or memory is exhausted.
 */
static int write_with_gaps(struct store *s, const struct extent *e)
{
	MPI_Offset offset = s->w.offset + (MPI_Offset)e->first;
	MPI_Offset end = s->w.offset + (MPI_Offset)e->end;
	char *old = malloc(e->end - e->first);
	int rc = -EAGAIN;

	if (old && !file_io_lock(s->f, offset, end)) {
		rc = rewrite(s, e, old);
		file_io_unlock(s->f, offset, end);
	}
	free(old);
	return rc;
}

static bool gaps_are_short(const struct store *s, const struct extent *e)
{
	size_t gaps = e->end - e->first - e->bytes;

	if (!s->f->locks || !(s->f->amode & MPI_MODE_RDWR) ||
	    s->f->hints.ds_write == FILE_DISABLE)
		return false;
	return gaps / (e->runs - 1) <= GAP_MAX;
}

static int store_all(struct store *s)
{
	struct extent e = extent_of(s);
	int rc = -EAGAIN;

	if (e.runs > 1 && gaps_are_short(s, &e))
		rc = write_with_gaps(s, &e);
	return rc == -EAGAIN ? write_runs(s) : rc;
}

int file_window_write(struct weft_file *f, struct file_window w, char *buf,
		      const struct file_part *part)
{
	struct store s = { .f = f, .w = w, .buf = buf };
	int rc = file_cover_open(&s.cover, (size_t)(w.end - w.offset),
				 boundaries(&s, part));

	if (rc)
		return rc;
	for (int i = 0; i < f->comm->size; i++)
		if (part[i].bytes)
			mark_part(&s, weft_file_layout(f, i), &part[i]);
	rc = store_all(&s);
	file_cover_close(&s.cover);
	return rc;
}

/* ---- reading ------------------------------------------------------------- */

MPI_Offset file_window_read(struct weft_file *f, struct file_window w,
			    char *buf, const struct file_part *part)
{
	MPI_Offset first = INT64_MAX, end = 0;
	ssize_t got;

	for (int i = 0; i < f->comm->size; i++) {
		if (!part[i].bytes)
			continue;
		first = part[i].offset < first ? part[i].offset : first;
		end = part[i].end > end ? part[i].end : end;
	}
	if (first >= end)
		return INT64_MAX;
	got = file_io_read(f, buf + (first - w.offset), (size_t)(end - first),
			   first);
	if (got < 0)
		return got;
	return got < end - first ? first + got : INT64_MAX;
}

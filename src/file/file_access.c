/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Independent accesses, by one of these methods:
 *
 *   file contiguous, memory contiguous    one pread or pwrite
 *   file contiguous, memory with gaps     preadv or pwritev of the pieces;
 *                                         short pieces are packed in a buffer
 *   file with small gaps                  data sieving: the range with its gaps
 *                                         is read at once, and written at once
 *                                         under a lock of the range
 *   file with large gaps                  one call for each piece of the file,
 *                                         or through a mapping (file_map.h)
 */
#include "src/file/file_access.h"

#include "src/file/file_io.h"
#include "src/file/file_layout.h"
#include "src/file/file_map.h"
#include "src/file/file_stream.h"

#include <errno.h>
#include <stdlib.h>

/* maximum number of memory pieces in one preadv or pwritev */
#define IOV_MAX_PIECES 256
/* memory pieces shorter than this, in bytes, are packed */
#define PIECE_MIN      2048
#define PACK_BYTES     ((size_t)1 << 20)
/*
 * Data sieving moves a piece and its gap, and copies the piece once more. Up to
 * this mean length of a piece with its gap, in bytes, this costs less than a
 * system call for each piece, if the file is in the page cache.
 */
#define SIEVE_MAX      3072

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- memory -------------------------------------------------------------- */

/* Returns whether the pieces of memory are so short that packing is faster. */
static bool mem_is_short(const struct file_range *r)
{
	int pieces = weft_pack_pieces(&r->mem, 1 << 30);

	return pieces && weft_typed_bytes(&r->mem) / (size_t)pieces < PIECE_MIN;
}

/*
 * Shortens the list of pieces to at most `bytes` bytes. Returns the number of
 * entries left; *bytes_p: their total length in bytes.
 */
static int iov_limit(struct iovec *iov, int n, size_t bytes, size_t *bytes_p)
{
	size_t sum = 0;
	int k;

	for (k = 0; k < n && sum < bytes; k++) {
		iov[k].iov_len = min_size(iov[k].iov_len, bytes - sum);
		sum += iov[k].iov_len;
	}
	*bytes_p = sum;
	return k;
}

/*
 * Describes at most `bytes` bytes of the memory, from position r->done on, as a
 * list of pieces. Returns the number of pieces.
 */
static int mem_iov(const struct file_range *r, size_t bytes, struct iovec *iov,
		   size_t *bytes_p)
{
	size_t pos = r->done;
	int n = weft_pack_iov(&r->mem, &pos, iov, IOV_MAX_PIECES);

	return iov_limit(iov, n, bytes, bytes_p);
}

/* ---- contiguous ranges of the file --------------------------------------- */

/*
 * Results of one step: MORE (more to move), END (the end of the file was
 * reached), or -errno.
 */
enum { MORE = 0, END = 1 };

/*
 * Adds the moved bytes to r->done. want: bytes requested; moved: bytes moved or
 * -errno.
 */
static int count_moved(struct file_range *r, size_t want, ssize_t moved)
{
	if (moved < 0)
		return (int)moved;
	r->done += (size_t)moved;
	return (size_t)moved < want ? END : MORE;
}

static int move_run(struct file_range *r, size_t bytes, MPI_Offset offset)
{
	size_t done;
	int rc;

	if (!r->write)
		return count_moved(
			r, bytes,
			file_io_read(r->f, file_stream_at(&r->mem, r->done),
				     bytes, offset));
	rc = file_io_write(r->f, file_stream_at(&r->mem, r->done), bytes,
			   offset, &done);
	r->done += done;
	return rc;
}

static int move_pieces(struct file_range *r, size_t bytes, MPI_Offset offset)
{
	struct iovec iov[IOV_MAX_PIECES];
	size_t part, done;
	int n, rc = MORE;

	for (; bytes && !rc; bytes -= part, offset += (MPI_Offset)part) {
		n = mem_iov(r, bytes, iov, &part);
		if (!r->write) {
			rc = count_moved(r, part,
					 file_io_readv(r->f, iov, n, offset));
			continue;
		}
		rc = file_io_writev(r->f, iov, n, offset, &done);
		r->done += done;
	}
	return rc;
}

static int read_packed(struct file_range *r, char *tmp, size_t bytes,
		       MPI_Offset offset)
{
	ssize_t got = file_io_read(r->f, tmp, bytes, offset);

	if (got > 0)
		weft_unpack(&r->mem, r->done, tmp, (size_t)got);
	return count_moved(r, bytes, got);
}

static int write_packed(struct file_range *r, char *tmp, size_t bytes,
			MPI_Offset offset)
{
	size_t done;
	int rc;

	weft_pack(&r->mem, r->done, tmp, bytes);
	rc = file_io_write(r->f, tmp, bytes, offset, &done);
	r->done += done;
	return rc;
}

static int move_packed(struct file_range *r, size_t bytes, MPI_Offset offset)
{
	size_t room = min_size(bytes, PACK_BYTES), part;
	char *tmp = malloc(room);
	int rc = MORE;

	if (!tmp)
		return move_pieces(r, bytes, offset);
	for (; bytes && !rc; bytes -= part, offset += (MPI_Offset)part) {
		part = min_size(bytes, room);
		rc = r->write ? write_packed(r, tmp, part, offset)
			      : read_packed(r, tmp, part, offset);
	}
	free(tmp);
	return rc;
}

/* Moves a contiguous range of the file. */
static int move_contig(struct file_range *r, size_t bytes, MPI_Offset offset)
{
	if (file_stream_is_run(&r->mem))
		return move_run(r, bytes, offset);
	return mem_is_short(r) ? move_packed(r, bytes, offset)
			       : move_pieces(r, bytes, offset);
}

/*
 * As move_contig(), but a write holds a lock on the range if other members may
 * sieve.
 */
static int move_locked(struct file_range *r, size_t bytes, MPI_Offset offset)
{
	MPI_Offset end = offset + (MPI_Offset)bytes;
	bool locked = r->write && file_io_lock_shared(r->f, offset, end);
	int rc = move_contig(r, bytes, offset);

	if (locked)
		file_io_unlock(r->f, offset, end);
	return rc;
}

/* ---- data sieving -------------------------------------------------------- */

/* A part of the range that is moved at once, with its gaps. */
struct sieve {
	char *buf;
	size_t room;
	MPI_Offset offset; /* start of the range in the file */
	MPI_Offset end;
	size_t bytes; /* bytes of data in the range */
};

/* Finds the next part of the range, which fits in the buffer. */
static void sieve_next(struct sieve *s, const struct file_range *r)
{
	size_t pos = r->pos + r->done, fits;

	s->offset = file_layout_offset(r->layout, pos);
	fits = file_layout_pos(r->layout, s->offset + (MPI_Offset)s->room);
	s->bytes = min_size(fits - pos, r->bytes - r->done);
	s->end = file_layout_end(r->layout, pos, s->bytes);
}

/* Returns whether the gaps are short enough for data sieving. */
static bool sieve_pays(const struct sieve *s, const struct file_range *r,
		       enum file_switch use)
{
	const struct file_layout *l = r->layout;
	size_t span = (size_t)(s->end - s->offset), pieces;

	if (use != FILE_AUTO || span == s->bytes)
		return use == FILE_ENABLE || span == s->bytes;
	pieces = s->bytes / ((size_t)l->dt->size / (size_t)l->pieces + 1) + 1;
	return pieces > 1 && span / pieces <= SIEVE_MAX;
}

/*
 * Copies between the sieving buffer and the application's memory; both may have
 * gaps.
 */
static void sieve_copy(const struct sieve *s, const struct file_range *r,
		       size_t bytes)
{
	struct weft_typed view = file_layout_at(r->layout, s->buf, s->offset);
	size_t pos = r->pos + r->done;

	if (r->write)
		file_stream_copy(&view, pos, &r->mem, r->done, bytes);
	else
		file_stream_copy(&r->mem, r->done, &view, pos, bytes);
}

static int sieve_read(const struct sieve *s, struct file_range *r)
{
	ssize_t got = file_io_read(r->f, s->buf, (size_t)(s->end - s->offset),
				   s->offset);
	size_t pos = r->pos + r->done, bytes = s->bytes;

	if (got < 0)
		return (int)got;
	if (got < s->end - s->offset)
		bytes = file_layout_pos(r->layout, s->offset + got) - pos;
	sieve_copy(s, r, bytes);
	r->done += bytes;
	return bytes < s->bytes ? END : MORE;
}

/*
 * Reads the range with its gaps, stores the data between the gaps, and writes
 * the range. The caller holds the lock of the range.
 */
static int sieve_write(const struct sieve *s, struct file_range *r)
{
	size_t span = (size_t)(s->end - s->offset), done;
	ssize_t got = 0;
	int rc;

	if (span != s->bytes)
		got = file_io_read(r->f, s->buf, span, s->offset);
	if (got < 0)
		return (int)got;
	memset(s->buf + got, 0, span - (size_t)got);
	sieve_copy(s, r, s->bytes);
	rc = file_io_write(r->f, s->buf, span, s->offset, &done);
	r->done +=
		rc ? file_layout_pos(r->layout, s->offset + (MPI_Offset)done) -
				(r->pos + r->done)
		   : s->bytes;
	return rc;
}

/* Moves one part. Returns -EAGAIN if sieving is not possible. */
static int sieve_move(const struct sieve *s, struct file_range *r)
{
	int rc;

	if (!r->write)
		return sieve_read(s, r);
	if (file_io_lock(r->f, s->offset, s->end))
		return -EAGAIN;
	rc = sieve_write(s, r);
	file_io_unlock(r->f, s->offset, s->end);
	return rc;
}

/* ---- ranges with gaps ---------------------------------------------------- */

/* Moves the next piece, at most `most` bytes. */
static int move_piece(struct file_range *r, size_t most)
{
	size_t pos = r->pos + r->done;
	struct iovec piece;

	weft_pack_iov(&r->layout->map, &pos, &piece, 1);
	return move_contig(r, min_size(piece.iov_len, most),
			   (MPI_Offset)(uintptr_t)piece.iov_base);
}

/*
 * Moves pieces through the mapping of the file, at most `most` bytes. Returns
 * whether it moved any; a single piece is left to pread() or pwrite().
 */
static bool move_mapped(struct file_range *r, size_t most)
{
	struct iovec at[IOV_MAX_PIECES], mem[IOV_MAX_PIECES];
	size_t pos = r->pos + r->done, bytes, part;
	int k = weft_pack_iov(&r->layout->map, &pos, at, IOV_MAX_PIECES), n;
	ssize_t moved;

	k = iov_limit(at, k, most, &bytes);
	n = mem_iov(r, bytes, mem, &part);
	k = iov_limit(at, k, part, &bytes);
	if (k < 2)
		return false;
	moved = file_map_move(r->f, r->write, mem, n, at, k);
	if (moved > 0)
		r->done += (size_t)moved;
	return moved > 0;
}

/*
 * Moves the data of a part piece by piece. A writer locks the whole part; other
 * writers that move data piece by piece may share this lock.
 */
static int move_each(struct file_range *r, size_t bytes)
{
	size_t begin = r->pos + r->done, end = r->done + bytes;
	MPI_Offset first = file_layout_offset(r->layout, begin);
	MPI_Offset last = file_layout_end(r->layout, begin, bytes);
	bool locked = r->write && file_io_lock_shared(r->f, first, last);
	bool mapped = file_layout_is_ordered(r->layout, begin, bytes) &&
		      file_map_holds(r->f, r->write, last);
	int rc = MORE;

	while (r->done < end && !rc) {
		mapped = mapped && move_mapped(r, end - r->done);
		if (!mapped)
			rc = move_piece(r, end - r->done);
	}
	if (locked)
		file_io_unlock(r->f, first, last);
	return rc;
}

/*
 * Returns the hint for data sieving, or FILE_DISABLE if the mode of the file
 * does not allow sieving.
 */
static enum file_switch sieve_use(const struct file_range *r)
{
	const struct weft_file *f = r->f;

	if (!r->write)
		return f->hints.ds_read;
	/*
	 * sieving reads the gaps, and needs locks that other writers take as
	 * well
	 */
	return f->locks && f->amode & MPI_MODE_RDWR ? f->hints.ds_write
						    : FILE_DISABLE;
}

/* Returns the size of the sieving buffer. */
static size_t sieve_room(const struct file_range *r)
{
	MPI_Offset first = file_layout_offset(r->layout, r->pos);
	MPI_Offset end = file_layout_end(r->layout, r->pos, r->bytes);

	return min_size((size_t)(end - first),
			r->write ? r->f->hints.wr_bytes : r->f->hints.rd_bytes);
}

static int move_gaps(struct file_range *r)
{
	enum file_switch use = sieve_use(r);
	struct sieve s = { 0 };
	int rc = MORE;

	if (use == FILE_DISABLE ||
	    !file_layout_is_ordered(r->layout, r->pos, r->bytes))
		return move_each(r, r->bytes);
	s.room = sieve_room(r);
	s.buf = malloc(s.room);
	while (r->done < r->bytes && !rc) {
		sieve_next(&s, r);
		rc = -EAGAIN;
		if (s.buf && sieve_pays(&s, r, use))
			rc = sieve_move(&s, r);
		if (rc == -EAGAIN)
			rc = move_each(r, s.bytes);
	}
	free(s.buf);
	return rc;
}

int file_range_move(struct file_range *r)
{
	MPI_Offset first;
	int rc;

	r->done = 0;
	if (!r->bytes)
		return 0;
	first = file_layout_offset(r->layout, r->pos);
	if (r->layout->contig ||
	    (file_layout_is_ordered(r->layout, r->pos, r->bytes) &&
	     file_layout_end(r->layout, r->pos, r->bytes) - first ==
		     (MPI_Offset)r->bytes))
		rc = move_locked(r, r->bytes, first);
	else
		rc = move_gaps(r);
	return rc == END ? 0 : rc;
}

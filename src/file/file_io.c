/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that read and write, and range locks (file_io.h). */
#include "src/file/file_io.h"

#include "src/core/core_state.h"
#include "src/file/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

/* shortest write through the mapping of the file, bytes */
#define MAPPED_MIN ((size_t)64 << 10)

/* ---- moving -------------------------------------------------------------- */

static ssize_t move_some(const struct weft_file *f, bool write,
			 const struct iovec *iov, int n, MPI_Offset offset)
{
	if (!f->seekable)
		return write ? writev(f->fd, iov, n) : readv(f->fd, iov, n);
	if (n == 1 && write)
		return pwrite(f->fd, iov->iov_base, iov->iov_len, offset);
	if (n == 1)
		return pread(f->fd, iov->iov_base, iov->iov_len, offset);
	return write ? pwritev(f->fd, iov, n, offset)
		     : preadv(f->fd, iov, n, offset);
}

static uint64_t iov_bytes(const struct iovec *iov, int n)
{
	uint64_t sum = 0;

	for (int k = 0; k < n; k++)
		sum += iov[k].iov_len;
	return sum;
}

/*
 * Removes the first `bytes` bytes from the list of pieces. Returns the number
 * of entries left.
 */
static int iov_skip(struct iovec **iov, int n, size_t bytes)
{
	while (n > 0 && bytes >= (*iov)->iov_len) {
		bytes -= (*iov)->iov_len;
		(*iov)++;
		n--;
	}
	if (n > 0) {
		(*iov)->iov_base = (char *)(*iov)->iov_base + bytes;
		(*iov)->iov_len -= bytes;
	}
	return n;
}

/* Blocks for as long as the access takes on the modelled machine. */
static void take_time(bool write, size_t bytes)
{
	if (weft_core.backend->file_time)
		weft_core.backend->file_time(bytes, write);
}

/*
 * Writes through the mapping of the file. Returns the number of bytes, or -1:
 * not possible. Reads use pread(), which is as fast, because the kernel lets
 * readers run concurrently.
 */
static ssize_t write_mapped(const struct weft_file *f, const struct iovec *iov,
			    int n, MPI_Offset offset)
{
	struct iovec at = { (void *)(uintptr_t)offset, iov_bytes(iov, n) };

	if (at.iov_len < MAPPED_MIN ||
	    !file_map_holds(f, true, offset + (MPI_Offset)at.iov_len))
		return -1;
	return file_map_move(f, true, iov, n, &at, 1);
}

/* Moves all bytes, or up to the end of the file. Returns 0 or -errno. */
static int move_all(const struct weft_file *f, bool write, struct iovec *iov,
		    int n, MPI_Offset offset, size_t *done_p)
{
	*done_p = 0;
	n = iov_skip(&iov, n, 0);
	while (n > 0) {
		MPI_Offset at = offset + (MPI_Offset)*done_p;
		ssize_t moved = write ? write_mapped(f, iov, n, at) : -1;

		if (moved < 0)
			moved = move_some(f, write, iov, n, at);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved < 0)
			return -errno;
		take_time(write, (size_t)moved);
		if (moved == 0)
			return write ? -EIO : 0;
		*done_p += (size_t)moved;
		n = iov_skip(&iov, n, (size_t)moved);
	}
	return 0;
}

ssize_t file_io_readv(const struct weft_file *f, struct iovec *iov, int n,
		      MPI_Offset offset)
{
	size_t done;
	int rc = move_all(f, false, iov, n, offset, &done);

	return rc ? rc : (ssize_t)done;
}

ssize_t file_io_read(const struct weft_file *f, void *buf, size_t bytes,
		     MPI_Offset offset)
{
	struct iovec iov = { buf, bytes };

	return file_io_readv(f, &iov, 1, offset);
}

/* ---- writing ------------------------------------------------------------- */

/*
 * Shortens the list of pieces to at most `bytes` bytes. Returns the number of
 * entries left.
 */
static int iov_cut(struct iovec *iov, int n, uint64_t bytes)
{
	int k;

	for (k = 0; k < n && bytes; k++) {
		if (iov[k].iov_len > bytes)
			iov[k].iov_len = (size_t)bytes;
		bytes -= iov[k].iov_len;
	}
	return k;
}

/*
 * A write that begins at the file size limit of the process (RLIMIT_FSIZE)
 * would end the process with SIGXFSZ, so writes are truncated at the limit
 * here.
 */
int file_io_writev(const struct weft_file *f, struct iovec *iov, int n,
		   MPI_Offset offset, size_t *done_p)
{
	uint64_t room = f->max_size > (uint64_t)offset
				? f->max_size - (uint64_t)offset
				: 0;
	bool cut = f->seekable && iov_bytes(iov, n) > room;
	int rc;

	if (cut)
		n = iov_cut(iov, n, room);
	rc = move_all(f, true, iov, n, offset, done_p);
	return rc || !cut ? rc : -EFBIG;
}

int file_io_write(const struct weft_file *f, const void *buf, size_t bytes,
		  MPI_Offset offset, size_t *done_p)
{
	/* the cast is safe: writev() only reads the memory */
	struct iovec iov = { (void *)(uintptr_t)buf, bytes };

	return file_io_writev(f, &iov, 1, offset, done_p);
}

/* ---- range locks --------------------------------------------------------- */

static int range_lock(const struct weft_file *f, short type, MPI_Offset offset,
		      MPI_Offset end)
{
	struct flock l = { .l_type = type,
			   .l_whence = SEEK_SET,
			   .l_start = offset,
			   .l_len = end - offset };

	/*
	 * locks of the open file description: close() by another thread does
	 * not release them
	 */
	while (fcntl(f->fd, F_OFD_SETLKW, &l))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int lock_as(struct weft_file *f, short type, MPI_Offset offset,
		   MPI_Offset end)
{
	int rc;

	pthread_mutex_lock(&f->range_mutex);
	rc = range_lock(f, type, offset, end);
	if (rc)
		pthread_mutex_unlock(&f->range_mutex);
	return rc;
}

int file_io_lock(struct weft_file *f, MPI_Offset offset, MPI_Offset end)
{
	return lock_as(f, F_WRLCK, offset, end);
}

bool file_io_lock_shared(struct weft_file *f, MPI_Offset offset, MPI_Offset end)
{
	/* gaps are rewritten only if the file is open for reading, too */
	return f->locks && f->amode & MPI_MODE_RDWR &&
	       !lock_as(f, F_RDLCK, offset, end);
}

void file_io_unlock(struct weft_file *f, MPI_Offset offset, MPI_Offset end)
{
	range_lock(f, F_UNLCK, offset, end);
	pthread_mutex_unlock(&f->range_mutex);
}

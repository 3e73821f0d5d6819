/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that read, write and lock ranges of the file by system calls; reads
 * and writes are repeated until all bytes are moved or the end of the file is
 * reached. None of these functions uses MPI, because worker threads call them,
 * too.
 */
#ifndef WEFT_FILE_IO_H
#define WEFT_FILE_IO_H

#include "src/file/file.h"

#include <sys/types.h>

/*
 * Move bytes at an offset. Reads return the number of bytes, which is less than
 * requested only at the end of the file, or -errno. Writes return 0 or -errno
 * and set *done_p to the number of bytes written, also after an error. iov is
 * changed.
 */
ssize_t file_io_read(const struct weft_file *f, void *buf, size_t bytes,
		     MPI_Offset offset);
ssize_t file_io_readv(const struct weft_file *f, struct iovec *iov, int n,
		      MPI_Offset offset);
int file_io_write(const struct weft_file *f, const void *buf, size_t bytes,
		  MPI_Offset offset, size_t *done_p);
int file_io_writev(const struct weft_file *f, struct iovec *iov, int n,
		   MPI_Offset offset, size_t *done_p);

/*
 * Locks the range exclusively, against all other members that lock ranges
 * before they write, in this and in other processes. Returns 0 or -errno: no
 * lock is held, and the caller must not rewrite bytes that it did not change.
 */
int file_io_lock(struct weft_file *f, MPI_Offset offset, MPI_Offset end);
/*
 * Locks the range against members that rewrite gaps, if there may be such
 * members; other members may hold a shared lock at the same time. Returns
 * whether a lock is held.
 */
bool file_io_lock_shared(struct weft_file *f, MPI_Offset offset,
			 MPI_Offset end);
void file_io_unlock(struct weft_file *f, MPI_Offset offset, MPI_Offset end);

#endif

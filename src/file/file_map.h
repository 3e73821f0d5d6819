/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of a file on tmpfs through a mapping. The kernel executes one
 * write() of a file at a time, and one call moves one range; a copy between
 * memory and the mapping needs no system call and does not exclude other
 * processes. If another process shortens the file, the copy raises SIGBUS,
 * which a guard (src/os/guard.h) catches. If the program has its own handler of
 * SIGBUS, process_vm_readv() and process_vm_writev() on the mapping are used
 * instead: these return an error after a fault.
 *
 * Only ranges before the end of the file are moved in this way; they are
 * written only if the file has no holes, so that no page has to be allocated.
 * If a function cannot move the bytes, the caller uses pread() and pwrite(),
 * which report the error.
 */
#ifndef WEFT_FILE_MAP_H
#define WEFT_FILE_MAP_H

#include "src/file/file.h"

#include <sys/types.h>
#include <sys/uio.h>

/* Allocates f->map, without mapping the file. Returns 0 or -ENOMEM. */
int file_map_open(struct weft_file *f);
void file_map_close(struct weft_file *f);

/*
 * Returns whether the bytes before `end` can be moved through the mapping; maps
 * the file at the first call.
 */
bool file_map_holds(const struct weft_file *f, bool write, MPI_Offset end);

/*
 * Moves bytes between memory and pieces of the file; the iov_base of a piece in
 * `at` is its file offset. Both lists have the same total length; `at` is
 * changed. Returns the number of bytes moved, or -1.
 */
ssize_t file_map_move(const struct weft_file *f, bool write,
		      const struct iovec *mem, int n, struct iovec *at, int k);

/*
 * Updates the file's modification time, which stores through a mapping do not
 * update.
 */
void file_map_stamp(const struct weft_file *f);

#endif

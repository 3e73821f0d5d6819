/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of a file on tmpfs through a mapping. The kernel executes one
 * write() of a file at a time, and one call moves one range; a copy between
 * memory and the mapping makes no call and excludes no other process. If
 * another process shortens the file, the copy raises SIGBUS, which a guard
 * (src/os/guard.h) catches. If the program has its own handler of SIGBUS,
 * process_vm_readv() and process_vm_writev() on the mapping are used instead:
 * these return an error.
 *
 * Only ranges before the end of the file are moved in this way, and written
 * only if the file has no holes: no page is allocated. If a function cannot
 * move the bytes, the caller uses pread() and pwrite(), which report the error.
 */
#ifndef WEFT_FILE_MAP_H
#define WEFT_FILE_MAP_H

#include "src/file/file.h"

#include <sys/types.h>
#include <sys/uio.h>

/* Allocates f->map, without mapping the file. Returns 0 or -ENOMEM. */
int file_map_open(struct weft_file *f);
void file_map_close(struct weft_file *f);

/* Returns whether the bytes before `end` can be moved; maps the file. */
bool file_map_holds(const struct weft_file *f, bool write, MPI_Offset end);

/*
 * Moves bytes between memory and pieces of the file, whose iov_base is their
 * offset. Both lists have the same number of bytes; `at` is changed. Returns
 * the number of bytes moved, or -1.
 */
ssize_t file_map_move(const struct weft_file *f, bool write,
		      const struct iovec *mem, int n, struct iovec *at, int k);

/* Updates the time of the last change, which a mapping does not update. */
void file_map_stamp(const struct weft_file *f);

#endif

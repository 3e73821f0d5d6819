/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Independent accesses: a range of the stream of a view, and memory. The caller
 * has prepared the operation (file_op.h); this code only calls the operating
 * system, so that worker threads can execute it.
 */
#ifndef WEFT_FILE_ACCESS_H
#define WEFT_FILE_ACCESS_H

#include "src/file/file.h"

/*
 * A range of the stream, and the memory; both are in the file's representation.
 */
struct file_range {
	struct weft_file *f;
	struct file_layout *layout;
	bool write;
	size_t pos;   /* position in the stream, bytes */
	size_t bytes; /* length */
	struct weft_typed mem;
	size_t done; /* bytes moved so far */
};

/*
 * Moves the range. Returns 0 or -errno. r->done is less than r->bytes at the
 * end of the file and after errors.
 */
int file_range_move(struct file_range *r);

#endif

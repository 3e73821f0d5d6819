/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An access in progress: the range of the stream, and the memory in the file's
 * representation. If the representation is not that of the memory, the data is
 * converted in a buffer: before a write, after a read. Data in device memory is
 * copied to host memory before a write, and from there after a read.
 */
#ifndef WEFT_FILE_OP_H
#define WEFT_FILE_OP_H

#include "src/file/file_access.h"

struct file_op {
	struct file_range range;
	struct weft_typed user; /* the application's memory, or its host copy */
	struct weft_typed device; /* the application's device memory */
	void *host_copy; /* memory of user.buf; NULL: no device memory */
	/* representation of the file; NULL: no conversion */
	const struct weft_file_rep *rep;
	struct weft_dt *dt; /* user.dt in the file's representation */
	char *converted;    /* buffer of range.bytes bytes, or NULL */
	int error;	    /* result: 0 or -errno */
};

/* Prepares an access; holds references on the file and the types. */
int file_op_open(struct file_op *op, const struct weft_file_access *a);
/*
 * Converts the data that was read. Returns the number of bytes of the
 * application's memory that were accessed, or -errno.
 */
MPI_Count file_op_finish(struct file_op *op);
void file_op_close(struct file_op *op);

#endif

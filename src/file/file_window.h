/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An aggregator's window: the buffer between the members' data and the file.
 * These functions do not communicate, so worker threads may call them.
 */
#ifndef WEFT_FILE_WINDOW_H
#define WEFT_FILE_WINDOW_H

#include "src/file/file_plan.h"

/*
 * Writes the parts of all members from buf to the file; buf[0] belongs at
 * offset w.offset of the file. Returns 0 or -errno.
 */
int file_window_write(struct weft_file *f, struct file_window w, char *buf,
		      const struct file_part *part);

/*
 * Reads the range of all parts into buf. Returns the offset at which the file
 * ends, INT64_MAX if the range does not contain the end, or -errno.
 */
MPI_Offset file_window_read(struct weft_file *f, struct file_window w,
			    char *buf, const struct file_part *part);

#endif

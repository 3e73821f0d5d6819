/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions of data representations. */
#ifndef WEFT_FILE_REP_H
#define WEFT_FILE_REP_H

#include "src/file/file.h"

/*
 * Returns whether the file's representation of data differs from that in
 * memory.
 */
bool file_rep_converts(const struct weft_file_rep *rep);

/*
 * Convert all elements of t to or from the bytes at `file`. Return 0 or
 * -WEFT_FILE_CONVERSION.
 */
int file_rep_write(const struct weft_file_rep *rep, const struct weft_typed *t,
		   void *file);
int file_rep_read(const struct weft_file_rep *rep, const struct weft_typed *t,
		  void *file);

/* Gets the size of a predefined type in the file, bytes. */
int file_rep_basic(const struct weft_file_rep *rep, const struct weft_dt *dt,
		   MPI_Count *bytes_p);

#endif

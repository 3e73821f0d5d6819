/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of an output file (report, page, trace) before the result is computed:
 * an error at the end of a long computation would lose the result.
 */
#ifndef WEFT_OUTFILE_H
#define WEFT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_OUTFILE_WHY = 256 };

/* Texts in the first 512 bytes that identify files of Weft's programs. */
#define WEFT_OUTFILE_PAGE   "content=\"Weft "
#define WEFT_OUTFILE_TRACE  "\"displayTimeUnit\""
#define WEFT_OUTFILE_REPORT "report: |fault awareness"

/*
 * Checks whether a result can be written to `file`. An existing regular file is
 * replaced only if it is empty or contains one of the marks (separated by '|'),
 * so that no program or source file is overwritten. Pipes, terminals and
 * character devices are allowed; a device that accepts no data (/dev/full) is
 * refused. Returns 0, or -EINVAL and the reason in `why`, without the file
 * name.
 */
int weft_outfile_check(const char *file, const char *marks,
		       char why[WEFT_OUTFILE_WHY]);

/*
 * Checks whether results can be written to the directory `dir`, which must not
 * exist or must be empty. Returns 0, or -EINVAL and the reason in `why`.
 */
int weft_outfile_check_dir(const char *dir, char why[WEFT_OUTFILE_WHY]);

/*
 * Returns whether `file` is a pipe, a terminal or a device. These are written
 * directly and not through a temporary file that is renamed.
 */
bool weft_outfile_is_stream(const char *file);

#endif

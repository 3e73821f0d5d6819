/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a result that takes long to compute (report, page, trace): it is
 * checked before the work begins, because an error at the end loses the result.
 */
#ifndef WEFT_OUTFILE_H
#define WEFT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_OUTFILE_WHY = 256 };

/* What the files of this program contain within their first 512 bytes. */
#define WEFT_OUTFILE_PAGE   "content=\"Weft "
#define WEFT_OUTFILE_TRACE  "\"displayTimeUnit\""
#define WEFT_OUTFILE_REPORT "report: |fault awareness"

/*
 * Whether a result can be written to file. A regular file that exists is
 * replaced only if it is empty or contains one of the marks (separated by
 * '|'), so that no program or source file is lost. Pipes, terminals and
 * character devices are allowed; a device that takes no byte (/dev/full) is
 * refused. 0, or -EINVAL and the reason in why, without the name of the file.
 */
int weft_outfile_check(const char *file, const char *marks,
		       char why[WEFT_OUTFILE_WHY]);

/* The same for a directory of results: it must not exist, or be empty. */
int weft_outfile_check_dir(const char *dir, char why[WEFT_OUTFILE_WHY]);

/* Not a regular file: a pipe, a terminal, a device. It must be written as it
 * is, without a temporary name beside it. */
bool weft_outfile_is_stream(const char *file);

#endif

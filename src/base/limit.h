/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resource limits of a process (setrlimit) as the possible cause of a failure.
 * Each weft_limit_* function with an argument `text` writes the end of an error
 * message, with the numbers, to text and returns text. The text is empty if
 * there is no limit, so that it can be appended to any error message.
 */
#ifndef WEFT_BASE_LIMIT_H
#define WEFT_BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_LIMIT_TEXT 160

/*
 * Describes the address space limit. bytes: size of the failed request; 0: not
 * known.
 */
const char *weft_limit_space(char text[WEFT_LIMIT_TEXT], size_t bytes);
/*
 * Describes the limit of the file size. bytes: requested size of the file; a
 * memfd counts as a file.
 */
const char *weft_limit_file(char text[WEFT_LIMIT_TEXT], size_t bytes);
const char *weft_limit_files(char text[WEFT_LIMIT_TEXT]);
/*
 * Describes the limit of processes and threads. tasks: number of processes and
 * threads that are needed.
 */
const char *weft_limit_tasks(char text[WEFT_LIMIT_TEXT], unsigned tasks);
/*
 * Describes the limit that prevents another thread: address space for its
 * stack, or the number of processes and threads.
 */
const char *weft_limit_thread(char text[WEFT_LIMIT_TEXT], unsigned tasks);

/* If this host forbids memfd_create(), writes a hint that says so. */
const char *weft_limit_memfd(char text[WEFT_LIMIT_TEXT]);

/*
 * Returns whether a file may have that length; growing a file beyond the limit
 * would raise SIGXFSZ.
 */
bool weft_limit_file_ok(size_t bytes);
/*
 * Creates and joins a thread. Returns 0, or -errno if this is not possible now.
 */
int weft_limit_try_thread(void);

#endif

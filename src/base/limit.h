/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resource limits of a process (setrlimit), as the cause of a failure: the end
 * of an error message, with the numbers. Empty if there is no limit, so that it
 * can follow any error. All return text.
 */
#ifndef WEFT_BASE_LIMIT_H
#define WEFT_BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_LIMIT_TEXT 160

/* Address space: this number of bytes more was requested; 0: not known. */
const char *weft_limit_space(char text[WEFT_LIMIT_TEXT], size_t bytes);
/* A file of that length; a memfd counts as a file. */
const char *weft_limit_file(char text[WEFT_LIMIT_TEXT], size_t bytes);
/* File descriptors. */
const char *weft_limit_files(char text[WEFT_LIMIT_TEXT]);
/* Processes and threads: the total number needed. */
const char *weft_limit_tasks(char text[WEFT_LIMIT_TEXT], unsigned tasks);
/*
 * A thread: address space for its stack, or the number of processes and
 * threads.
 */
const char *weft_limit_thread(char text[WEFT_LIMIT_TEXT], unsigned tasks);

/* Shared memory on a host that forbids memfd_create(). */
const char *weft_limit_memfd(char text[WEFT_LIMIT_TEXT]);

/*
 * Whether a file may have that length; if not, growing it would raise SIGXFSZ.
 */
bool weft_limit_file_ok(size_t bytes);
/* Whether another thread can be created now: 0 or -errno. */
int weft_limit_try_thread(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of a process (setrlimit), as the reason why something could not be
 * had: the end of a sentence for people, with the numbers. Empty where there is
 * no such limit, so that it may stand behind any error. All return text.
 */
#ifndef WEFT_BASE_LIMIT_H
#define WEFT_BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_LIMIT_TEXT 160

/* Addresses: so many bytes more were wanted; 0: it is not known how many. */
const char *weft_limit_space(char text[WEFT_LIMIT_TEXT], size_t bytes);
/* A file of that length, which a memfd is, too. */
const char *weft_limit_file(char text[WEFT_LIMIT_TEXT], size_t bytes);
/* Descriptors. */
const char *weft_limit_files(char text[WEFT_LIMIT_TEXT]);
/* Processes and threads: so many are needed in all. */
const char *weft_limit_tasks(char text[WEFT_LIMIT_TEXT], unsigned tasks);
/* A thread: addresses for its stack, or one of so many processes and all. */
const char *weft_limit_thread(char text[WEFT_LIMIT_TEXT], unsigned tasks);

/* Memory that processes share, where the host forbids memfd_create(). */
const char *weft_limit_memfd(char text[WEFT_LIMIT_TEXT]);

/* Whether a file may be that long; where not, trying would be deadly. */
bool weft_limit_fits_file(size_t bytes);
/* Whether another thread can be had now: 0 or -errno. */
int weft_limit_try_thread(void);

#endif

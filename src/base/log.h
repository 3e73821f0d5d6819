/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to people, on stderr, one line each, whole. WEFT_LOG sets what is
 * shown: error, warn (default), info, debug. Who first knows the cause logs
 * it, once, in lower case, with values.
 *
 *   weft[3]: warn: shm: peer 7 is gone (pid 4711)
 */
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

#include "src/base/attr.h"

#include <stdbool.h>

enum weft_log_level {
	WEFT_LOG_ERROR,
	WEFT_LOG_WARN,
	WEFT_LOG_INFO,
	WEFT_LOG_DEBUG,
};

/* Shown before every line: the rank, once it is known; -1 shows none. */
void weft_log_set_rank(int rank);
void weft_log(enum weft_log_level level, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_COLD;

/*
 * Likewise, but of all ranks that mpiexec started only the first says it: for
 * what is the same in all of them, such as a variable that nobody knows.
 */
void weft_log_once(enum weft_log_level level, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_COLD;
/* Has no other rank said this text? Always true without mpiexec. */
bool weft_log_first(const char *text) WEFT_COLD;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to users on stderr, one complete line each. WEFT_LOG sets the level:
 * error, warn (default), info, debug. The function that first detects an error
 * logs its cause, once, in lower case, with values.
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

/* Sets the rank that the prefix of every line contains; -1: no rank. */
void weft_log_set_rank(int rank);
void weft_log(enum weft_log_level level, const char *fmt, ...)
	WEFT_PRINTF(2, 3) WEFT_COLD;
bool weft_log_shows(enum weft_log_level level);

#endif

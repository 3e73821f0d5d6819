/* SPDX-License-Identifier: BSD-3-Clause */
/* Log messages. The level is read from the environment once. */
#include "src/base/log.h"
#include "src/base/atomic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warn", "info", "debug" };

static _Atomic int log_level = -1;
static _Atomic int log_rank = -1;

static int level_from_env(void)
{
	const char *s = getenv("WEFT_LOG");

	for (int i = 0; s && i < (int)WEFT_COUNT_OF(level_names); i++) {
		if (!strcmp(s, level_names[i]))
			return i;
	}
	return WEFT_LOG_WARN;
}

void weft_log_set_rank(int rank)
{
	atomic_store_explicit(&log_rank, rank, memory_order_relaxed);
}

bool weft_log_shows(enum weft_log_level level)
{
	/* relaxed: every thread computes the same value */
	int now = atomic_load_explicit(&log_level, memory_order_relaxed);

	if (now < 0) {
		now = level_from_env();
		atomic_store_explicit(&log_level, now, memory_order_relaxed);
	}
	return (int)level <= now;
}

static void write_line(enum weft_log_level level, const char *fmt, va_list ap)
{
	char line[1024];
	/* relaxed: the rank is only printed */
	int rank = atomic_load_explicit(&log_rank, memory_order_relaxed);
	int n;

	if (rank >= 0)
		n = snprintf(line, 64, "weft[%d]: %s: ", rank,
			     level_names[level]);
	else
		n = snprintf(line, 64, "weft: %s: ", level_names[level]);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	/* one write, so that lines of several processes do not mix */
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

void weft_log(enum weft_log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!weft_log_shows(level))
		return;
	va_start(ap, fmt);
	write_line(level, fmt, ap);
	va_end(ap);
}

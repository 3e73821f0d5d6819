/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process waits for, and the end of a job in which everybody waits
 * for ever: only a provider that runs in virtual time can know that.
 */
#ifndef WEFT_CORE_DEADLOCK_H
#define WEFT_CORE_DEADLOCK_H

#include "src/base/attr.h"

struct weft_idle;

/*
 * The fabric says that everybody waits: tells it what this rank waits for; the
 * last to do so prints the report and ends the job. Does not return.
 */
void weft_deadlock_report(const struct weft_idle *first)
	WEFT_NORETURN WEFT_COLD;

/* The progress loop reports what it hears of it. */
void weft_deadlock_open(void);

#endif

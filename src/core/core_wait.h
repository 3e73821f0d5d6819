/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process waits for, and the end of a job in which everybody waits
 * for ever: only a provider that runs in virtual time can know that.
 */
#ifndef WEFT_CORE_WAIT_H
#define WEFT_CORE_WAIT_H

#include "src/base/attr.h"
#include "src/core/core_stuck.h"

struct weft_idle;

/* Fills s from the waits of the threads that sleep, linked by next. */
void weft_wait_describe(const struct weft_idle *first, struct weft_stuck *s);

/*
 * The fabric says that everybody waits: tells it what this rank waits for; the
 * last to do so prints the report and ends the job. Does not return.
 */
void weft_wait_deadlock(const struct weft_idle *first) WEFT_NORETURN WEFT_COLD;

#endif

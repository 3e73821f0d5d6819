/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time limits for a loaded host. A second counts in full if the processors are
 * free for this test, and as cores / runnable of a second if other processes
 * use them, too: with four other busy processes on two cores, five processes
 * are runnable, and a second counts as 0.4. Processes of the test itself do not
 * extend its limits: "others" are all processes except those below the
 * idle_timeout (test/support/idle_timeout.c) that runs the test.
 */
#ifndef WEFT_TEST_T_PACE_H
#define WEFT_TEST_T_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct t_limit {
	uint64_t left_ns;
	uint64_t checked_ns;
	uint64_t backoff_since_ns; /* time of the first unsuccessful poll */
};

void t_limit_set(struct t_limit *l, int seconds);

/*
 * Counts the time since the last call (updated every half second). Returns
 * whether the limit has expired.
 */
bool t_limit_expired(struct t_limit *l);

/*
 * For polling loops: yields, and after 10 ms of unsuccessful polls sleeps 0.5
 * ms each time. If dozens of processes only yielded, all of them would run
 * before the process that has work.
 */
void t_limit_backoff(struct t_limit *l);

/* Returns the fraction of a second that counts now, in (0, 1]. */
double t_pace(void);

/* Makes the caller the root: its descendants do not count as "others". */
void t_pace_root(void);

/* Sends sig to all processes below the caller. */
void t_kill_descendants(int sig);

#endif

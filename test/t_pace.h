/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time limits that hold on a busy host. A second counts in full where the
 * processors are free for this test, and as cores / runnable of one where
 * others want them, too: beside four busy processes on two cores a test gets
 * two fifths of what it wants, and so a second counts as 0.4. What the test
 * itself runs does not stretch its limits: "others" are all but the processes
 * below the patience (test/patience.c) that runs it.
 */
#ifndef WEFT_TEST_T_PACE_H
#define WEFT_TEST_T_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct t_limit {
	uint64_t left_ns;
	uint64_t looked_ns;
	uint64_t rests_ns; /* since when */
};

void t_limit_set(struct t_limit *l, int seconds);

/* Counts the time since the last look (it looks once in half a second). */
bool t_limit_over(struct t_limit *l);

/* For who looks again and again: lets others run, and after 10 ms of looks in
 * vain sleeps 0.5 ms each time. Of dozens that only yield each takes its turn
 * before the one that has work, and busy processes take theirs in between. */
void t_limit_rest(struct t_limit *l);

/* How much of a second counts now, in (0, 1]. */
double t_pace(void);

/* Makes the caller the root of what is not "others". */
void t_pace_root(void);

/* Sends sig to all processes below the caller. */
void t_kill_below(int sig);

#endif

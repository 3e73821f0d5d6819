/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress line of a long run on stderr. Called by sim_run.c. */
#ifndef WEFT_SIM_PROGRESS_H
#define WEFT_SIM_PROGRESS_H

#include <stdint.h>

struct sim_progress {
	const char *label; /* text at the start of the line; NULL: no output */
	uint64_t began_ns, shown_ns;
};

/* Returns whether progress is shown: on request, or on a terminal. */
int sim_progress_wanted(int requested);
void sim_progress_begin(struct sim_progress *p, const char *label);
/*
 * Prints the progress line, at most five times per second. part: completed
 * fraction, 0 to 1.
 */
void sim_progress_show(struct sim_progress *p, double part, uint64_t hops);
void sim_progress_end(struct sim_progress *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on stderr that tells how far a long run has come. */
#ifndef WEFT_SIM_PROGRESS_H
#define WEFT_SIM_PROGRESS_H

#include <stdint.h>

struct sim_progress {
	const char *label; /* NULL: silent */
	uint64_t began_ns, shown_ns;
};

/* Whether a line is wanted: asked for, or someone sits at a terminal. */
int sim_progress_wanted(int asked);
void sim_progress_begin(struct sim_progress *p, const char *label);
/* part of all is done, 0 to 1. Shows at most five times a second. */
void sim_progress_show(struct sim_progress *p, double part, uint64_t hops);
void sim_progress_end(struct sim_progress *p);

#endif

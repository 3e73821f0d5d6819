/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that have entered MPI_Init and do not reach the PMIx server. They would
 * wait for ever (libpmix has no timeout). Ranks that never call MPI_Init, are
 * stopped, or have a debugger are excluded; and while any rank connects, the
 * server works and the others are queued.
 */
#ifndef WEFT_RUN_STUCK_H
#define WEFT_RUN_STUCK_H

#include "src/tools/run/job/run_job.h"

struct run_stuck {
	uint64_t next_ns;  /* time of the next check, 0: no more */
	uint64_t since_ns; /* time when the rank below was found first */
	int rank;	   /* -1: none */
};

/* Starts the checks; limit_s 0: no checks. */
void run_stuck_begin(struct run_stuck *s, double limit_s);

/* A rank has connected or exited: restarts the limit. */
void run_stuck_event(struct run_stuck *s);

/* Returns the rank that is stuck, after a message; -1: none. */
int run_stuck_check(struct run_stuck *s, const struct run_job *job,
		    uint64_t now);

#endif

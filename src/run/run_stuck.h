/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that have entered MPI_Init and do not reach the PMIx server. They would
 * wait for ever (the library has no limit of its own). A rank that never calls
 * MPI_Init, is stopped, or has a debugger is not meant; and while any rank
 * connects, the server works and the others wait for their turn.
 */
#ifndef WEFT_RUN_STUCK_H
#define WEFT_RUN_STUCK_H

#include "src/run/run_job.h"

struct run_stuck {
	uint64_t next_ns;  /* of the next check, 0: no more */
	uint64_t since_ns; /* when the rank below was found first */
	int rank;	   /* -1: none */
};

/* limit_s 0: never. */
void run_stuck_begin(struct run_stuck *s, double limit_s);

/* A rank has connected or left. */
void run_stuck_event(struct run_stuck *s);

/* The rank that is stuck, which has been said; -1: none. */
int run_stuck_check(struct run_stuck *s, const struct run_job *job,
		    uint64_t now);

#endif

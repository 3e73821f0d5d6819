/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects ranks that have entered MPI_Init and do not reach the PMIx server.
 * Such ranks would wait indefinitely (libpmix has no timeout). Ranks that do
 * not call MPI_Init, are stopped, or are being debugged are excluded. While
 * other ranks connect, the server works and the remaining ranks are queued.
 */
#ifndef WEFT_RUN_STUCK_H
#define WEFT_RUN_STUCK_H

#include "src/tools/run/job/run_job.h"

struct run_stuck {
	uint64_t next_ns;  /* time of the next check; 0: no more checks */
	uint64_t since_ns; /* time when the suspected rank was first found */
	int rank;	   /* suspected rank; -1: none */
};

/* Starts the checks; limit_s 0: no checks. */
void run_stuck_begin(struct run_stuck *s, double limit_s);

/* Restarts the time limit after a rank has connected or exited. */
void run_stuck_event(struct run_stuck *s);

/* Returns the rank that is stuck, after a message; -1: none. */
int run_stuck_check(struct run_stuck *s, const struct run_job *job,
		    uint64_t now);

#endif

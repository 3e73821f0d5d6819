/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exits of ranks in a job on several hosts that survives failures, in mpiexec:
 * hosts send the exits of their ranks, and the ranks of a host whose connection
 * is lost have failed.
 */
#ifndef WEFT_RUN_SURVIVORS_H
#define WEFT_RUN_SURVIVORS_H

#include "src/tools/run/daemon/run_layout.h"

struct run_survivors {
	const struct run_layout *layout;
	/* whether each rank has exited; NULL: failures end the job */
	bool *exited;
	int failures; /* number of ranks that have failed */
	int first;    /* exit code of the first failure */
	int after;    /* first exit code of a rank after MPI_Finalize */
};

/* Keeps a pointer to the layout. Returns 0 or -ENOMEM. */
int run_survivors_open(struct run_survivors *s, const struct run_layout *l);
void run_survivors_close(struct run_survivors *s);

/*
 * Records the exit of a rank that a frame of its host reports. Returns the
 * rank, or -EPROTO: the frame is invalid, the rank is on another host, or has
 * exited before.
 */
int run_survivors_take(struct run_survivors *s, int host, struct run_scan *body,
		       int *code_p);

/*
 * Records the failure of the ranks of a lost host that have not exited, and
 * calls fn for each.
 */
void run_survivors_lose_host(struct run_survivors *s, int host, int code,
			     void (*fn)(void *arg, int rank, int code),
			     void *arg);

/* Writes the frame that reports the exit of a rank to the other hosts. */
void run_survivors_write(int rank, int code, struct run_bytes *b);

/* Returns whether all ranks have failed. */
bool run_survivors_none(const struct run_survivors *s);

/* Returns the exit code of the job, which has ended without MPI_Abort. */
int run_survivors_code(const struct run_survivors *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules for jobs that survive failures (mpiexec --survive), on a single host or
 * on one of several hosts. Exits of ranks on other hosts arrive as frames
 * (run_pmix_hosts.h).
 */
#ifndef WEFT_RUN_SURVIVE_H
#define WEFT_RUN_SURVIVE_H

#include "src/tools/run/job/run_job.h"

/*
 * Handles the exit of a rank of this host. Returns false if the exit is handled
 * as in other jobs, because the job does not survive failures or is ending, the
 * rank has called MPI_Abort, or a rank of this host has not completed MPI_Init.
 */
bool run_survive_exit(struct run_job *job, int rank, enum run_cause cause,
		      int code);

/*
 * Handles the exit of a rank on another host. code: exit code of the rank; 0:
 * the rank has completed MPI_Finalize. Returns false, after a message, if the
 * job ends because the rank has failed before all ranks of this host have
 * completed MPI_Init.
 */
bool run_survive_remote(struct run_job *job, int rank, int code);

/*
 * Decides the exit code of a job that has survived failures: the first non-zero
 * exit code of a rank that has completed MPI_Finalize; if no rank has completed
 * MPI_Finalize, the exit code of the first failure. On several hosts
 * run_launch.c decides.
 */
void run_survive_end(struct run_job *job);

#endif

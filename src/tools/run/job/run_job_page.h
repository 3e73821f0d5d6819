/* SPDX-License-Identifier: BSD-3-Clause */
/* Job status page (src/job/job_page.h) as mpiexec reads it. */
#ifndef WEFT_RUN_JOB_PAGE_H
#define WEFT_RUN_JOB_PAGE_H

#include "src/tools/run/job/run_job.h"

/*
 * Creates the job status page. Always returns 0, because mpiexec also works
 * without the page.
 */
int run_job_page_open(struct run_job *job);
void run_job_page_close(struct run_job *job);

/*
 * Returns the current or last MPI call of a rank; NULL: none. Freed by the
 * caller.
 */
char *run_job_page_call(const struct run_job *job, int rank);

/*
 * Returns whether all ranks of this host were connected to other jobs and have
 * disconnected.
 */
bool run_job_page_apart(const struct run_job *job);

/*
 * Returns whether every rank of this host has completed MPI_Init, or has
 * exited.
 */
bool run_job_page_all_started(const struct run_job *job);
bool run_job_page_finished(const struct run_job *job, int rank);
/* Returns whether a rank has used MPI sessions. */
bool run_job_page_sessions(const struct run_job *job);

/*
 * Returns the calls of the running ranks: "in MPI_Recv: ranks 0-2; in
 * MPI_Barrier: ranks 3"; NULL: no rank is in a call. Freed by the caller.
 */
char *run_job_page_calls(const struct run_job *job);

#endif

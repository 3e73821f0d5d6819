/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that ranks in virtual time report through a pipe (src/job/job_event.h)
 * instead of PMIx: a PMIx connection costs each rank a thread and a copy of the
 * data of all ranks.
 */
#ifndef WEFT_RUN_EVENTS_H
#define WEFT_RUN_EVENTS_H

#include "src/tools/run/pmix/run_pmix.h"

/*
 * Opens the pipe of a job in virtual time: job->events_fd is the end of the
 * pipe for the ranks. For other jobs, opens no pipe. Returns 0 or -errno.
 */
int run_events_open(struct run_job *job);
/* Returns the end of the pipe that mpiexec reads; -1: there is no pipe. */
int run_events_fd(void);
/* Reads one event. Returns 0 or -EAGAIN. */
int run_events_next(struct run_event *ev);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background jobs (--job --background): when all ranks of the other jobs have
 * exited, mpiexec ends the ranks of the background jobs.
 */
#ifndef WEFT_RUN_BACKGROUND_H
#define WEFT_RUN_BACKGROUND_H

#include "src/tools/run/job/run_job.h"

/*
 * Kills the ranks of background jobs if all other ranks have exited; called
 * after an exit that is not a failure.
 */
void run_background_end(struct run_job *job);
/* Returns whether the rank belongs to a background job. */
bool run_background_has(const struct run_job *job, int rank);

#endif

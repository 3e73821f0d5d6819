/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of another MPI. Programs that use PMIx, such as Open MPI's, run
 * under our mpiexec; otherwise every rank is a job of its own, which a message
 * explains.
 */
#ifndef WEFT_RUN_FOREIGN_H
#define WEFT_RUN_FOREIGN_H

#include "src/tools/run/job/run_job.h"

/* Prints a message if a program of another MPI did not use PMIx in any rank. */
void run_foreign_note(const struct run_job *job);

#endif

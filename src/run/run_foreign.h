/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of another MPI. Those that speak PMIx, as Open MPI's do, run under
 * our mpiexec; of the others each rank would be a world of its own, and nobody
 * would know why.
 */
#ifndef WEFT_RUN_FOREIGN_H
#define WEFT_RUN_FOREIGN_H

#include "src/run/run_job.h"

/* Says so when a program of another MPI did not speak PMIx in any rank. */
void run_foreign_note(const struct run_job *job);

#endif

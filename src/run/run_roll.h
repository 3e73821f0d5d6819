/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks leave on the roll (src/base/roll.h), as mpiexec reads it. */
#ifndef WEFT_RUN_ROLL_H
#define WEFT_RUN_ROLL_H

#include "src/run/run_job.h"

/* Makes the page; without it mpiexec only knows less. Returns 0. */
int run_roll_open(struct run_job *job);
void run_roll_close(struct run_job *job);

/* The MPI call a rank is in, or died in; NULL: none. Freed by the caller. */
char *run_roll_call(const struct run_job *job, int rank);

/* The rank has been through MPI_Finalize, whatever PMIx has told so far. */
bool run_roll_finished(const struct run_job *job, int rank);

/* "in MPI_Recv: ranks 0-2; in MPI_Barrier: ranks 3", of ranks that live; NULL:
 * nobody is in a call. Freed by the caller. */
char *run_roll_calls(const struct run_job *job);

#endif

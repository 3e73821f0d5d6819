/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job ended, in one sentence and one number. Pure but for memory. */
#ifndef WEFT_RUN_END_H
#define WEFT_RUN_END_H

#include "src/run/run_job.h"

/* The exit code of mpiexec after this end. */
int run_end_code(const struct run_end *e);

/* The last words; NULL when there is nothing to say. Freed by the caller. */
char *run_end_text(const struct run_end *e, const char *host);

/*
 * Judges the exit of a rank, given its waitpid() status and state.
 * others_in_mpi: some other rank has started MPI and not finished it.
 */
enum run_cause run_end_judge(const struct run_rank *r, bool others_in_mpi,
			     int *code_p);

/* Who is where, for the report of a time-out. Freed by the caller. */
char *run_end_roll_call(const struct run_rank *rank, int n);

#endif

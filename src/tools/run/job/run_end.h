/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message and exit code of the end of a job. The functions have no side effects
 * except memory allocation.
 */
#ifndef WEFT_RUN_END_H
#define WEFT_RUN_END_H

#include "src/tools/run/job/run_job.h"

/* Returns the exit code of mpiexec for this end. */
int run_end_code(const struct run_end *e);

/*
 * Returns whether a rank exits with this code because a peer has ended: the
 * failure of the peer is the cause of the end.
 */
bool run_end_follows(int code);

/* Returns the final message; NULL: none. Freed by the caller. */
char *run_end_text(const struct run_end *e, const char *host);

/*
 * Classifies the exit of a rank by its waitpid() status and state.
 * others_in_mpi: another rank has called MPI_Init and not yet MPI_Finalize.
 */
enum run_cause run_end_classify(const struct run_rank *r, bool others_in_mpi,
				int *code_p);

/*
 * Lists the ranks by state, for the message after a timeout. Freed by the
 * caller.
 */
char *run_end_states(const struct run_rank *rank, int n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of processes for debuggers, as the MPIR Process Acquisition
 * Interface (MPI Forum) specifies: a debugger that is attached to mpiexec finds
 * the ranks in MPIR_proctable. A debugger that starts mpiexec sets
 * MPIR_being_debugged before main(); then the ranks wait in MPI_Init
 * (WEFT_DEBUG_WAIT), and mpiexec calls MPIR_Breakpoint when all are started.
 */
#ifndef WEFT_RUN_MPIR_H
#define WEFT_RUN_MPIR_H

#include "src/tools/run/job/run_job.h"

/* Returns whether a debugger has started mpiexec. */
bool run_mpir_debugged(void);

/*
 * Adds the ranks of a job, which have all been started. If there is no memory,
 * they are not added.
 */
void run_mpir_publish(struct run_job *job);

#endif

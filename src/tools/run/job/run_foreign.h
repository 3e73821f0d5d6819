/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of another MPI library. Programs that use PMIx, such as those of
 * Open MPI, run under Weft's mpiexec. Without PMIx every rank is a job of size
 * 1; mpiexec then prints a message.
 */
#ifndef WEFT_RUN_FOREIGN_H
#define WEFT_RUN_FOREIGN_H

#include "src/tools/run/job/run_job.h"

/*
 * Prints a message if no rank of a program of another MPI library has used
 * PMIx.
 */
void run_foreign_note(const struct run_job *job);

/*
 * Returns the MPI library that an ELF file needs, unless it is the library of
 * the standard ABI; NULL: none. Freed by the caller.
 */
char *run_foreign_lib(const char *file);

#endif

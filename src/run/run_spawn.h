/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the ranks: vfork, a few system calls, execve. */
#ifndef WEFT_RUN_SPAWN_H
#define WEFT_RUN_SPAWN_H

#include "src/run/run_job.h"

/*
 * Checks that all programs can be started; says what is wrong. 0 or the exit
 * code of mpiexec (RUN_EXIT_NOENT, RUN_EXIT_NOEXEC).
 */
int run_spawn_check(const struct run_opts *o);

/* Starts every rank. 0, or an exit code; ranks already started stay. */
int run_spawn(struct run_job *job);

#endif

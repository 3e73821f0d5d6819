/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the ranks: vfork, a few system calls, execve. */
#ifndef WEFT_RUN_SPAWN_H
#define WEFT_RUN_SPAWN_H

#include "src/tools/run/job/run_job.h"

/*
 * Checks that all programs can be started. Returns 0, or the exit code of
 * mpiexec (RUN_EXIT_NOENT, RUN_EXIT_NOEXEC) after a message.
 */
int run_spawn_check(const struct run_opts *o);

/*
 * Starts every rank. Returns 0, or an exit code; ranks that were already
 * started keep running.
 */
int run_spawn(struct run_job *job);

#endif

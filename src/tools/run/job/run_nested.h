/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that ranks have spawned. Each job is started by a further mpiexec, which
 * is a child of this one: the child ends when its parent ends, and the failure
 * of its job ends this job.
 */
#ifndef WEFT_RUN_NESTED_H
#define WEFT_RUN_NESTED_H

#include <stdbool.h>
#include <sys/types.h>

struct run_job;

/*
 * Starts a further mpiexec with these words (the first is replaced by the path
 * of mpiexec) and variables NAME=VALUE in addition to those of mpiexec. Returns
 * 0 or -errno.
 */
int run_nested_start(const struct run_job *job, char **words, char **env);

/* Returns the number of spawned jobs that have not ended. */
int run_nested_live(void);
/* Returns whether pid was the mpiexec of a spawned job, which has ended. */
bool run_nested_reap(pid_t pid);
/* Sends a signal to the mpiexec of each spawned job. */
void run_nested_signal(int sig);

#endif

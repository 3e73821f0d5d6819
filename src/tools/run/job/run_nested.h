/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that ranks have spawned. Each job is started by a further mpiexec, which
 * is a child of this one: the child ends when its parent ends, and the failure
 * of its job ends this job.
 */
#ifndef WEFT_RUN_NESTED_H
#define WEFT_RUN_NESTED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Properties of this mpiexec that a further one inherits. */
struct run_nested {
	const char *const *options;  /* first options; ends with NULL */
	const sigset_t *sigmask;     /* signal mask at mpiexec's start */
	const struct rlimit *nofile; /* descriptor limit at mpiexec's start */
	int fd;			     /* descriptor that stays open; -1: none */
};

/*
 * Starts a further mpiexec with these words (the first is replaced by the path
 * of mpiexec) and variables NAME=VALUE in addition to those of mpiexec. Returns
 * its pid or -errno.
 */
pid_t run_nested_start(const struct run_nested *n, char **words, char **env);

/* Returns the number of spawned jobs that have not ended. */
int run_nested_live(void);
/* Returns whether pid was the mpiexec of a spawned job, which has ended. */
bool run_nested_reap(pid_t pid);
/* Sends a signal to the mpiexec of each spawned job. */
void run_nested_signal(int sig);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that ranks have spawned. Each job is started by a further mpiexec, which
 * is a child of this one: the child ends when its parent ends. The failure of
 * one job ends the other, unless the spawned job has disconnected from its
 * parents (it is "apart"). The further mpiexec reports its start and whether
 * its job is apart through a pipe, whose descriptor is in RUN_NESTED_VAR.
 */
#ifndef WEFT_RUN_NESTED_H
#define WEFT_RUN_NESTED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#define RUN_NESTED_VAR "WEFT_JOB_REPORT"

/*
 * Signal to a further mpiexec: the job of the parents has failed. The spawned
 * job ends unless it is apart.
 */
#define RUN_NESTED_FAILED SIGVTALRM

enum run_nested_news {
	RUN_NESTED_STARTED = 1, /* all ranks have been started */
	RUN_NESTED_APART,	/* the job has failed, and is apart */
};

/* Properties of this mpiexec that a further one inherits. */
struct run_nested {
	const char *const *options;  /* first options; ends with NULL */
	const sigset_t *sigmask;     /* signal mask at mpiexec's start */
	const struct rlimit *nofile; /* descriptor limit at mpiexec's start */
};

/*
 * Starts another mpiexec with these command-line words (the first is replaced
 * by the path of mpiexec) and variables NAME=VALUE in addition to its own.
 * Returns its pid or -errno.
 */
pid_t run_nested_start(const struct run_nested *n, char **words, char **env);

/* Returns the number of spawned jobs that have not ended. */
int run_nested_live(void);
/*
 * Returns whether pid was the mpiexec of a spawned job, which has ended.
 * *apart_p: whether the failure of the job does not affect this job.
 */
bool run_nested_reap(pid_t pid, bool *apart_p);

/* Returns the descriptor of the pipe; -1: no job was spawned. */
int run_nested_fd(void);
/* Reads the pipe, and returns whether all ranks of a job have been started. */
bool run_nested_has_started(pid_t pid);
/* Sends a signal to the mpiexec of each spawned job. */
void run_nested_signal(int sig);

/* Prints that a job that is apart has failed. */
void run_nested_print_apart(void);

/* Reads and removes RUN_NESTED_VAR, which is set in a further mpiexec. */
void run_nested_open(void);
/* Reports to the mpiexec that has started this one, if there is one. */
void run_nested_report(enum run_nested_news news);

#endif

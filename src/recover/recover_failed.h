/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that have failed, in the order in which this process detected it.
 * Sources: the launcher, which writes every exit to the job status page; the
 * provider; and other processes, whose messages show that a process is dead.
 * Without mpiexec --survive no process is recorded here. All functions
 * require the lock.
 */
#ifndef WEFT_RECOVER_FAILED_H
#define WEFT_RECOVER_FAILED_H

#include "src/comm/comm.h"

#include <stdbool.h>

int weft_failed_open(void);
void weft_failed_close(void);

/* Records new failures. Returns whether there are any. */
bool weft_failed_update(void);
/* Records the failure of a process that another process has reported. */
void weft_failed_add(int proc);

/* Return the number of failures, and the process of failure i. */
int weft_failed_count(void);
int weft_failed_proc(int i);
bool weft_failed_is(int proc);
/*
 * Returns whether a failed process is silent: the messages that it sent before
 * its failure have been received.
 */
bool weft_failed_is_silent(int proc);
/* Returns whether all failed processes are silent. */
bool weft_failed_all_silent(void);

/*
 * Returns the number of failed members of c, in both groups of an
 * intercommunicator. from: number of failures to skip.
 */
int weft_failed_in(const struct weft_comm *c, int from);
/* Returns whether the process is a member of c, in either group. */
bool weft_failed_is_member(const struct weft_comm *c, int proc);

#endif

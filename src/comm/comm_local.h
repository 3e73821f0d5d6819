/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators whose members all run on one host. */
#ifndef WEFT_COMM_LOCAL_H
#define WEFT_COMM_LOCAL_H

#include "src/comm/comm.h"

/* Returns whether a process of the job runs on this host. */
bool weft_proc_is_local(int proc);

/*
 * Returns whether all members run on this host; the result is the same at all
 * members. Processes of other jobs count as running on other hosts.
 */
bool weft_comm_is_local(const struct weft_comm *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts that a job and the jobs that it spawns may use, their slots, and
 * the number of ranks on each.
 */
#ifndef WEFT_RUN_ALLOC_H
#define WEFT_RUN_ALLOC_H

#include "src/tools/run/daemon/run_request.h"

struct run_alloc {
	struct run_hosts hosts;
	int *used; /* array: number of ranks on each host */
};

/*
 * Sets the hosts, without ranks. ppn: slots of every host; 0: those of the
 * list. Returns 0 or -ENOMEM.
 */
int run_alloc_open(struct run_alloc *a, const struct run_hosts *hosts, int ppn);
void run_alloc_close(struct run_alloc *a);

/* Adds (or with n < 0 removes) ranks of a host, which is in the list. */
void run_alloc_use(struct run_alloc *a, const char *host, int n);

/*
 * Chooses the hosts of a request and writes them, in the order of ranks, with
 * the number of ranks as slots. Without the keys host and hostfile the ranks
 * get the free slots in the order of hosts; if there are not enough, all hosts
 * get ranks in proportion to their slots. Returns 0, -ENOMEM; -EHOSTUNREACH: a
 * host is not in the list; -EINVAL: two programs use a host, and a program
 * between them another one, so that the ranks of the host would not be
 * consecutive.
 */
int run_alloc_place(const struct run_alloc *a, const struct run_request *r,
		    struct run_hosts *placed);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences of ranks on several hosts, in mpiexec. Each host sends the ranks of
 * the fence (its signature) and the data of its own ranks; when all hosts with
 * such ranks have done so, each of them gets the data of all, in the order of
 * hosts.
 */
#ifndef WEFT_RUN_FENCE_H
#define WEFT_RUN_FENCE_H

#include "src/tools/run/daemon/run_layout.h"

struct run_fence {
	struct run_fence *next;
	struct run_bytes signature;
	struct run_fence_host {
		bool member;
		bool arrived;
		struct run_bytes data;
	} * host; /* array: one entry for each host of the layout */
	int nhosts;
	int missing; /* number of members that have not arrived */
};

/* Fences that wait for hosts; a zeroed structure is an empty list. */
struct run_fences {
	struct run_fence *list;
};

/*
 * Adds the data that a host has sent. Returns 0: the fence waits; 1: the fence
 * is complete, *done_p is freed by the caller; -EPROTO: the host is no member,
 * has arrived already, or the frame is invalid; -ENOMEM.
 */
int run_fence_arrive(struct run_fences *f, const struct run_layout *l, int host,
		     struct run_scan *body, struct run_fence **done_p);

/* Writes the frame for the members of a complete fence. */
void run_fence_write(const struct run_fence *f, struct run_bytes *b);

/* Returns whether a fence waits for this host. */
bool run_fence_waits_for(const struct run_fences *f, int host);

void run_fence_free(struct run_fence *f);

#endif

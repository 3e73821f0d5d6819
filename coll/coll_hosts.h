/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping of a communicator's ranks to hosts. It is known without communication
 * (src/boot/boot_hosts.h), so all ranks have the same mapping at any time.
 */
#ifndef WEFT_COLL_HOSTS_H
#define WEFT_COLL_HOSTS_H

#include "coll/coll_tree.h"
#include "src/comm/comm.h"
#include "src/offload/offload_route_call.h"

struct coll_hosts {
	int count; /* hosts, numbered by their first ranks; 1: unused */
	int mine;
	int *of;    /* by rank: its host */
	int *first; /* by host: its first rank */
	int *mate;  /* ranks of this host, in order */
	int mates;
	int me; /* index of this rank in mate */
	/* class route of this host, for blocking operations */
	bool asked;
	struct weft_comm *local;  /* this host's ranks, for the route */
	struct weft_route *route; /* NULL: by messages */
};

/* NULL: all ranks are on one host, or out of memory. */
struct coll_hosts *coll_hosts(struct weft_comm *comm);

/* Joins the route of this host, once; called in a blocking operation. */
void coll_hosts_join(struct coll_hosts *h, struct weft_comm *comm);
void coll_hosts_leave(struct weft_comm *comm);

/*
 * Trees of one operation. Each host has a leader, on the root's host the root;
 * near is the tree of this host's ranks below the leader, far that of the
 * leaders.
 */
struct coll_hosts_plan {
	const struct coll_hosts *h;
	bool speaks;
	int place; /* index of this host's leader in mate */
	struct coll_tree near;
	struct coll_tree far; /* at a leader */
};
void coll_hosts_plan(struct coll_hosts_plan *plan, const struct coll_hosts *h,
		     int rank, int root);

#endif

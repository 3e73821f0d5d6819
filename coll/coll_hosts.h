/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping of a communicator's ranks to hosts, computed without communication
 * (src/boot/boot_hosts.h), so that all ranks have the same mapping.
 */
#ifndef WEFT_COLL_HOSTS_H
#define WEFT_COLL_HOSTS_H

#include "coll/coll_tree.h"
#include "src/comm/comm.h"
#include "src/offload/offload_route_call.h"

struct coll_hosts {
	/*
	 * number of hosts, numbered in the order of their first ranks; 1: the
	 * mapping is not used
	 */
	int count;
	int my_host;
	int *host_of;	 /* host number, indexed by rank */
	int *first;	 /* first rank, indexed by host number */
	int *local_rank; /* ranks on this host, ascending */
	int local_size;
	int me;	      /* index of this rank in local_rank */
	int *by_host; /* all ranks, ordered by host, then by rank */
	int *start;   /* index of a host's first rank in by_host */
	int least;    /* smallest number of ranks on any host */
	/* class route of this host, for blocking operations: */
	bool join_tried;
	/* communicator of this host's ranks, for the route */
	struct weft_comm *local;
	/* class route of this host's ranks; NULL: messages are used */
	struct weft_route *route;
};

/* Returns the mapping; NULL: all ranks are on one host, or out of memory. */
struct coll_hosts *coll_hosts(struct weft_comm *comm);

/* Joins the route of this host, once; called in a blocking operation. */
void coll_hosts_join(struct coll_hosts *h, struct weft_comm *comm);
void coll_hosts_leave(struct weft_comm *comm);

/*
 * Trees of one operation. Each host has a leader; on the root's host it is the
 * root. local_tree: tree of this host's ranks, rooted at the leader;
 * leader_tree: tree of the leaders.
 */
struct coll_hosts_plan {
	const struct coll_hosts *h;
	bool is_leader;
	int place; /* index of this host's leader in local_rank */
	struct coll_tree local_tree;
	/* tree of the leaders; set only at leaders */
	struct coll_tree leader_tree;
};
void coll_hosts_plan(struct coll_hosts_plan *plan, const struct coll_hosts *h,
		     int rank, int root);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of a communicator lie on hosts. Known without asking anybody
 * (src/core/core_hosts.h), so all ranks know the same at any time.
 */
#ifndef WEFT_COLL_HOSTS_H
#define WEFT_COLL_HOSTS_H

#include "coll/coll_tree.h"
#include "src/core/core_comm.h"
#include "src/core/core_route_call.h"

struct coll_hosts {
	int count; /* of hosts, numbered by their first ranks; 1: no matter */
	int mine;
	int *of;    /* by rank: its host */
	int *first; /* by host: its first rank */
	int *mate;  /* the ranks of my host, in order */
	int mates;
	int me; /* my place among them */
	/* the unit of my host, for blocking operations */
	bool asked;
	struct weft_comm *local;  /* my host's ranks, as a route wants them */
	struct weft_route *route; /* NULL: by messages */
};

/* NULL: all ranks are on one host, or memory is out. */
struct coll_hosts *coll_hosts(struct weft_comm *comm);

/* Joins the unit of my host; in a blocking operation, once. */
void coll_hosts_join(struct coll_hosts *h, struct weft_comm *comm);
void coll_hosts_leave(struct weft_comm *comm);

/*
 * One operation: each host has a rank that speaks for it, the root for its own;
 * near is the tree of my host's ranks below it, far that of those who speak.
 */
struct coll_hosts_plan {
	const struct coll_hosts *h;
	bool speaks;
	int place; /* of who speaks for my host, among its ranks */
	struct coll_tree near;
	struct coll_tree far; /* of one who speaks */
};
void coll_hosts_plan(struct coll_hosts_plan *plan, const struct coll_hosts *h,
		     int rank, int root);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: groups of ranks that have joined the provider's collective unit, if
 * it has one (fi_join_collective). A communicator gets a route at one of its
 * first collectives, and there may be others over the same ranks. All members
 * of a route make the same calls on it, in the same order.
 *
 *   weft_route_open (starts to join) -> wait, or query its state
 *       -> calls (offload_route_call.h) ... -> weft_route_close
 */
#ifndef WEFT_OFFLOAD_ROUTE_H
#define WEFT_OFFLOAD_ROUTE_H

#include "src/comm/comm.h"

#include <rdma/fi_ext_weft.h>

/* Only for offload_route*.c; other code uses the functions below. */
struct weft_route {
	struct weft_comm *comm; /* communicator with its ranks */
	struct fid_av_set *set;
	struct fid_mc *mc;
	struct fi_weft_routes *ops;
	weft_au32 joined; /* 1: joined; 2: failed */
	/* calls held back while joining: number assigned last, posted last */
	uint32_t held, passed;
	struct fi_weft_route info;
};

enum weft_route_state {
	WEFT_ROUTE_JOINING,
	WEFT_ROUTE_CLASS,    /* a class route of the unit */
	WEFT_ROUTE_MESSAGES, /* no class route was free: a tree by messages */
	WEFT_ROUTE_FAILED,
};

/* Opens and closes the event queue for joins; before and after the endpoint. */
int weft_routes_open(void);
void weft_routes_close(void);
/* Returns whether the provider has a collective unit. */
bool weft_routes_exist(void);
/* Makes the addresses and hosts of all members known; the lock is held. */
int weft_route_resolve(const struct weft_comm *comm);

/*
 * Starts to join; all members call it at the same position among the
 * collectives. salt distinguishes routes over the same ranks. -EOPNOTSUPP: no
 * unit, or no group for it.
 */
int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p);
/* Makes progress until the join has completed and no call is held back. */
enum weft_route_state weft_route_wait(struct weft_route *r);
enum weft_route_state weft_route_state(struct weft_route *r);
/*
 * Returns whether a call may be posted: not while the route is being joined;
 * calls held back are posted first, in order. *turn: number of the call, 0 at
 * first. weft_route_posted() is called after the post.
 */
bool weft_route_may_post(struct weft_route *r, uint32_t *turn);
void weft_route_posted(struct weft_route *r, uint32_t *turn);
/*
 * Returns the longest vector for the unit, in bytes; messages are faster for
 * longer ones; 0: no limit. Only of a real route.
 */
size_t weft_route_max_bytes(const struct weft_route *r);
/* Accepts NULL. No call of this rank may be outstanding. */
void weft_route_close(struct weft_route *r);

/*
 * Joins for the communicator, and waits; comm->route stays NULL in all members
 * if there is no unit or no free class route. 0 or -errno.
 */
int weft_route_join(struct weft_comm *comm);
/*
 * weft_route_join() in two parts. begin does not wait; calls may use
 * comm->joining at once, whatever kind of route it becomes. settle waits;
 * comm->joining is kept if it is no class route, for outstanding calls.
 */
int weft_route_join_begin(struct weft_comm *comm);
int weft_route_join_wait(struct weft_comm *comm);
/* Closes all routes of the communicator. */
void weft_route_leave(struct weft_comm *comm);

/*
 * Returns whether long vectors use the unit's DMA between the members'
 * memories.
 */
bool weft_route_has_bulk(const struct weft_comm *comm);

#endif

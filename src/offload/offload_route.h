/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: groups of ranks that have joined the provider's collective unit
 * (fi_join_collective), if it has one. A communicator gets a route at one of
 * its first collectives; further routes over the same ranks are possible. All
 * members of a route make the same calls on it, in the same order.
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
	struct weft_list link; /* entry in the list of all routes */
	struct weft_comm *comm;
	struct fid_av_set *set;
	struct fid_mc *mc;
	struct fi_weft_routes *ops;
	weft_au32 joined; /* state of the join: 1: joined; 2: failed */
	/*
	 * calls deferred while joining: number of the last deferred call, and
	 * of the last posted call
	 */
	uint32_t deferred, posted;
	struct fi_weft_route info;
};

enum weft_route_state {
	WEFT_ROUTE_JOINING,
	WEFT_ROUTE_CLASS, /* the unit has assigned a class route */
	/* no class route was free: the provider uses a tree of messages */
	WEFT_ROUTE_MESSAGES,
	WEFT_ROUTE_FAILED,
};

/*
 * Open and close the event queue for joins; called before the endpoint is
 * opened and after it is closed.
 */
int weft_routes_open(void);
void weft_routes_close(void);
bool weft_routes_exist(void);
/* Looks up the addresses and hosts of all members. Requires the lock. */
int weft_route_resolve(const struct weft_comm *comm);

/*
 * Starts to join. All members call this at the same position among the
 * collectives. salt distinguishes routes over the same ranks. Returns 0,
 * -errno, or -EOPNOTSUPP: no collective unit, an intercommunicator, or only one
 * rank.
 */
int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p);
/* Waits until the join is complete and no call is deferred. */
enum weft_route_state weft_route_wait(struct weft_route *r);
enum weft_route_state weft_route_state(struct weft_route *r);
/*
 * Returns whether a call may be posted: not while the route is being joined,
 * and only after all calls that were deferred before it. *number: initially 0;
 * set to the number of the call if it is deferred. weft_route_posted() is
 * called after the post.
 */
bool weft_route_may_post(struct weft_route *r, uint32_t *number);
void weft_route_posted(struct weft_route *r, uint32_t *number);
/*
 * Returns the length in bytes of the longest vector that should use the unit;
 * for longer vectors messages are faster. 0: no limit. Only for a class route.
 */
size_t weft_route_max_bytes(const struct weft_route *r);
/* Closes a route; r may be NULL. No call of this rank may be outstanding. */
void weft_route_close(struct weft_route *r);

/*
 * Joins a route for the communicator and waits for it. comm->route stays NULL
 * in all members if there is no unit or no free class route, and after an
 * error.
 */
void weft_route_join(struct weft_comm *comm);
/*
 * weft_route_join() in two parts. weft_route_join_begin() does not wait; calls
 * may use comm->joining immediately, regardless of the kind of route that
 * results. weft_route_join_wait() waits; if the result is not a class route,
 * comm->joining is kept for the outstanding calls.
 */
int weft_route_join_begin(struct weft_comm *comm);
void weft_route_join_wait(struct weft_comm *comm);
void weft_route_leave(struct weft_comm *comm);

/*
 * Fails the outstanding and later calls of all routes of a communicator with
 * this error (FI_E*). Requires the lock.
 */
void weft_routes_fail(const struct weft_comm *comm, int err);

/* Returns whether long vectors use the unit's DMA between members. */
bool weft_route_has_bulk(const struct weft_comm *comm);

#endif

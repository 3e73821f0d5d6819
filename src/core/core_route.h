/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: groups of ranks that have joined the provider's collective unit,
 * where it has one (fi_join_collective). A communicator has one of its own from
 * some collective on, and there may be others over the same ranks. Calls on one
 * route are the same, in the same order, on all its members.
 *
 *   weft_route_open (starts to join) -> wait, or ask for its state
 *       -> calls (core_route_call.h) ... -> weft_route_close
 */
#ifndef WEFT_CORE_ROUTE_H
#define WEFT_CORE_ROUTE_H

#include "src/core/core_comm.h"

#include <rdma/fi_ext_weft.h>

/* For core_route*.c; others have functions for what they want of it. */
struct weft_route {
	struct weft_comm *comm; /* whose ranks it has */
	struct fid_av_set *set;
	struct fid_mc *mc;
	struct fi_weft_routes *ops;
	weft_au32 joined;      /* 1: yes; 2: it failed */
	uint32_t held, passed; /* calls that waited for it, numbered */
	struct fi_weft_route info;
};

enum weft_route_state {
	WEFT_ROUTE_JOINING,
	WEFT_ROUTE_REAL,     /* a class route of the unit */
	WEFT_ROUTE_MESSAGES, /* none was left: a tree by messages */
	WEFT_ROUTE_FAILED,
};

/* The event queue that joins need; before and after the endpoint. */
int weft_routes_open(void);
void weft_routes_close(void);
/* Does the provider have a unit at all? */
bool weft_routes_exist(void);
/* Makes the addresses, and the hosts, of its members known; the lock is held.
 */
int weft_route_reach(const struct weft_comm *comm);

/*
 * Starts to join; call it on all members alike, at the same place among the
 * collectives. salt tells routes over the same ranks apart. -EOPNOTSUPP: no
 * unit, or no group for it.
 */
int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p);
/* Makes progress until it is no longer joining and nothing is held back. */
enum weft_route_state weft_route_wait(struct weft_route *r);
enum weft_route_state weft_route_state(struct weft_route *r);
/*
 * May a call be posted? Not while the route is being joined; those that came
 * then go first, in their order. turn is the call's own, 0 in the beginning;
 * pass: after the post.
 */
bool weft_route_turn(struct weft_route *r, uint32_t *turn);
void weft_route_pass(struct weft_route *r, uint32_t *turn);
/* Longer vectors are better served by messages; 0: none are. Once it is real */
size_t weft_route_most(const struct weft_route *r);
/* Accepts NULL. No call of this rank may be under way. */
void weft_route_close(struct weft_route *r);

/*
 * Joins for the communicator, and waits; comm->route stays NULL when there is
 * no unit or no class route left, on all members alike. 0 or -errno.
 */
int weft_route_join(struct weft_comm *comm);
/*
 * The same in two halves. begin does not wait; calls may use comm->joining at
 * once, as a class route or whatever it becomes. settle waits; comm->joining
 * stays where it is no class route, for those under way.
 */
int weft_route_join_begin(struct weft_comm *comm);
int weft_route_join_settle(struct weft_comm *comm);
/* Gives up all its routes. */
void weft_route_leave(struct weft_comm *comm);

/* Long vectors take the unit's own way to the others' memory, if any. */
bool weft_route_has_bulk(const struct weft_comm *comm);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit of the provider, where it has one: fi_join_collective
 * and the calls after it. A route is a group that has joined; a communicator
 * has one of its own from some collective on, and there may be others over the
 * same ranks. Operations on one route are the same, in the same order, on all
 * its members.
 *
 *   weft_route_open (starts to join) -> wait, or ask for its state
 *       -> weft_unit_run, weft_unit_post ... -> weft_route_close
 */
#ifndef WEFT_CORE_UNIT_H
#define WEFT_CORE_UNIT_H

#include "src/core/core_comm.h"

struct weft_dt;
struct weft_op;
struct weft_req;
struct weft_route;

enum weft_unit_kind {
	WEFT_UNIT_BARRIER,
	WEFT_UNIT_BCAST,
	WEFT_UNIT_REDUCE,
	WEFT_UNIT_ALLREDUCE,
	WEFT_UNIT_ALLGATHER,
	WEFT_UNIT_ALLTOALL,
	WEFT_UNIT_REDUCE_SCATTER,
	WEFT_UNIT_GATHER,
	WEFT_UNIT_SCATTER,
};

struct weft_unit_call {
	enum weft_unit_kind kind;
	int root;
	const void *in;
	void *out;
	MPI_Count count; /* elements, or bytes; of one block where there are */
	const struct weft_dt *dt; /* of reductions; others count bytes */
	const struct weft_op *op;
	bool exact; /* a sum of doubles, rounded once */
	struct weft_route *route;
	bool untagged; /* the caller took no tag; virtual time counts it */
};

enum weft_route_state {
	WEFT_ROUTE_JOINING,
	WEFT_ROUTE_REAL,     /* a class route of the unit */
	WEFT_ROUTE_MESSAGES, /* none was left: a tree by messages */
	WEFT_ROUTE_FAILED,
};

/* Does the provider have a unit at all? */
bool weft_unit_here(void);

/*
 * Starts to join; call it on all members alike, at the same place among the
 * collectives. salt tells routes over the same ranks apart. -EOPNOTSUPP: no
 * unit, or no group for it.
 */
int weft_route_open(struct weft_comm *comm, uint64_t salt, bool software,
		    struct weft_route **r_p);
/* Makes progress until it is no longer joining and nothing is held back. */
enum weft_route_state weft_route_wait(struct weft_route *r);
enum weft_route_state weft_route_state(struct weft_route *r);
/*
 * May an operation be posted? Not while the route is being joined; those that
 * came then go first, in their order. turn is the operation's own, 0 in the
 * beginning; pass: after the post.
 */
bool weft_route_turn(struct weft_route *r, uint32_t *turn);
void weft_route_pass(struct weft_route *r, uint32_t *turn);
/* Accepts NULL. No operation of this rank may be under way. */
void weft_route_close(struct weft_route *r);

/*
 * Joins for the communicator, and waits; comm->route stays NULL when there is
 * no unit or no class route left, on all members alike. 0 or -errno.
 */
int weft_unit_join(struct weft_comm *comm);
/*
 * The same in two halves. begin does not wait; operations may use comm->early
 * at once, as a class route or whatever it becomes. settle waits; comm->early
 * stays where it is no class route, for those under way.
 */
int weft_unit_begin(struct weft_comm *comm);
int weft_unit_settle(struct weft_comm *comm);
void weft_unit_leave(struct weft_comm *comm);

/* Long vectors take the unit's own way to the others' memory, if any. */
bool weft_unit_has_bulk(const struct weft_comm *comm);

/* Can the unit do op on elements of dt? The same answer on all ranks. */
bool weft_unit_can(const struct weft_op *op, const struct weft_dt *dt);

/* Hands in this rank's part and waits until it is done; 0 or -errno. */
int weft_unit_run(const struct weft_unit_call *call);

/*
 * The same of a barrier, and of an allreduce of few elements of a predefined
 * type, which goes by handles. req_p: NULL: waits until it is done. -ENOSYS:
 * not now, and nothing was done.
 */
int weft_unit_barrier(struct weft_route *r, struct weft_req **req_p);
int weft_unit_allreduce(struct weft_route *r, const void *in, void *out,
			MPI_Count count, MPI_Datatype type, MPI_Op op,
			struct weft_req **req_p);

/* Hands in this rank's part; as weft_core_isend in all else. */
int weft_unit_post(const struct weft_unit_call *call, struct weft_req **req_p);

/* The event queue that joins need; before and after the endpoint. */
int weft_unit_open(void);
void weft_unit_close(void);

#endif

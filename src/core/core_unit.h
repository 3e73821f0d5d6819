/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit of the provider, where it has one: fi_join_collective
 * and the calls after it. A communicator joins once, together, and keeps its
 * class route until it is freed.
 *
 *   weft_unit_join (collective, blocks) -> weft_unit_post ... -> leave
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
};

struct weft_unit_call {
	enum weft_unit_kind kind;
	int root;
	const void *in;
	void *out;
	MPI_Count count;
	const struct weft_dt *dt; /* of reductions; others count bytes */
	const struct weft_op *op;
};

/*
 * Joins; call it on all members alike, at the same place among the
 * collectives. comm->route stays NULL when there is no unit, or no class
 * route left, on all members alike. 0 or -errno.
 */
int weft_unit_join(struct weft_comm *comm);
void weft_unit_leave(struct weft_comm *comm);

/* Long vectors take the unit's own way to the others' memory, if any. */
bool weft_unit_has_bulk(const struct weft_comm *comm);

/* Can the unit do op on elements of dt? The same answer on all ranks. */
bool weft_unit_can(const struct weft_op *op, const struct weft_dt *dt);

/* Hands in this rank's part and waits until it is done; 0 or -errno. */
int weft_unit_run(struct weft_comm *comm, const struct weft_unit_call *call);

/* Hands in this rank's part; as weft_core_isend in all else. */
int weft_unit_post(struct weft_comm *comm, const struct weft_unit_call *call,
		   struct weft_req **req_p);

/* The event queue that joins need; before and after the endpoint. */
int weft_unit_open(void);
void weft_unit_close(void);

#endif

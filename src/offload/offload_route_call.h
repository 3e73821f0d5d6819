/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective calls on a route, described by struct weft_coll_call: data that is
 * not reduced counts as WEFT_NUM_U8; weft_route_reduction() sets type and
 * operation of a reduction. weft_route_run() begins a call and waits,
 * weft_route_post() creates a request.
 */
#ifndef WEFT_OFFLOAD_ROUTE_CALL_H
#define WEFT_OFFLOAD_ROUTE_CALL_H

#include "src/offload/offload_route.h"

struct weft_dt;
struct weft_op;
struct weft_req;

/* Returns whether the unit supports op on dt; equal in all ranks. */
bool weft_route_supports(const struct weft_op *op, const struct weft_dt *dt);
void weft_route_reduction(struct weft_coll_call *call, const struct weft_op *op,
			  const struct weft_dt *dt);

/*
 * Contributes this rank's data and waits until the call is complete. Returns 0
 * or -errno.
 */
int weft_route_run(struct weft_route *r, const struct weft_coll_call *call);
/* Contributes this rank's data and returns a request. */
int weft_route_post(struct weft_route *r, const struct weft_coll_call *call,
		    struct weft_req **req_p);

/*
 * Maximum number of elements of an allreduce on the fast path, which all ranks
 * with predefined types and host memory take: so few that no algorithm competes
 * with the collective unit. (Ranks with other buffers consult the table of
 * algorithms, and must use the unit as well.)
 */
#define WEFT_ROUTE_FAST_ELEMS 255u
#define WEFT_ROUTE_FAST_BYTES (WEFT_ROUTE_FAST_ELEMS * 8)

/*
 * Fast paths of a barrier, and of an allreduce of few elements of a predefined
 * type; type and operation are given as handles. req_p NULL: waits until the
 * call is complete. Returns 0, -errno, or -ENOSYS: not possible now, and
 * nothing was done.
 */
int weft_route_barrier(struct weft_route *r, struct weft_req **req_p);
int weft_route_allreduce(struct weft_route *r, const void *in, void *out,
			 MPI_Count count, MPI_Datatype type, MPI_Op op,
			 struct weft_req **req_p);

/* Called before the first and after the last call on a route. */
void weft_route_calls_open(void);
void weft_route_calls_close(void);

#endif

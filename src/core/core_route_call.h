/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective calls on a route. A call is the extension's struct fi_weft_call:
 * bytes count as FI_UINT8, of a reduction weft_route_reduction fills in the
 * type and the operation. Of the flags the caller sets FI_WEFT_EXACT alone.
 * There are two ways: run begins it and waits, post makes a request.
 */
#ifndef WEFT_CORE_ROUTE_CALL_H
#define WEFT_CORE_ROUTE_CALL_H

#include "src/core/core_route.h"

struct weft_dt;
struct weft_op;
struct weft_req;

/* Can the unit do op on elements of dt? The same answer on all ranks. */
bool weft_route_can(const struct weft_op *op, const struct weft_dt *dt);
/* libfabric's names of what it can do. */
void weft_route_reduction(struct fi_weft_call *call, const struct weft_op *op,
			  const struct weft_dt *dt);

/* Hands in this rank's part and waits until it is done; 0 or -errno. */
int weft_route_run(struct weft_route *r, const struct fi_weft_call *call);
/* Hands in this rank's part; as weft_core_isend in all else. */
int weft_route_post(struct weft_route *r, const struct fi_weft_call *call,
		    struct weft_req **req_p);

/*
 * The same of a barrier, and of an allreduce of few elements of a predefined
 * type, by its handles. req_p: NULL: waits until it is done. -ENOSYS: not now,
 * and nothing was done.
 */
int weft_route_barrier(struct weft_route *r, struct weft_req **req_p);
int weft_route_allreduce(struct weft_route *r, const void *in, void *out,
			 MPI_Count count, MPI_Datatype type, MPI_Op op,
			 struct weft_req **req_p);

/* Before the first call, and after the last. */
void weft_route_calls_open(void);
void weft_route_calls_close(void);

#endif

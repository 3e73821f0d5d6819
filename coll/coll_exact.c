/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact sums of doubles, rounded once: the bits do not depend on the number of
 * ranks, the tree, the order or the algorithm. WEFT_EXACT=1 requests exact sums
 * on all communicators, the info key weft_exact on one communicator (the key
 * has precedence); both must be the same on all ranks. Exact sums apply to all
 * reductions with MPI_SUM on 64-bit floating point, in all forms, also between
 * two groups.
 *
 * The collective unit computes exact sums; it reduces to one rank or to all. A
 * reduce-scatter is a reduction of each block to its owner. A scan is a
 * reduction to each rank, to which higher ranks contribute negative zeroes
 * (which change no sum, not even a negative zero). Between two groups, the
 * reduction within a group is exact.
 *
 *   scan, p = 3      to 0: x0 -0 -0     to 1: x0 x1 -0     to 2: x0 x1 x2
 *
 * A communicator without a class route joins a group for exact sums here. A
 * nonblocking call does not wait for the join; the step of its program waits.
 */
#include "coll/coll_select.h"

#include "src/base/log.h"
#include "src/types/types_info.h"
#include "src/core/core_opts.h"

#include <errno.h>
#include <string.h>

/* salt of the route for exact sums; the communicator's own route has salt 0 */
#define EXACT_SALT 1

static bool is_exact(struct weft_comm *comm)
{
	char text[8];

	if (comm->info &&
	    weft_info_get(comm->info, "weft_exact", text, sizeof(text)) >= 0)
		return !strcmp(text, "1") || !strcmp(text, "true") ||
		       !strcmp(text, "yes");
	return weft_core_exact;
}

/*
 * Returns whether the provider supports exact sums; prints one warning if not.
 */
static bool can_be_exact(void)
{
	static bool warned;

	if (weft_routes_exist() || warned)
		return weft_routes_exist();
	warned = true;
	weft_log(WEFT_LOG_WARN, "exact sums need the weft provider: "
				"WEFT_EXACT has no effect");
	return false;
}

/*
 * Returns whether the call is a sum to which this rank contributes; in a reduce
 * between two groups, the root's group does not contribute.
 */
static bool is_sum(const struct weft_coll_args *a)
{
	switch (a->kind) {
	case WEFT_COLL_REDUCE:
		return a->root != MPI_ROOT && a->root != MPI_PROC_NULL;
	case WEFT_COLL_ALLREDUCE:
	case WEFT_COLL_REDUCE_SCATTER:
	case WEFT_COLL_SCAN:
	case WEFT_COLL_EXSCAN:
		return true;
	default:
		return false;
	}
}

bool coll_exact_requested(const struct weft_coll_args *a)
{
	if (!weft_core_exact && !a->comm->info)
		return false;
	return is_sum(a) && a->comm->size > 1 &&
	       a->r.dt->basic == WEFT_NUM_F64 &&
	       weft_obj_handle(&a->op->obj) == MPI_SUM && is_exact(a->comm) &&
	       can_be_exact();
}

struct weft_comm *coll_exact_comm(const struct weft_coll_args *a)
{
	return a->comm->inter ? a->comm->local : a->comm;
}

/* Returns the route of an exact call; a persistent call has a private route. */
static struct weft_route *exact_route(const struct weft_coll_args *a)
{
	struct weft_route *own = coll_route(a);

	return own ? own : coll_exact_comm(a)->exact_route;
}

int coll_exact_join(const struct weft_coll_args *a, bool wait)
{
	struct weft_comm *comm = coll_exact_comm(a);
	int rc;

	if (!exact_route(a)) {
		rc = weft_route_open(comm, EXACT_SALT, &comm->exact_route);
		if (rc)
			return rc;
	}
	if (wait && weft_route_wait(exact_route(a)) == WEFT_ROUTE_FAILED)
		return -EIO;
	return 0;
}

/*
 * Adds a step that sums n doubles of all ranks; out is used only at ranks that
 * get the result.
 */
static void exact_sum_add(struct coll_prog *p, const struct weft_coll_args *a,
			  struct weft_coll_call call)
{
	weft_route_reduction(&call, a->op, a->r.dt);
	call.type = WEFT_COLL_EXACT;
	if (call.count)
		coll_unit(p, exact_route(a), &call);
}

void coll_reduction_exact(struct coll_prog *p, const struct weft_coll_args *a)
{
	exact_sum_add(p, a,
		      (struct weft_coll_call){
			      .kind = (uint8_t)a->kind,
			      .root = a->root,
			      .in = coll_input(a),
			      .out = a->r.buf,
			      .count = (size_t)a->r.count,
		      });
}

static void exact_sum_to_add(struct coll_prog *p,
			     const struct weft_coll_args *a, int root,
			     const double *in, double *out, MPI_Count n)
{
	exact_sum_add(p, a,
		      (struct weft_coll_call){
			      .kind = WEFT_COLL_REDUCE,
			      .root = root,
			      .in = in,
			      .out = out,
			      .count = (size_t)n,
		      });
}

void coll_reduce_local_group(struct coll_prog *p,
			     const struct weft_coll_args *a,
			     const struct weft_coll_args *in)
{
	if (coll_exact_requested(a))
		exact_sum_to_add(p, a, in->root, in->s.buf, in->r.buf,
				 in->r.count);
	else
		coll_reduce_binomial(p, in);
}

/*
 * Returns a buffer for this rank's result that does not overwrite its input,
 * which other ranks still need.
 */
static double *result_buffer(struct coll_prog *p,
			     const struct weft_coll_args *a, MPI_Count n)
{
	return coll_in_place(&a->s) ? coll_bytes(p, n * (MPI_Count)8)
				    : a->r.buf;
}

static void result_copy(struct coll_prog *p, const struct weft_coll_args *a,
			const double *from, MPI_Count n)
{
	if (from == a->r.buf)
		return;
	coll_wait_all(p);
	coll_copy(p, from, n, a->r.dt, a->r.buf, n, a->r.dt);
}

void coll_redscat_exact(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = coll_count(&a->r, p->rank);
	double *out = result_buffer(p, a, n);
	const double *in = coll_input(a);

	for (int r = 0; r < p->size && !p->err; r++) {
		exact_sum_to_add(p, a, r, in, out, coll_count(&a->r, r));
		in += coll_count(&a->r, r);
	}
	result_copy(p, a, out, n);
}

void coll_scan_exact(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count n = a->r.count;
	int behind = a->kind == WEFT_COLL_EXSCAN;
	double *nothing = coll_bytes(p, n * (MPI_Count)8);
	double *out = result_buffer(p, a, n);

	for (MPI_Count i = 0; nothing && i < n; i++)
		nothing[i] = -0.0;
	for (int r = behind; r < p->size && !p->err; r++)
		exact_sum_to_add(p, a, r,
				 p->rank + behind <= r ? coll_input(a)
						       : nothing,
				 out, n);
	/* rank 0 of an exclusive scan has no result */
	if (p->rank >= behind)
		result_copy(p, a, out, n);
}

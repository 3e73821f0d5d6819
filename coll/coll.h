/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations, called by src/mpi.
 *
 * A call is described by struct weft_coll_args, one struct for all operations.
 * The table in coll_select.c selects an algorithm for these arguments. An
 * algorithm is a function that calls the send, receive, reduce and copy
 * functions of coll_prog.h for this rank. This function is used in three modes:
 *
 *   weft_coll_run     executes the steps as they are called, returns when done
 *   weft_coll_start   records them, starts them, returns the request
 *   weft_coll_init    records them; every MPI_Start executes them again
 *
 * The caller has checked the arguments. All functions return 0 or a negative
 * errno. An error in the middle of an operation is reported at its end, so that
 * the other ranks do not hang.
 */
#ifndef WEFT_COLL_H
#define WEFT_COLL_H

#include "src/job/job_cfg.h"
#include "src/comm/comm_coll_table.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <weft/coll_call.h>

struct weft_comm;
struct weft_req;
struct weft_route;

/* An array of numbers as passed to MPI: NULL, int[], or MPI_Count[] (wide). */
struct weft_coll_array {
	const void *at;
	bool wide;
};

static inline MPI_Count weft_coll_num(const struct weft_coll_array *r, int i)
{
	return r->wide ? ((const MPI_Count *)r->at)[i]
		       : ((const int *)r->at)[i];
}

/*
 * One side of an operation: the send buffer or the receive buffer. Block i
 * belongs to rank (or neighbour) i.
 *   counts.at == NULL   every block has count elements of dt, adjacent
 *   types == NULL       block i: counts[i] of dt, displs[i] extents away
 *   types               block i: counts[i] of types[i], displs[i] bytes away
 * buf may be MPI_IN_PLACE on one of the two sides, as the operation allows.
 */
struct weft_coll_side {
	void *buf; /* address; a send buffer is never written */
	MPI_Count count;
	struct weft_dt *dt;
	struct weft_coll_array counts;
	struct weft_coll_array displs;
	const MPI_Datatype *types;
};

/*
 * Use of the sides s and r: bcast uses r only. Reductions have type and count
 * in r (reduce_scatter: r.counts or, for the block form, r.count per rank) and
 * only the buffer in s. Sides that are not significant on this rank may have
 * any value.
 */
struct weft_coll_args {
	enum weft_coll_kind kind;
	struct weft_comm *comm;
	/* v or w form: block sizes may differ */
	bool uneven;
	/*
	 * persistent operation: ranks may start several of them in different
	 * orders
	 */
	bool any_order;
	/* blocking call; set by weft_coll_run() */
	bool blocks;
	struct weft_route *route; /* private class route, or NULL */
	/*
	 * rank of the root; intercommunicators: also MPI_ROOT or MPI_PROC_NULL
	 */
	int root;
	struct weft_op *op;
	struct weft_coll_side s;
	struct weft_coll_side r;
};

/*
 * Execute a call on the class route, without selecting an algorithm. Return
 * false if weft_coll_run() or weft_coll_start() must be called. req_p NULL:
 * blocking.
 */
bool weft_coll_barrier_on_route(struct weft_comm *comm, struct weft_req **req_p,
				int *rc_p);
bool weft_coll_allreduce_on_route(struct weft_comm *comm, const void *in,
				  void *out, MPI_Count count, MPI_Datatype type,
				  MPI_Op op, struct weft_req **req_p,
				  int *rc_p);
int weft_coll_run(const struct weft_coll_args *a);
int weft_coll_start(const struct weft_coll_args *a, struct weft_req **req_p);
int weft_coll_init(const struct weft_coll_args *a, struct weft_req **req_p);

/* Called at the end of MPI_Init; joins a class route if the world is small. */
void weft_coll_open(struct weft_comm *world);

/* Called by src/comm when communicators are created and freed. */
extern const struct weft_core_coll_ops weft_coll_core_ops;

/*
 * Options WEFT_COLL_BARRIER etc., each of which names the algorithm to use;
 * indexed by operation.
 */
extern const struct weft_cfg_opt weft_coll_options[WEFT_COLL_KINDS];

/*
 * For weft-info: weft_coll_help() sets *help_p to entry i of the list of all
 * algorithms, and returns false after the last one. option: environment
 * variable that forces an algorithm (WEFT_COLL_BCAST=binomial).
 */
struct weft_coll_help {
	const char *option;
	const char *name;
	const char *text; /* short description of the algorithm */
};
bool weft_coll_help(size_t i, struct weft_coll_help *help_p);

#endif

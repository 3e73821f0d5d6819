/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of algorithms: rows are read top to bottom, the first that fits is
 * taken. A row is data; the properties it depends on must be equal on all ranks
 * of the operation, or they would choose differently.
 */
#ifndef WEFT_COLL_SELECT_H
#define WEFT_COLL_SELECT_H

#include "coll/coll_prog.h"

#include <stdint.h>

enum {
	COLL_INTRA = 1,	   /* intracommunicators only */
	COLL_INTER = 2,	   /* intercommunicators only */
	COLL_COMMUTE = 4,  /* commutative operations only */
	COLL_POW2 = 8,	   /* a power of two of ranks */
	COLL_EVEN = 16,	   /* blocks of one size: not the v and w forms */
	COLL_OUT = 32,	   /* not in place */
	COLL_IN = 64,	   /* in place only */
	COLL_ROUTE = 256,  /* the unit can do it on this communicator */
	COLL_BULK = 512,   /* the unit reads long vectors in place */
	COLL_EXACT = 1024, /* a sum of doubles with a single rounding */
	COLL_HOSTS = 2048, /* ranks on several hosts */
	/*
	 * Not a requirement but a range: chosen where the job shares the cores
	 * of one host, so that rounds cost more than work; ignored when forced.
	 */
	COLL_CROWDED = 128,
};

/* Longer vectors are not sent through the unit in packets. */
#define COLL_UNIT_BYTES (UINT64_C(16) << 10)

typedef void (*coll_say_fn)(struct coll_prog *p,
			    const struct weft_coll_args *a);

struct coll_algo {
	enum weft_coll_kind kind;
	const char *name;
	unsigned need; /* required COLL_ bits */
	/*
	 * bytes: see coll_volume(); ranks: of the local group. Both bounds are
	 * inclusive; 0 as upper bound: no limit.
	 */
	uint64_t min_bytes;
	uint64_t max_bytes;
	int min_ranks;
	int max_ranks;
	coll_say_fn say;
	const char *text;
};

/*
 * The row for a call: the one forced by the communicator's info or the
 * environment if it fits, else the first that fits. There is always one.
 */
const struct coll_algo *coll_select(const struct weft_coll_args *a);

/*
 * The bytes by which an algorithm is chosen, equal on all ranks: the vector
 * (bcast, reductions), one block (gather, scatter, alltoall), all blocks
 * (allgather, reduce_scatter); 0 where no rank knows (v and w forms that are
 * described on one side only).
 */
uint64_t coll_volume(const struct weft_coll_args *a);

/* True if the environment forces no algorithm for this operation. */
bool coll_not_forced(enum weft_coll_kind kind);

/* Row i of one operation, or NULL; for tests. */
const struct coll_algo *coll_algo_at(enum weft_coll_kind kind, unsigned i);
/* True if the row's requirements are met, regardless of its ranges. */
bool coll_algo_supports(const struct coll_algo *row,
			const struct weft_coll_args *a);
/* Forces a row for one operation (NULL: none), as the environment does. */
void coll_select_force(enum weft_coll_kind kind, const struct coll_algo *row);

/* ---- the algorithms, one file each ---- */

/* coll_unit.c: called at a blocking collective, which may join the route. */
void coll_unit_join(struct weft_comm *comm);
/* coll_unit.c: called at a nonblocking collective, which may start the join. */
void coll_unit_begin(struct weft_comm *comm);
/* coll_unit.c: the route that serves this call, or NULL. */
struct weft_route *coll_route(const struct weft_coll_args *a);
/*
 * coll_unit.c: a route for one persistent operation, which ranks may start in
 * any order among others; NULL: messages are used. Blocks until all ranks call.
 */
struct weft_route *coll_unit_private_route(const struct weft_coll_args *a);
/* coll_unit.c: true if the unit supports the call, regardless of the table. */
bool coll_unit_fits(const struct weft_coll_args *a);
/* True if the vector is longer than the route's limit. */
bool coll_unit_too_long(const struct weft_coll_args *a,
			const struct weft_route *r);
/* coll_unit.c: true: the call is complete, with *rc_p as its result. */
bool coll_unit_run(const struct weft_coll_args *a, int *rc_p);
/* coll_unit.c: as coll_unit_run, nonblocking; the request is the unit's. */
bool coll_unit_start(const struct weft_coll_args *a, struct weft_req **req_p,
		     int *rc_p);
void coll_barrier_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_gather_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scatter_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_unit(struct coll_prog *p, const struct weft_coll_args *a);

/* coll_exact.c: true for an exact sum; joins a route for it; the algorithms. */
bool coll_exact_wanted(const struct weft_coll_args *a);
int coll_exact_join(const struct weft_coll_args *a, bool wait);
void coll_reduction_exact(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_exact(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scan_exact(struct coll_prog *p, const struct weft_coll_args *a);
/* coll_exact.c: the ranks that contribute: of two groups, the local one. */
struct weft_comm *coll_exact_comm(const struct weft_coll_args *a);
/* coll_exact.c: executes `in` on the local group of a; exact if a is. */
void coll_reduce_local_group(struct coll_prog *p,
			     const struct weft_coll_args *a,
			     const struct weft_coll_args *in);

void coll_barrier_dissem(struct coll_prog *p, const struct weft_coll_args *a);
void coll_barrier_tree(struct coll_prog *p, const struct weft_coll_args *a);
void coll_barrier_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_bcast_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_binomial(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_chain(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_scatter(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_inter(struct coll_prog *p, const struct weft_coll_args *a);

/* coll_by_host.c: operations over several hosts. */
void coll_barrier_hosts(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_hosts(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_hosts(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_hosts(struct coll_prog *p, const struct weft_coll_args *a);

/*
 * The sum of the nodes of a tree, by messages: own is the vector of this node,
 * to the buffer of the sum at the root, which may be own.
 */
struct coll_tree;
void coll_reduce_tree(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t, const void *own, void *to);

void coll_reduce_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_binomial(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_rabenseifner(struct coll_prog *p,
			      const struct weft_coll_args *a);
void coll_reduce_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_allreduce_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_rabenseifner(struct coll_prog *p,
				 const struct weft_coll_args *a);
void coll_allreduce_ring(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_tree(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_gather_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_gather_binomial(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scatter_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scatter_binomial(struct coll_prog *p, const struct weft_coll_args *a);

void coll_allgather_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_bruck(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_ring(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_alltoall_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_pairwise(struct coll_prog *p,
			    const struct weft_coll_args *a);
void coll_alltoall_bruck(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_inplace(struct coll_prog *p, const struct weft_coll_args *a);

void coll_redscat_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_halving(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_pairwise(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_ordered(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_scan_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scan_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_exscan_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_exscan_linear(struct coll_prog *p, const struct weft_coll_args *a);

void coll_neighbor_allgather(struct coll_prog *p,
			     const struct weft_coll_args *a);
void coll_neighbor_alltoall(struct coll_prog *p,
			    const struct weft_coll_args *a);

/* ---- parts that other algorithms use ---- */

/*
 * Receives the vectors of all ranks, from the last to the first, and combines
 * them in to; own is this rank's, which takes part unless the vectors are those
 * of another group.
 */
void coll_reduce_recv_all(struct coll_prog *p, const struct weft_coll_args *a,
			  const void *own, void *to);
/* Allreduce in vec, which holds this rank's vector; other: same size. */
void coll_allreduce_buffers(struct coll_prog *p, char *vec, char *other,
			    MPI_Count n);

#endif

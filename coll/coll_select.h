/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of algorithms. Rows are read top to bottom, and the first row that
 * fits is used. The properties on which a row depends must be the same on all
 * ranks of the operation, otherwise ranks would select different algorithms.
 */
#ifndef WEFT_COLL_SELECT_H
#define WEFT_COLL_SELECT_H

#include "coll/coll_prog.h"

#include <stdint.h>

enum {
	COLL_INTRA = 1,	  /* intracommunicators only */
	COLL_INTER = 2,	  /* intercommunicators only */
	COLL_COMMUTE = 4, /* commutative operations only */
	COLL_POW2 = 8,	  /* number of ranks is a power of two */
	COLL_EVEN = 16,	  /* blocks of equal size: not the v and w forms */
	COLL_OUT = 32,	  /* not in place */
	COLL_IN = 64,	  /* in place only */
	/* the collective unit supports the call on this communicator */
	COLL_ROUTE = 256,
	COLL_BULK = 512,   /* the unit reads long vectors in place */
	COLL_EXACT = 1024, /* a sum of doubles with a single rounding */
	COLL_HOSTS = 2048, /* ranks on several hosts */
	/*
	 * a blocking call that may use memory shared by all ranks
	 * (coll_shared.h)
	 */
	COLL_SHARED = 8192,
	/*
	 * Preferred if the ranks of a job share the cores of one host, so that
	 * rounds cost more than computation. Not a requirement: ignored if the
	 * row is forced.
	 */
	COLL_OVERSUBSCRIBED = 128,
	/*
	 * Preferred if every rank of the job has its own core, all on one host,
	 * so that a rank that reads from many others does not delay them. Not a
	 * requirement: ignored if the row is forced.
	 */
	COLL_OWN_CORE = 4096,
	/*
	 * Selected only by machine files and by the user. Not a requirement:
	 * ignored if the row is forced.
	 */
	COLL_CHOSEN = 16384,
};

/* largest vector that is sent through the collective unit in packets, bytes */
#define COLL_UNIT_BYTES (UINT64_C(16) << 10)

/*
 * Smallest vector of an allreduce that uses shared memory instead of the unit
 * if each rank has its own core, bytes; measured with 4, 8 and 16 ranks.
 */
#define COLL_SHARED_MIN (UINT64_C(2) << 10)

typedef void (*coll_algo_fn)(struct coll_prog *p,
			     const struct weft_coll_args *a);

struct coll_algo {
	enum weft_coll_kind kind;
	const char *name;
	unsigned need; /* required COLL_ bits */
	/*
	 * bytes: see coll_volume(); ranks: size of the local group. All bounds
	 * are inclusive; an upper bound of 0 is no limit.
	 */
	uint64_t min_bytes;
	uint64_t max_bytes;
	int min_ranks;
	int max_ranks;
	coll_algo_fn fn;
	const char *text;
};

/*
 * Returns the row for a call: the row forced by the communicator's info or the
 * environment if it fits, otherwise the first row that fits; there always is
 * one.
 */
const struct coll_algo *coll_select(const struct weft_coll_args *a);
/*
 * Returns the row for a part of a composed collective: like coll_select(), but
 * never a row that is itself composed (COLL_CHOSEN).
 */
const struct coll_algo *coll_select_part(const struct weft_coll_args *a);

/*
 * Returns the number of bytes by which an algorithm is selected, the same on
 * all ranks: the vector (bcast, reductions), one block (gather, scatter,
 * alltoall), all blocks (allgather, reduce_scatter); 0 if not all ranks have
 * the sizes (v and w forms that are described on one side only).
 */
uint64_t coll_volume(const struct weft_coll_args *a);

/*
 * Returns whether neither the environment nor the machine file names an
 * algorithm for this operation.
 */
bool coll_not_forced(enum weft_coll_kind kind);
/* Returns whether a named algorithm prevents this call from using the unit. */
bool coll_avoids_unit(const struct weft_coll_args *a);

/* Returns the first row of an operation with this name, or NULL. */
const struct coll_algo *coll_algo_named(enum weft_coll_kind kind,
					const char *name);
/* Returns row i of one operation, or NULL; for tests. */
const struct coll_algo *coll_algo_at(enum weft_coll_kind kind, unsigned i);
/*
 * Returns whether the call meets the row's requirements, regardless of its
 * ranges.
 */
bool coll_algo_supports(const struct coll_algo *row,
			const struct weft_coll_args *a);
/* Forces a row for one operation (NULL: none), as the environment does. */
void coll_select_force(enum weft_coll_kind kind, const struct coll_algo *row);

/* ---- the algorithms, one file each ---- */

/* coll_unit.c: called in a blocking collective; may join a class route. */
void coll_unit_join(struct weft_comm *comm);
/* coll_unit.c: called in a nonblocking collective; may start the join. */
void coll_unit_begin(struct weft_comm *comm);
/* coll_unit.c: returns the route for this call, or NULL. */
struct weft_route *coll_route(const struct weft_coll_args *a);
/*
 * coll_unit.c: opens a route for one persistent operation, since ranks may
 * start persistent operations in different orders. NULL: messages are used.
 * Blocks until all ranks have called it.
 */
struct weft_route *coll_unit_private_route(const struct weft_coll_args *a);
/*
 * coll_side.c: returns whether the unit supports the call, regardless of what
 * the table selects.
 */
bool coll_unit_fits(const struct weft_coll_args *a);
/* Returns whether the vector is longer than the route's limit. */
bool coll_unit_too_long(const struct weft_coll_args *a,
			const struct weft_route *r);
/*
 * coll_unit.c: executes a blocking call with the unit. Returns true if the call
 * is complete; its result is in *rc_p.
 */
bool coll_unit_run(const struct weft_coll_args *a, int *rc_p);
/*
 * coll_unit.c: starts a nonblocking call with the unit. Returns false if the
 * unit is not used.
 */
bool coll_unit_start(const struct weft_coll_args *a, struct weft_req **req_p,
		     int *rc_p);
void coll_barrier_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduction_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_gather_unit(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scatter_unit(struct coll_prog *p, const struct weft_coll_args *a);

/* coll_shared_algo.c */
void coll_bcast_shared(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_shared(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_shared(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_shared(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_shared(struct coll_prog *p, const struct weft_coll_args *a);

/*
 * coll_exact.c: exact sums. coll_exact_requested() returns whether the call is
 * an exact sum, coll_exact_join() joins a route for it; the other functions are
 * the algorithms.
 */
bool coll_exact_requested(const struct weft_coll_args *a);
int coll_exact_join(const struct weft_coll_args *a, bool wait);
void coll_reduction_exact(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_exact(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scan_exact(struct coll_prog *p, const struct weft_coll_args *a);
/*
 * coll_exact.c: returns the communicator of the contributing ranks; for an
 * intercommunicator this is the local group.
 */
struct weft_comm *coll_exact_comm(const struct weft_coll_args *a);
/*
 * coll_exact.c: executes the reduction `in` on the local group of the call `a`.
 * The sum is exact if `a` requests an exact sum.
 */
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
void coll_allreduce_pieces(struct coll_prog *p, const struct weft_coll_args *a);

/*
 * Reduces the vectors of the nodes of a tree by messages. own: vector of this
 * node; to: buffer for the sum at the root, may be equal to `own`.
 */
struct coll_tree;
void coll_reduce_tree(struct coll_prog *p, const struct weft_coll_args *a,
		      const struct coll_tree *t, const void *own, void *to);

void coll_reduce_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_binomial(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_rabenseifner(struct coll_prog *p,
			      const struct weft_coll_args *a);
void coll_reduce_slices(struct coll_prog *p, const struct weft_coll_args *a);
void coll_reduce_inter(struct coll_prog *p, const struct weft_coll_args *a);

void coll_allreduce_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_rabenseifner(struct coll_prog *p,
				 const struct weft_coll_args *a);
void coll_allreduce_ring(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_slices(struct coll_prog *p, const struct weft_coll_args *a);
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
void coll_alltoall_random(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_pairwise(struct coll_prog *p,
			    const struct weft_coll_args *a);
void coll_alltoall_bruck(struct coll_prog *p, const struct weft_coll_args *a);
void coll_alltoall_inplace(struct coll_prog *p, const struct weft_coll_args *a);

void coll_redscat_recdbl(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_halving(struct coll_prog *p, const struct weft_coll_args *a);
void coll_redscat_ahead(struct coll_prog *p, const struct weft_coll_args *a);
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

void coll_barrier_linear(struct coll_prog *p, const struct weft_coll_args *a);
void coll_bcast_composed(struct coll_prog *p, const struct weft_coll_args *a);
void coll_scatter_composed(struct coll_prog *p, const struct weft_coll_args *a);
void coll_gather_composed(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allgather_composed(struct coll_prog *p,
			     const struct weft_coll_args *a);
void coll_reduce_composed(struct coll_prog *p, const struct weft_coll_args *a);
void coll_allreduce_composed(struct coll_prog *p,
			     const struct weft_coll_args *a);
void coll_redscat_composed(struct coll_prog *p, const struct weft_coll_args *a);

/* ---- parts of algorithms that others call ---- */

/*
 * Receives the vectors of all ranks, from the last to the first, and combines
 * them in `to`. own: this rank's vector, included unless the vectors come from
 * another group.
 */
void coll_reduce_recv_all(struct coll_prog *p, const struct weft_coll_args *a,
			  const void *own, void *to);
/*
 * Executes an allreduce of `vec`, which holds this rank's vector and gets the
 * result. other: temporary buffer of the same size.
 */
void coll_allreduce_buffers(struct coll_prog *p, char *vec, char *other,
			    MPI_Count n);

#endif

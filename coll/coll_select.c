/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of algorithms, and the selection. Rows are read top to bottom.
 * Every call has at least one row that fits, as coll_select_test.c checks.
 */
#include "coll/coll_select.h"

#include "coll/coll_choice.h"
#include "coll/coll_hosts.h"
#include "coll/coll_shared.h"

#include "src/base/attr.h"
#include "src/types/types_info.h"
#include "src/core/core_state.h"

#include <string.h>

#define KIB	    (UINT64_C(1) << 10)
#define ANY	    COLL_INTRA
#define SHARED	    (COLL_SHARED | COLL_OWN_CORE)
#define SHARED_TEXT "copies through memory of all ranks, if blocking"

/*
 * The collective unit reads vectors of this length or longer in place. With
 * many ranks on few cores this halves the time of a long bcast; reductions are
 * faster by messages (measured with 2, 4 and 16 ranks, 32 KiB to 2 MiB).
 */
#define UNIT_LONG (64 * KIB)

/*
 * Largest size in bytes of one block, and of all blocks, that is sent through
 * the unit in packets; measured with 2, 4 and 16 ranks.
 */
#define UNIT_BLOCK  (2 * KIB)
#define UNIT_BLOCKS (8 * KIB)

/*
 * Largest number of ranks for which linear algorithms are selected. In a linear
 * algorithm a rank exchanges messages with all ranks, or reads their segments
 * of the collective unit. In larger worlds the state per peer (a mapping, its
 * page tables, a first contact of some 30 us) costs more than the steps of an
 * algorithm with log2 p neighbours: with 256 ranks on two cores, an alltoall of
 * 1 KiB takes 0.6 instead of 2 s, and the first one 0.9 instead of 6 s.
 */
#define LINEAR_MAX_RANKS 128
#define LARGE		 (LINEAR_MAX_RANKS + 1)

/*
 * Rows of each operation: kind, name, requirements, smallest and largest number
 * of bytes, smallest and largest number of ranks, function, text.
 */

/* barrier */
static const struct coll_algo barrier_rows[] = {
	{ WEFT_COLL_BARRIER, "unit", ANY | COLL_ROUTE, 0, 0, 0, 0,
	  coll_barrier_unit, "class route, or atomics and puts" },
	{ WEFT_COLL_BARRIER, "inter", COLL_INTER, 0, 0, 0, 0,
	  coll_barrier_inter, "two barriers and a handshake" },
	{ WEFT_COLL_BARRIER, "hosts", ANY | COLL_HOSTS, 0, 0, 0, 0,
	  coll_barrier_hosts,
	  "collective unit of each host, one message in each direction" },
	{ WEFT_COLL_BARRIER, "dissemination", ANY, 0, 0, 0, 4,
	  coll_barrier_dissem, "log2 p rounds" },
	{ WEFT_COLL_BARRIER, "tree", ANY | COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_barrier_tree, "binomial tree, fewest messages" },
	/*
	 * selected only by machine files or the user, for few ranks without
	 * barrier hardware
	 */
	{ WEFT_COLL_BARRIER, "linear", ANY | COLL_CHOSEN, 0, 0, 0, 0,
	  coll_barrier_linear, "signals to all, one round" },
	{ WEFT_COLL_BARRIER, "dissemination", ANY, 0, 0, 0, 0,
	  coll_barrier_dissem, "log2 p rounds" },
};

/* bcast: byte limits apply to the message */
static const struct coll_algo bcast_rows[] = {
	{ WEFT_COLL_BCAST, "unit", ANY | COLL_ROUTE, 0, COLL_UNIT_BYTES, 0, 0,
	  coll_bcast_unit, "class route, or atomics and puts" },
	{ WEFT_COLL_BCAST, "unit",
	  ANY | COLL_ROUTE | COLL_BULK | COLL_OVERSUBSCRIBED, UNIT_LONG, 0, 8,
	  0, coll_bcast_unit, "class route of the provider" },
	{ WEFT_COLL_BCAST, "inter", COLL_INTER, 0, 0, 0, 0, coll_bcast_inter,
	  "one hop, then a tree" },
	{ WEFT_COLL_BCAST, "hosts", ANY | COLL_HOSTS, 0, 0, 0, 0,
	  coll_bcast_hosts,
	  "one message to each host, then its collective unit" },
	{ WEFT_COLL_BCAST, "shared", ANY | SHARED, 0, 64 * KIB, 3, 3,
	  coll_bcast_shared, SHARED_TEXT },
	{ WEFT_COLL_BCAST, "shared", ANY | SHARED, 0, 0, 4, 0,
	  coll_bcast_shared, SHARED_TEXT },
	{ WEFT_COLL_BCAST, "linear", 0, 0, 0, 0, 2, coll_bcast_linear,
	  "root sends to all" },
	{ WEFT_COLL_BCAST, "binomial", ANY, 0, 32 * KIB, 0, 0,
	  coll_bcast_binomial, "binomial tree" },
	{ WEFT_COLL_BCAST, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_bcast_linear, "root sends to all" },
	{ WEFT_COLL_BCAST, "binomial", ANY | COLL_OWN_CORE, 0, 128 * KIB, 0, 0,
	  coll_bcast_binomial, "binomial tree" },
	{ WEFT_COLL_BCAST, "binomial", ANY | COLL_OWN_CORE, 0, 0, 0, 8,
	  coll_bcast_binomial, "binomial tree" },
	{ WEFT_COLL_BCAST, "chain", ANY, 0, 0, 0, 3, coll_bcast_chain,
	  "chain with segments" },
	{ WEFT_COLL_BCAST, "composed", ANY | COLL_CHOSEN, 0, 0, 0, 0,
	  coll_bcast_composed, "scatter, then allgather" },
	{ WEFT_COLL_BCAST, "scatter", ANY, 0, 0, 0, 0, coll_bcast_scatter,
	  "scatter, then allgather on a ring" },
};

/* reduce: byte limits apply to the vector */
static const struct coll_algo reduce_rows[] = {
	{ WEFT_COLL_REDUCE, "exact", ANY | COLL_EXACT, 0, 0, 0, 0,
	  coll_reduction_exact, "sum rounded once, WEFT_EXACT" },
	{ WEFT_COLL_REDUCE, "unit", ANY | COLL_ROUTE, 0, COLL_UNIT_BYTES, 0, 0,
	  coll_reduction_unit, "class route, or atomics and puts" },
	{ WEFT_COLL_REDUCE, "inter", COLL_INTER, 0, 0, 0, 0, coll_reduce_inter,
	  "tree, then one hop" },
	{ WEFT_COLL_REDUCE, "hosts", ANY | COLL_HOSTS | COLL_COMMUTE, 0,
	  512 * KIB, 0, 0, coll_reduce_hosts,
	  "collective unit of each host, one message from each" },
	{ WEFT_COLL_REDUCE, "shared", ANY | COLL_COMMUTE | SHARED, 32 * KIB + 1,
	  512 * KIB, 3, 4, coll_reduce_shared, SHARED_TEXT },
	{ WEFT_COLL_REDUCE, "shared", ANY | COLL_COMMUTE | SHARED, 32 * KIB + 1,
	  2048 * KIB, 5, 0, coll_reduce_shared, SHARED_TEXT },
	{ WEFT_COLL_REDUCE, "binomial", ANY, 0, 32 * KIB, 0, 0,
	  coll_reduce_binomial, "binomial tree" },
	{ WEFT_COLL_REDUCE, "binomial", ANY, 0, 0, 0, 2, coll_reduce_binomial,
	  "binomial tree" },
	{ WEFT_COLL_REDUCE, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 16,
	  coll_reduce_linear, "root receives from all, in order" },
	{ WEFT_COLL_REDUCE, "binomial", ANY | COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_reduce_binomial, "binomial tree" },
	{ WEFT_COLL_REDUCE, "binomial", ANY | COLL_OWN_CORE, 0, 512 * KIB, 0, 0,
	  coll_reduce_binomial, "binomial tree" },
	{ WEFT_COLL_REDUCE, "binomial", ANY | COLL_OWN_CORE, 0, 0, 0, 4,
	  coll_reduce_binomial, "binomial tree" },
	{ WEFT_COLL_REDUCE, "slices", ANY | COLL_COMMUTE | COLL_OWN_CORE, 0, 0,
	  0, LINEAR_MAX_RANKS, coll_reduce_slices,
	  "each rank combines a slice, all at once" },
	{ WEFT_COLL_REDUCE, "composed", ANY | COLL_CHOSEN, 0, 0, 0, 0,
	  coll_reduce_composed, "allreduce" },
	{ WEFT_COLL_REDUCE, "rabenseifner", ANY, 0, 0, 0, 0,
	  coll_reduce_rabenseifner, "reduce-scatter by halving, then gather" },
};

/* allreduce: byte limits apply to the vector */
static const struct coll_algo allreduce_rows[] = {
	{ WEFT_COLL_ALLREDUCE, "exact", ANY | COLL_EXACT, 0, 0, 0, 0,
	  coll_reduction_exact, "sum rounded once, WEFT_EXACT" },
	{ WEFT_COLL_ALLREDUCE, "shared", ANY | COLL_COMMUTE | SHARED,
	  COLL_SHARED_MIN, 0, 3, 0, coll_allreduce_shared, SHARED_TEXT },
	{ WEFT_COLL_ALLREDUCE, "unit", ANY | COLL_ROUTE, 0, COLL_UNIT_BYTES, 0,
	  0, coll_reduction_unit, "class route, or atomics and puts" },
	{ WEFT_COLL_ALLREDUCE, "inter", COLL_INTER, 0, 0, 0, 0,
	  coll_allreduce_inter, "reduce, exchange, bcast" },
	{ WEFT_COLL_ALLREDUCE, "hosts", ANY | COLL_HOSTS | COLL_COMMUTE, 0,
	  128 * KIB, 0, 0, coll_allreduce_hosts,
	  "collective unit of each host, one message in each direction" },
	{ WEFT_COLL_ALLREDUCE, "pieces", ANY | COLL_HOSTS | COLL_COMMUTE, 0, 0,
	  0, 0, coll_allreduce_pieces,
	  "pieces led by the ranks of each host in turn" },
	{ WEFT_COLL_ALLREDUCE, "recdbl", ANY, 0, 8 * KIB, 0, 4,
	  coll_allreduce_recdbl, "recursive doubling" },
	{ WEFT_COLL_ALLREDUCE, "ring", ANY | COLL_COMMUTE, 0, 0, 0, 2,
	  coll_allreduce_ring, "reduce-scatter and allgather on a ring" },
	{ WEFT_COLL_ALLREDUCE, "tree", ANY | COLL_OVERSUBSCRIBED, 0, 512 * KIB,
	  0, 0, coll_allreduce_tree, "binomial tree up and down" },
	{ WEFT_COLL_ALLREDUCE, "recdbl", ANY, 0, 8 * KIB, 0, 0,
	  coll_allreduce_recdbl, "recursive doubling" },
	{ WEFT_COLL_ALLREDUCE, "slices", ANY | COLL_COMMUTE | COLL_OWN_CORE, 0,
	  0, 0, 4, coll_allreduce_slices,
	  "each rank combines a slice, all at once" },
	{ WEFT_COLL_ALLREDUCE, "rabenseifner", ANY | COLL_OWN_CORE, 0, 0, 0, 0,
	  coll_allreduce_rabenseifner, "halving, then doubling" },
	{ WEFT_COLL_ALLREDUCE, "ring", ANY | COLL_COMMUTE, 512 * KIB, 0, 0, 0,
	  coll_allreduce_ring, "reduce-scatter and allgather on a ring" },
	{ WEFT_COLL_ALLREDUCE, "rabenseifner", ANY, 0, 0, 0, 0,
	  coll_allreduce_rabenseifner, "halving, then doubling" },
	{ WEFT_COLL_ALLREDUCE, "composed", ANY | COLL_CHOSEN, 0, 0, 0, 0,
	  coll_allreduce_composed, "reduce, then broadcast" },
	{ WEFT_COLL_ALLREDUCE, "linear", 0, 0, 0, 0, 0, coll_allreduce_linear,
	  "all vectors to all" },
};

/* gather: byte limits apply to one block */
static const struct coll_algo gather_rows[] = {
	{ WEFT_COLL_GATHER, "unit", ANY | COLL_ROUTE | COLL_EVEN, 0, UNIT_BLOCK,
	  0, 2, coll_gather_unit, "class route of the provider" },
	{ WEFT_COLL_GATHER, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 32,
	  coll_gather_linear, "all send to the root" },
	{ WEFT_COLL_GATHER, "binomial", ANY | COLL_EVEN, 0, 4 * KIB, 4, 0,
	  coll_gather_binomial, "binomial tree" },
	{ WEFT_COLL_GATHER, "composed", ANY | COLL_EVEN | COLL_CHOSEN, 0, 0, 0,
	  0, coll_gather_composed, "allgather" },
	{ WEFT_COLL_GATHER, "linear", 0, 0, 0, 0, 0, coll_gather_linear,
	  "all send to the root" },
};

/* scatter: byte limits apply to one block */
static const struct coll_algo scatter_rows[] = {
	{ WEFT_COLL_SCATTER, "unit", ANY | COLL_ROUTE | COLL_EVEN, 0,
	  UNIT_BLOCK, 0, 0, coll_scatter_unit, "class route of the provider" },
	{ WEFT_COLL_SCATTER, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 32,
	  coll_scatter_linear, "root sends to all" },
	{ WEFT_COLL_SCATTER, "binomial", ANY | COLL_EVEN, 0, 4 * KIB, 4, 0,
	  coll_scatter_binomial, "binomial tree" },
	{ WEFT_COLL_SCATTER, "composed", ANY | COLL_EVEN | COLL_CHOSEN, 0, 0, 0,
	  0, coll_scatter_composed, "broadcast of all blocks" },
	{ WEFT_COLL_SCATTER, "linear", 0, 0, 0, 0, 0, coll_scatter_linear,
	  "root sends to all" },
};

/* allgather: byte limits apply to all blocks together */
static const struct coll_algo allgather_rows[] = {
	{ WEFT_COLL_ALLGATHER, "unit", ANY | COLL_ROUTE | COLL_EVEN, 0,
	  UNIT_BLOCKS, 0, LINEAR_MAX_RANKS, coll_allgather_unit,
	  "class route of the provider" },
	{ WEFT_COLL_ALLGATHER, "inter", COLL_INTER | COLL_EVEN, 0, 0, 0, 0,
	  coll_allgather_inter, "gather, exchange, bcast" },
	{ WEFT_COLL_ALLGATHER, "shared", ANY | COLL_EVEN | SHARED, 8 * KIB, 0,
	  3, 0, coll_allgather_shared, SHARED_TEXT },
	{ WEFT_COLL_ALLGATHER, "bruck", ANY, 0, 0, LARGE, 0,
	  coll_allgather_bruck, "Bruck, log2 p rounds" },
	{ WEFT_COLL_ALLGATHER, "recdbl", ANY | COLL_POW2 | COLL_EVEN, 0, 0, 0,
	  2, coll_allgather_recdbl, "recursive doubling" },
	{ WEFT_COLL_ALLGATHER, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 8,
	  coll_allgather_linear, "all blocks to all" },
	{ WEFT_COLL_ALLGATHER, "recdbl", ANY | COLL_POW2 | COLL_EVEN, 0,
	  64 * KIB, 0, 0, coll_allgather_recdbl, "recursive doubling" },
	{ WEFT_COLL_ALLGATHER, "bruck", ANY, 0, 64 * KIB, 0, 0,
	  coll_allgather_bruck, "Bruck, log2 p rounds" },
	{ WEFT_COLL_ALLGATHER, "linear", COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_allgather_linear, "all blocks to all" },
	{ WEFT_COLL_ALLGATHER, "linear", ANY | COLL_OWN_CORE, 0, 0, 0, 4,
	  coll_allgather_linear, "all blocks to all" },
	{ WEFT_COLL_ALLGATHER, "recdbl",
	  ANY | COLL_POW2 | COLL_EVEN | COLL_OWN_CORE, 0, 0, 0, 0,
	  coll_allgather_recdbl, "recursive doubling" },
	{ WEFT_COLL_ALLGATHER, "ring", ANY, 0, 0, 0, 0, coll_allgather_ring,
	  "ring" },
	{ WEFT_COLL_ALLGATHER, "composed", ANY | COLL_EVEN | COLL_CHOSEN, 0, 0,
	  0, 0, coll_allgather_composed, "gather, then broadcast" },
	{ WEFT_COLL_ALLGATHER, "linear", 0, 0, 0, 0, 0, coll_allgather_linear,
	  "all blocks to all" },
};

/* alltoall: byte limits apply to one block */
static const struct coll_algo alltoall_rows[] = {
	{ WEFT_COLL_ALLTOALL, "unit", ANY | COLL_ROUTE | COLL_EVEN | COLL_OUT,
	  0, KIB, 0, 16, coll_alltoall_unit, "class route of the provider" },
	{ WEFT_COLL_ALLTOALL, "unit", ANY | COLL_ROUTE | COLL_EVEN | COLL_OUT,
	  0, 64, 0, LINEAR_MAX_RANKS, coll_alltoall_unit,
	  "class route of the provider" },
	{ WEFT_COLL_ALLTOALL, "linear", COLL_OUT | COLL_INTER, 0, 0, 0, 0,
	  coll_alltoall_linear, "all messages in one round" },
	{ WEFT_COLL_ALLTOALL, "bruck", ANY | COLL_EVEN | COLL_OUT, 0, 4 * KIB,
	  LARGE, 0, coll_alltoall_bruck, "Bruck, log2 p rounds" },
	{ WEFT_COLL_ALLTOALL, "bruck", ANY | COLL_EVEN | COLL_OUT, 0, 128, 8, 0,
	  coll_alltoall_bruck, "Bruck, log2 p rounds" },
	{ WEFT_COLL_ALLTOALL, "linear", ANY | COLL_OUT, 0, 32 * KIB, 0, 0,
	  coll_alltoall_linear, "all messages in one round" },
	/* messages to other hosts overlap with copies within the host */
	{ WEFT_COLL_ALLTOALL, "linear", ANY | COLL_OUT | COLL_HOSTS, 0, 0, 0,
	  16, coll_alltoall_linear, "all messages in one round" },
	{ WEFT_COLL_ALLTOALL, "linear", ANY | COLL_OUT | COLL_OVERSUBSCRIBED, 0,
	  0, 0, 0, coll_alltoall_linear, "all messages in one round" },
	{ WEFT_COLL_ALLTOALL, "pairwise", ANY | COLL_OUT, 0, 0, 0, 0,
	  coll_alltoall_pairwise, "p - 1 steps of pairs" },
	/*
	 * selected only by machine files or the user, for a torus of many nodes
	 */
	{ WEFT_COLL_ALLTOALL, "random", ANY | COLL_OUT, 0, 0, 0, 0,
	  coll_alltoall_random, "all messages in one round, random order" },
	{ WEFT_COLL_ALLTOALL, "inplace", ANY | COLL_IN, 0, 0, 0, 0,
	  coll_alltoall_inplace, "pairs exchange through one block" },
};

/* reduce_scatter: byte limits apply to the whole vector */
static const struct coll_algo reduce_scatter_rows[] = {
	{ WEFT_COLL_REDUCE_SCATTER, "exact", ANY | COLL_EXACT, 0, 0, 0, 0,
	  coll_redscat_exact, "sum rounded once, WEFT_EXACT" },
	{ WEFT_COLL_REDUCE_SCATTER, "unit", ANY | COLL_ROUTE | COLL_EVEN, 0,
	  UNIT_BLOCKS / 2, 0, 0, coll_reduction_unit,
	  "class route of the provider" },
	{ WEFT_COLL_REDUCE_SCATTER, "inter", COLL_INTER, 0, 0, 0, 0,
	  coll_redscat_inter, "reduce, exchange, scatter" },
	{ WEFT_COLL_REDUCE_SCATTER, "shared",
	  ANY | COLL_COMMUTE | COLL_EVEN | COLL_OUT | SHARED, 8 * KIB, 0, 3, 0,
	  coll_redscat_shared, SHARED_TEXT },
	{ WEFT_COLL_REDUCE_SCATTER, "pairwise", ANY | COLL_COMMUTE, 0, 0, 0, 2,
	  coll_redscat_pairwise, "p - 1 steps" },
	{ WEFT_COLL_REDUCE_SCATTER, "ahead", ANY | COLL_HOSTS | COLL_COMMUTE,
	  64 * KIB, 0, 0, LINEAR_MAX_RANKS, coll_redscat_ahead,
	  "p - 1 steps, two of them in flight" },
	{ WEFT_COLL_REDUCE_SCATTER, "recdbl", ANY, 0, 512, 0, 0,
	  coll_redscat_recdbl, "recursive doubling of the vector" },
	{ WEFT_COLL_REDUCE_SCATTER, "halving", ANY | COLL_COMMUTE, 0, 0, LARGE,
	  0, coll_redscat_halving, "recursive halving" },
	{ WEFT_COLL_REDUCE_SCATTER, "ordered", ANY | COLL_OVERSUBSCRIBED, 0, 0,
	  0, 0, coll_redscat_ordered,
	  "blocks to their owners, combined in rank order" },
	{ WEFT_COLL_REDUCE_SCATTER, "halving", ANY | COLL_COMMUTE, 0, 64 * KIB,
	  0, 0, coll_redscat_halving, "recursive halving" },
	{ WEFT_COLL_REDUCE_SCATTER, "pairwise", ANY | COLL_COMMUTE, 0, 0, 0, 0,
	  coll_redscat_pairwise, "p - 1 steps" },
	{ WEFT_COLL_REDUCE_SCATTER, "composed", ANY | COLL_EVEN | COLL_CHOSEN,
	  0, 0, 0, 0, coll_redscat_composed, "allreduce of the whole vector" },
	{ WEFT_COLL_REDUCE_SCATTER, "ordered", ANY, 0, 0, 0, 0,
	  coll_redscat_ordered,
	  "blocks to their owners, combined in rank order" },
};

/* scan, exscan: byte limits apply to the vector */
static const struct coll_algo scan_rows[] = {
	{ WEFT_COLL_SCAN, "exact", ANY | COLL_EXACT, 0, 0, 0, 0,
	  coll_scan_exact, "sum rounded once, WEFT_EXACT" },
	{ WEFT_COLL_SCAN, "linear", ANY, 0, 0, 0, 2, coll_scan_linear,
	  "chain" },
	{ WEFT_COLL_SCAN, "linear", ANY | COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_scan_linear, "chain" },
	{ WEFT_COLL_SCAN, "recdbl", ANY, 0, 64 * KIB, 0, 0, coll_scan_recdbl,
	  "recursive doubling" },
	{ WEFT_COLL_SCAN, "linear", ANY, 0, 0, 0, 0, coll_scan_linear,
	  "chain" },
};

static const struct coll_algo exscan_rows[] = {
	{ WEFT_COLL_EXSCAN, "exact", ANY | COLL_EXACT, 0, 0, 0, 0,
	  coll_scan_exact, "sum rounded once, WEFT_EXACT" },
	{ WEFT_COLL_EXSCAN, "linear", ANY, 0, 0, 0, 2, coll_exscan_linear,
	  "chain" },
	{ WEFT_COLL_EXSCAN, "linear", ANY | COLL_OVERSUBSCRIBED, 0, 0, 0, 0,
	  coll_exscan_linear, "chain" },
	{ WEFT_COLL_EXSCAN, "recdbl", ANY, 0, 64 * KIB, 0, 0,
	  coll_exscan_recdbl, "recursive doubling" },
	{ WEFT_COLL_EXSCAN, "linear", ANY, 0, 0, 0, 0, coll_exscan_linear,
	  "chain" },
};

/* neighbourhood collectives */
static const struct coll_algo neighbor_allgather_rows[] = {
	{ WEFT_COLL_NEIGHBOR_ALLGATHER, "linear", ANY, 0, 0, 0, 0,
	  coll_neighbor_allgather, "all messages in one round" },
};

static const struct coll_algo neighbor_alltoall_rows[] = {
	{ WEFT_COLL_NEIGHBOR_ALLTOALL, "linear", ANY, 0, 0, 0, 0,
	  coll_neighbor_alltoall, "all messages in one round" },
};

struct rows {
	const struct coll_algo *row;
	unsigned n;
};

#define ROWS(a)                     \
	{                           \
		a, WEFT_COUNT_OF(a) \
	}

static const struct rows table[WEFT_COLL_KINDS] = {
	[WEFT_COLL_BARRIER] = ROWS(barrier_rows),
	[WEFT_COLL_BCAST] = ROWS(bcast_rows),
	[WEFT_COLL_REDUCE] = ROWS(reduce_rows),
	[WEFT_COLL_ALLREDUCE] = ROWS(allreduce_rows),
	[WEFT_COLL_GATHER] = ROWS(gather_rows),
	[WEFT_COLL_SCATTER] = ROWS(scatter_rows),
	[WEFT_COLL_ALLGATHER] = ROWS(allgather_rows),
	[WEFT_COLL_ALLTOALL] = ROWS(alltoall_rows),
	[WEFT_COLL_REDUCE_SCATTER] = ROWS(reduce_scatter_rows),
	[WEFT_COLL_SCAN] = ROWS(scan_rows),
	[WEFT_COLL_EXSCAN] = ROWS(exscan_rows),
	[WEFT_COLL_NEIGHBOR_ALLGATHER] = ROWS(neighbor_allgather_rows),
	[WEFT_COLL_NEIGHBOR_ALLTOALL] = ROWS(neighbor_alltoall_rows),
};

#define OPT(n, choices, what)                                                \
	{                                                                    \
		"WEFT_COLL_" n, WEFT_CFG_TEXT, "auto", "algorithm of " what, \
			"auto|" choices                                      \
	}

const struct weft_cfg_opt weft_coll_options[WEFT_COLL_KINDS] = {
	OPT("BARRIER", "unit|inter|hosts|dissemination|tree|linear",
	    "MPI_Barrier"),
	OPT("BCAST",
	    "unit|inter|hosts|shared|linear|binomial|chain|composed|scatter",
	    "MPI_Bcast"),
	OPT("REDUCE",
	    "exact|unit|inter|hosts|shared|binomial|slices|rabenseifner|"
	    "composed|linear",
	    "MPI_Reduce"),
	OPT("ALLREDUCE",
	    "exact|shared|unit|inter|hosts|pieces|recdbl|tree|slices|ring|"
	    "rabenseifner|composed|linear",
	    "MPI_Allreduce"),
	OPT("GATHER", "unit|binomial|composed|linear", "MPI_Gather(v)"),
	OPT("SCATTER", "unit|binomial|composed|linear", "MPI_Scatter(v)"),
	OPT("ALLGATHER", "unit|inter|shared|recdbl|bruck|ring|composed|linear",
	    "MPI_Allgather(v)"),
	OPT("ALLTOALL", "unit|linear|random|bruck|pairwise|inplace",
	    "MPI_Alltoall(v,w)"),
	OPT("REDUCE_SCATTER",
	    "exact|unit|inter|shared|recdbl|halving|pairwise|ahead|"
	    "composed|ordered",
	    "MPI_Reduce_scatter(_block)"),
	OPT("SCAN", "exact|recdbl|linear", "MPI_Scan"),
	OPT("EXSCAN", "exact|recdbl|linear", "MPI_Exscan"),
	OPT("NEIGHBOR_ALLGATHER", "linear", "MPI_Neighbor_allgather(v)"),
	OPT("NEIGHBOR_ALLTOALL", "linear", "MPI_Neighbor_alltoall(v,w)"),
};

/*
 * The preferences that apply to this job: COLL_OVERSUBSCRIBED, COLL_OWN_CORE or
 * none; the same on all ranks.
 */
static unsigned preferred;

/* Rows forced by the environment, indexed by operation; NULL: not forced. */
static const struct coll_algo *forced[WEFT_COLL_KINDS];

const struct coll_algo *coll_algo_named(enum weft_coll_kind kind,
					const char *name)
{
	unsigned i;

	for (i = 0; i < table[kind].n; i++)
		if (!strcmp(table[kind].row[i].name, name))
			return &table[kind].row[i];
	return NULL;
}

/* ---- properties of a call ---- */

/*
 * Returns whether the collective unit supports the operation; in virtual time
 * it supports only those of the machine's tree.
 */
static bool on_tree(enum weft_coll_kind kind)
{
	return !weft_core.traits.network_routes || kind == WEFT_COLL_BARRIER ||
	       kind == WEFT_COLL_BCAST || kind == WEFT_COLL_REDUCE ||
	       kind == WEFT_COLL_ALLREDUCE;
}

/* Returns the COLL_ bits that apply to a call. */
static unsigned traits(const struct weft_coll_args *a)
{
	int p = a->comm->size;
	unsigned t = a->comm->inter ? COLL_INTER : COLL_INTRA;

	if (!a->op || weft_op_commutes(a->op))
		t |= COLL_COMMUTE;
	if (!(p & (p - 1)))
		t |= COLL_POW2;
	if (!a->uneven)
		t |= COLL_EVEN;
	if (coll_route(a) && coll_unit_fits(a) && on_tree(a->kind) &&
	    !coll_unit_too_long(a, coll_route(a)))
		t |= COLL_ROUTE |
		     (weft_route_has_bulk(a->comm) ? COLL_BULK : 0);
	if (coll_exact_requested(a))
		t |= COLL_EXACT;
	if (coll_hosts(a->comm))
		t |= COLL_HOSTS;
	if (coll_shared_fits(a))
		t |= COLL_SHARED;
	return t | (coll_in_place(&a->s) ? COLL_IN : COLL_OUT);
}

/* ---- selection ---- */

#define PREFERENCES (COLL_OVERSUBSCRIBED | COLL_OWN_CORE | COLL_CHOSEN)

static bool meets_requirements(const struct coll_algo *row, unsigned t)
{
	return (row->need & ~(t | PREFERENCES)) == 0;
}

bool coll_algo_supports(const struct coll_algo *row,
			const struct weft_coll_args *a)
{
	return meets_requirements(row, traits(a));
}

/*
 * Returns the row that the communicator's info selects (keys "weft_coll_bcast"
 * etc.), or NULL.
 */
static const struct coll_algo *row_from_info(const struct weft_coll_args *a)
{
	const char *option = weft_coll_options[a->kind].name;
	char key[48], name[32];
	size_t i;

	for (i = 0; option[i] && i + 1 < sizeof(key); i++)
		key[i] = option[i] == '_' ? '_' : (char)(option[i] | 0x20);
	key[i] = '\0';
	if (weft_info_get(a->comm->info, key, name, sizeof(name)) < 0)
		return NULL;
	return coll_algo_named(a->kind, name);
}

static const struct coll_algo *forced_row(const struct weft_coll_args *a)
{
	const struct coll_algo *row = NULL;

	if (a->comm->info)
		row = row_from_info(a);
	return row ? row : forced[a->kind];
}

/*
 * Returns whether the vector is too long for the row. In virtual time the unit
 * has no limit, since links limit its speed at any length.
 */
static bool too_long(const struct coll_algo *row, uint64_t bytes)
{
	return row->max_bytes && bytes > row->max_bytes &&
	       !(weft_core.traits.network_routes && (row->need & COLL_ROUTE));
}

static bool in_range(const struct coll_algo *row, uint64_t bytes,
		     const struct weft_comm *comm)
{
	int ranks = comm->size;
	/*
	 * the preferences of a foreign member's job may differ, but all members
	 * must choose the same row
	 */
	unsigned prefer = comm->foreign ? 0 : preferred;

	return !(row->need & PREFERENCES & ~prefer) &&
	       bytes >= row->min_bytes && !too_long(row, bytes) &&
	       ranks >= row->min_ranks &&
	       (!row->max_ranks || ranks <= row->max_ranks);
}

/* Returns whether a row that was named by the user or a file can be used. */
static bool named_fits(const struct coll_algo *row, unsigned t, bool part)
{
	/* exact sums have precedence over a named row */
	return row && meets_requirements(row, t) && !(t & COLL_EXACT) &&
	       !(part && row->need & COLL_CHOSEN);
}

/*
 * Returns the row that the machine file names for this call, or NULL. The two
 * groups of an intercommunicator may have different numbers of ranks, and would
 * choose different rows.
 */
static const struct coll_algo *chosen_row(const struct weft_coll_args *a)
{
	return a->comm->inter
		       ? NULL
		       : coll_choice(a->kind, coll_volume(a), a->comm->size);
}

static const struct coll_algo *select_row(const struct weft_coll_args *a,
					  bool part)
{
	const struct coll_algo *row = forced_row(a);
	const struct rows *rows = &table[a->kind];
	unsigned t = traits(a), i;
	uint64_t bytes;

	if (named_fits(row, t, part))
		return row;
	row = chosen_row(a);
	if (named_fits(row, t, part))
		return row;
	bytes = coll_volume(a);
	for (i = 0; i + 1 < rows->n; i++)
		if (meets_requirements(&rows->row[i], t) &&
		    in_range(&rows->row[i], bytes, a->comm))
			break;
	return &rows->row[i];
}

const struct coll_algo *coll_select(const struct weft_coll_args *a)
{
	return select_row(a, false);
}

const struct coll_algo *coll_select_part(const struct weft_coll_args *a)
{
	return select_row(a, true);
}

void coll_select_force(enum weft_coll_kind kind, const struct coll_algo *row)
{
	forced[kind] = row;
}

bool coll_not_forced(enum weft_coll_kind kind)
{
	return !forced[kind] && !coll_has_choices(kind);
}

bool coll_avoids_unit(const struct weft_coll_args *a)
{
	const struct coll_algo *row = chosen_row(a);

	return forced[a->kind] || (row && !(row->need & COLL_ROUTE));
}

const struct coll_algo *coll_algo_at(enum weft_coll_kind kind, unsigned i)
{
	return i < table[kind].n ? &table[kind].row[i] : NULL;
}

bool weft_coll_help(size_t i, struct weft_coll_help *help_p)
{
	size_t k = 0;

	while (k < WEFT_COLL_KINDS && i >= table[k].n)
		i -= table[k++].n;
	if (k == WEFT_COLL_KINDS)
		return false;
	help_p->option = weft_coll_options[k].name;
	help_p->name = table[k].row[i].name;
	help_p->text = table[k].row[i].text;
	return true;
}

/* ---- communicator callbacks ---- */

/*
 * Returns the preferences of a job whose ranks are all on this host; none in
 * virtual time. All ranks compute the same result.
 */
static unsigned preferences(const struct weft_job *job)
{
	if (weft_core.traits.polls_block || job->local_size != job->size)
		return 0;
	return weft_core.oversubscribed ? COLL_OVERSUBSCRIBED : COLL_OWN_CORE;
}

/* Reads the environment when the first communicator is created. */
static int select_attach(struct weft_comm *comm)
{
	static bool once;
	int k;

	if (once)
		return 0;
	once = true;
	preferred = preferences(&weft_core.job);
	for (k = 0; k < WEFT_COLL_KINDS; k++)
		forced[k] = coll_algo_named(
			(enum weft_coll_kind)k,
			weft_cfg_get(&weft_coll_options[k]).text);
	coll_choices_load(coll_algo_named);
	return 0;
}

static void select_detach(struct weft_comm *comm)
{
	coll_hosts_leave(comm);
	coll_shared_close(comm);
	weft_route_leave(comm);
}

const struct weft_core_coll_ops weft_coll_core_ops = {
	.attach = select_attach,
	.detach = select_detach,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Count 0 in every collective: blocking, nonblocking and persistent, with int
 * and MPI_Count, with every kind of datatype, with null, valid and in-place
 * buffers, on an intracommunicator, an intercommunicator and a graph.
 */
#include "zero_t.h"

/* Counts and displacements of 0, read as int, MPI_Count or MPI_Aint. */
static const int64_t none[64];
#define NONE ((void *)(uintptr_t)none)

/* user-defined operations: sum is commutative, first is not */
static MPI_Op sum, first;
static MPI_Datatype types[64], others[64];

static void wait_one(MPI_Request *r)
{
	MPI_Status s;

	MT_OK(MPI_Wait(r, &s));
	MT_IS(*r, MPI_REQUEST_NULL);
}

static void persist(MPI_Request *r)
{
	for (int round = 0; round < 2; round++) {
		MT_OK(MPI_Start(r));
		MT_OK(MPI_Wait(r, MPI_STATUS_IGNORE));
	}
	MT_OK(MPI_Request_free(r));
}

/*
 * Calls a collective in its six forms. N, n: its name in both spellings, for
 * example Bcast and bcast.
 */
#define FORMS(N, n, ...)                                                  \
	do {                                                              \
		MPI_Request r_;                                           \
		MT_OK(MPI_##N(__VA_ARGS__));                              \
		MT_OK(MPI_##N##_c(__VA_ARGS__));                          \
		MT_OK(MPI_I##n(__VA_ARGS__, &r_));                        \
		wait_one(&r_);                                            \
		MT_OK(MPI_I##n##_c(__VA_ARGS__, &r_));                    \
		wait_one(&r_);                                            \
		MT_OK(MPI_##N##_init(__VA_ARGS__, MPI_INFO_NULL, &r_));   \
		persist(&r_);                                             \
		MT_OK(MPI_##N##_init_c(__VA_ARGS__, MPI_INFO_NULL, &r_)); \
		persist(&r_);                                             \
	} while (0)

/* ---- data movement ------------------------------------------------------- */

static void move_rooted(int i, const void *s, void *r, int root, MPI_Comm c)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);

	FORMS(Bcast, bcast, r, zero_n, t, root, c);
	FORMS(Gather, gather, s, zero_n, t, r, 0, u, root, c);
	FORMS(Scatter, scatter, s, zero_n, t, r, 0, u, root, c);
	FORMS(Gatherv, gatherv, s, zero_n, t, r, NONE, NONE, u, root, c);
	FORMS(Scatterv, scatterv, s, NONE, NONE, t, r, 0, u, root, c);
}

static void move_all(int i, const void *s, void *r, MPI_Comm c)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);

	FORMS(Allgather, allgather, s, zero_n, t, r, 0, u, c);
	FORMS(Allgatherv, allgatherv, s, zero_n, t, r, NONE, NONE, u, c);
	FORMS(Alltoall, alltoall, s, zero_n, t, r, 0, u, c);
	FORMS(Alltoallv, alltoallv, s, NONE, NONE, t, r, NONE, NONE, u, c);
	FORMS(Alltoallw, alltoallw, s, NONE, NONE, types, r, NONE, NONE, others,
	      c);
}

static void move_neighbors(int i, const void *s, void *r, MPI_Comm c)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);

	FORMS(Neighbor_allgather, neighbor_allgather, s, zero_n, t, r, 0, u, c);
	FORMS(Neighbor_allgatherv, neighbor_allgatherv, s, zero_n, t, r, NONE,
	      NONE, u, c);
	FORMS(Neighbor_alltoall, neighbor_alltoall, s, zero_n, t, r, 0, u, c);
	FORMS(Neighbor_alltoallv, neighbor_alltoallv, s, NONE, NONE, t, r, NONE,
	      NONE, u, c);
	FORMS(Neighbor_alltoallw, neighbor_alltoallw, s, NONE, NONE, types, r,
	      NONE, NONE, others, c);
}

/* ---- reductions ---------------------------------------------------------- */

static void add(void *in, void *inout, int *len, MPI_Datatype *t)
{
	(void)in, (void)inout, (void)t;
	MT_TRUE(zero_n ? *len >= 0 : !*len);
}

/* Returns an operation that is allowed on the type. */
static MPI_Op op_of(int i, int k)
{
	if (!zero_type[i].basic || k)
		return k == 1 ? first : sum;
	return zero_type[i].type == MPI_INT    ? MPI_SUM
	       : zero_type[i].type == MPI_BYTE ? MPI_BOR
					       : MPI_MAXLOC;
}

static void reduce_rooted(int i, const void *s, void *r, int root, MPI_Comm c)
{
	for (int k = 0; k < 2; k++)
		FORMS(Reduce, reduce, s, r, zero_n, zero_type[i].type,
		      op_of(i, k), root, c);
}

/* Reductions that exist on intracommunicators and on intercommunicators. */
static void reduce_all(int i, const void *s, void *r, MPI_Comm c)
{
	MPI_Datatype t = zero_type[i].type;

	for (int k = 0; k < 2; k++) {
		MPI_Op op = op_of(i, k);

		FORMS(Allreduce, allreduce, s, r, zero_n, t, op, c);
		FORMS(Reduce_scatter, reduce_scatter, s, r, NONE, t, op, c);
		FORMS(Reduce_scatter_block, reduce_scatter_block, s, r, zero_n,
		      t, op, c);
	}
}

static void scans(int i, const void *s, void *r, MPI_Comm c)
{
	MPI_Datatype t = zero_type[i].type;

	for (int k = 0; k < 2; k++) {
		MPI_Op op = op_of(i, k);

		FORMS(Scan, scan, s, r, zero_n, t, op, c);
		FORMS(Exscan, exscan, s, r, zero_n, t, op, c);
		if (s == MPI_IN_PLACE)
			continue;
		MT_OK(MPI_Reduce_local(s, r, zero_n, t, op));
		MT_OK(MPI_Reduce_local_c(s, r, zero_n, t, op));
	}
}

/* ---- some empty blocks --------------------------------------------------- */

enum { SOME_MAX = 64 };

/* Blocks of which every second one is empty; the others have one element. */
struct some {
	MPI_Datatype t;
	char *s, *r; /* address of element 0 */
	int counts[SOME_MAX], displs[SOME_MAX], bytes[SOME_MAX];
};

/*
 * Places the blocks one extent apart, so that the blocks of the receiver do not
 * overlap.
 */
static void some_by_extent(struct some *b)
{
	const MPI_Comm c = MPI_COMM_WORLD;
	int *n = b->counts, *at = b->displs, mine;

	MT_OK(MPI_Alltoallv(b->s, n, at, b->t, b->r, n, at, b->t, c));
	for (int k = 0; k < mt_size; k++)
		n[k] = k % 2;
	mine = n[mt_rank];
	MT_OK(MPI_Allgatherv(b->s, mine, b->t, b->r, n, at, b->t, c));
	MT_OK(MPI_Gatherv(b->s, mine, b->t, b->r, n, at, b->t, 0, c));
	MT_OK(MPI_Scatterv(b->s, n, at, b->t, b->r, mine, b->t, 0, c));
}

static void some_blocks(int i)
{
	struct some b = { .t = zero_type[i].type };
	MPI_Aint lb, extent, true_lb, span;
	char *s, *r;

	MT_OK(MPI_Type_get_extent(b.t, &lb, &extent));
	MT_OK(MPI_Type_get_true_extent(b.t, &true_lb, &span));
	s = calloc((size_t)mt_size, (size_t)(span + extent) + 1);
	r = calloc((size_t)mt_size, (size_t)(span + extent) + 1);
	b.s = s - true_lb;
	b.r = r - true_lb;
	for (int k = 0; k < mt_size; k++) {
		b.counts[k] = (mt_rank + k) % 2;
		b.displs[k] = k;
		b.bytes[k] = (int)(k * span);
		types[k] = b.t;
	}
	MT_OK(MPI_Alltoallw(b.s, b.counts, b.bytes, types, b.r, b.counts,
			    b.bytes, types, MPI_COMM_WORLD));
	if (extent >= span)
		some_by_extent(&b);
	free(s);
	free(r);
}

/* ---- communicators ------------------------------------------------------- */

/*
 * Returns an intercommunicator of the two halves of the world, or MPI_COMM_NULL
 * if the world has one rank.
 */
static MPI_Comm open_inter(void)
{
	MPI_Comm half, inter;
	int low = mt_rank < mt_size / 2;

	if (mt_size == 1)
		return MPI_COMM_NULL;
	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, low, mt_rank, &half));
	MT_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
				   low ? mt_size / 2 : 0, 1, &inter));
	MT_OK(MPI_Comm_free(&half));
	return inter;
}

/*
 * Creates a one-dimensional grid that is not periodic: its ends have
 * MPI_PROC_NULL as neighbour.
 */
static MPI_Comm open_line(void)
{
	const int dims[1] = { mt_size }, open[1] = { 0 };
	MPI_Comm line;

	MT_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open, 0, &line));
	return line;
}

/*
 * Returns the root argument of this rank in an intercommunicator whose root is
 * rank 0 of the lower half.
 */
static int inter_root(void)
{
	if (mt_rank >= mt_size / 2)
		return 0;
	return mt_rank ? MPI_PROC_NULL : MPI_ROOT;
}

static void on_world(int i, void *s, void *r)
{
	const MPI_Comm c = MPI_COMM_WORLD;
	int last = mt_size - 1;

	move_rooted(i, s, r, 0, c);
	move_rooted(i, s, r, last, c);
	move_all(i, s, r, c);
	reduce_rooted(i, s, r, 0, c);
	reduce_rooted(i, s, r, last, c);
	reduce_all(i, s, r, c);
	scans(i, s, r, c);
}

static void in_place(int i, void *r)
{
	const MPI_Comm c = MPI_COMM_WORLD;

	move_all(i, MPI_IN_PLACE, r, c);
	reduce_all(i, MPI_IN_PLACE, r, c);
	scans(i, MPI_IN_PLACE, r, c);
	reduce_rooted(i, mt_rank ? r : MPI_IN_PLACE, r, 0, c);
}

static void on_inter(int i, void *s, void *r, MPI_Comm inter)
{
	if (inter == MPI_COMM_NULL)
		return;
	move_rooted(i, s, r, inter_root(), inter);
	move_all(i, s, r, inter);
	reduce_rooted(i, s, r, inter_root(), inter);
	reduce_all(i, s, r, inter);
}

int main(int argc, char **argv)
{
	MPI_Comm inter, line;

	mt_begin(&argc, &argv);
	zero_begin();
	MT_OK(MPI_Op_create(add, 1, &sum));
	MT_OK(MPI_Op_create(add, 0, &first));
	inter = open_inter();
	line = open_line();
	for (int i = 0; i < zero_types; i++) {
		some_blocks(i);
		for (int k = 0; k < 64; k++) {
			types[k] = zero_type[(i + k) % zero_types].type;
			others[k] = zero_peer_type(i + k);
		}
		for (zero_n = 0; zero_n <= zero_max_count(i); zero_n += 3) {
			for (int b = 0; b < 2; b++) {
				on_world(i, zero_buf[b], zero_buf[b]);
				in_place(i, zero_buf[b]);
				on_inter(i, zero_buf[b], zero_buf[!b], inter);
				move_neighbors(i, zero_buf[b], zero_buf[!b],
					       line);
			}
		}
	}
	if (inter != MPI_COMM_NULL)
		MT_OK(MPI_Comm_free(&inter));
	MT_OK(MPI_Comm_free(&line));
	MT_OK(MPI_Op_free(&sum));
	MT_OK(MPI_Op_free(&first));
	zero_end();
	return mt_end();
}

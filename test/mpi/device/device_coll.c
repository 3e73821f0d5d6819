/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on device memory give the same results as on host memory:
 * blocking, nonblocking and persistent, with buffers in either kind of memory
 * on each rank.
 */
#include "device_t.h"

#define ROOM 100000 /* size of a buffer, bytes */

enum kind {
	BCAST,
	REDUCE,
	ALLREDUCE,
	IN_PLACE,
	GATHER,
	SCATTER,
	ALLGATHER,
	ALLTOALL,
	ALLTOALLV,
	GATHERV,
	SCATTERV,
	ALLGATHERV,
	ALLTOALLW,
	REDUCE_SCATTER,
	BLOCK,
	SCAN,
	EXSCAN,
	KINDS
};

static unsigned char *host[2], *device[2], *want, *got, *start;
static int counts[64], displs[64];
static int offsets[64]; /* displs in bytes */
static MPI_Datatype types[64];

/*
 * Makes one call on n longs per rank; how: 0 blocking, 1 nonblocking, 2
 * persistent.
 */
#define CALL(f, ...)                                              \
	(how == 0   ? MPI_##f(__VA_ARGS__, MPI_COMM_WORLD)        \
	 : how == 1 ? MPI_I##f(__VA_ARGS__, MPI_COMM_WORLD, &r)   \
		    : MPI_##f##_init(__VA_ARGS__, MPI_COMM_WORLD, \
				     MPI_INFO_NULL, &r))
#define MPI_IBcast		  MPI_Ibcast
#define MPI_IReduce		  MPI_Ireduce
#define MPI_IAllreduce		  MPI_Iallreduce
#define MPI_IGather		  MPI_Igather
#define MPI_IScatter		  MPI_Iscatter
#define MPI_IAllgather		  MPI_Iallgather
#define MPI_IAlltoall		  MPI_Ialltoall
#define MPI_IAlltoallv		  MPI_Ialltoallv
#define MPI_IGatherv		  MPI_Igatherv
#define MPI_IScatterv		  MPI_Iscatterv
#define MPI_IAllgatherv		  MPI_Iallgatherv
#define MPI_IAlltoallw		  MPI_Ialltoallw
#define MPI_IReduce_scatter	  MPI_Ireduce_scatter
#define MPI_IReduce_scatter_block MPI_Ireduce_scatter_block
#define MPI_IScan		  MPI_Iscan
#define MPI_IExscan		  MPI_Iexscan

/* Calls with a block length for each rank. */
static int operate_blocks(enum kind k, void *s, void *r_, int n, int root,
			  int how, MPI_Request *r_p)
{
	const MPI_Datatype t = MPI_INT64_T;
	MPI_Request r = MPI_REQUEST_NULL;
	int rc;

	switch (k) {
	case ALLTOALLV:
		rc = CALL(Alltoallv, s, counts, displs, t, r_, counts, displs,
			  t);
		break;
	case GATHERV:
		rc = CALL(Gatherv, s, n, t, r_, counts, displs, t, root);
		break;
	case SCATTERV:
		rc = CALL(Scatterv, s, counts, displs, t, r_, n, t, root);
		break;
	case ALLGATHERV:
		rc = CALL(Allgatherv, s, n, t, r_, counts, displs, t);
		break;
	default:
		rc = CALL(Alltoallw, s, counts, offsets, types, r_, counts,
			  offsets, types);
	}
	*r_p = r;
	return rc;
}

static void operate(enum kind k, void *s, void *r_, int n, int root, int how)
{
	const MPI_Datatype t = MPI_INT64_T;
	MPI_Request r = MPI_REQUEST_NULL;
	int rc = MPI_SUCCESS;

	switch (k) {
	case BCAST:
		rc = CALL(Bcast, r_, n, t, root);
		break;
	case REDUCE:
		rc = CALL(Reduce, s, r_, n, t, MPI_SUM, root);
		break;
	case ALLREDUCE:
		rc = CALL(Allreduce, s, r_, n, t, MPI_MAX);
		break;
	case IN_PLACE:
		rc = CALL(Allreduce, MPI_IN_PLACE, r_, n, t, MPI_SUM);
		break;
	case GATHER:
		rc = CALL(Gather, s, n, t, r_, n, t, root);
		break;
	case SCATTER:
		rc = CALL(Scatter, s, n, t, r_, n, t, root);
		break;
	case ALLGATHER:
		rc = CALL(Allgather, s, n, t, r_, n, t);
		break;
	case ALLTOALL:
		rc = CALL(Alltoall, s, n, t, r_, n, t);
		break;
	case REDUCE_SCATTER:
		rc = CALL(Reduce_scatter, s, r_, counts, t, MPI_SUM);
		break;
	case BLOCK:
		rc = CALL(Reduce_scatter_block, s, r_, n, t, MPI_BXOR);
		break;
	case SCAN:
		rc = CALL(Scan, s, r_, n, t, MPI_SUM);
		break;
	case EXSCAN:
		rc = CALL(Exscan, s, r_, n, t, MPI_SUM);
		break;
	default:
		rc = operate_blocks(k, s, r_, n, root, how, &r);
	}
	MT_OK(rc);
	for (int i = 0; i < (how == 2 ? 2 : 1) && how; i++) {
		if (how == 2)
			MT_OK(MPI_Start(&r));
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		if (how == 2 && k == IN_PLACE)
			break; /* no second run: it would change the sum */
	}
	if (how == 2)
		MT_OK(MPI_Request_free(&r));
}

/*
 * Fills the send and the receive buffer; the bytes do not depend on the kind of
 * memory.
 */
static void prepare(void *s, void *r, uint64_t seed)
{
	mt_fill(start, ROOM, seed + (uint64_t)mt_rank);
	device_in(s, start, ROOM);
	mt_fill(start, ROOM, seed + 1000);
	device_in(r, start, ROOM);
}

static void compare(enum kind k, int n, int how)
{
	uint64_t seed = (uint64_t)(k * 100 + n + how);
	int root = n % mt_size;

	prepare(host[0], host[1], seed);
	operate(k, host[0], host[1], n, root, how);
	memcpy(want, host[1], ROOM);
	for (int i = 1; i < 4; i++) {
		/*
		 * the combination of host and device memory differs between
		 * ranks
		 */
		int m = (i + mt_rank) % 4;
		unsigned char *s = m & 1 ? device[0] : host[0];
		unsigned char *r = m & 2 ? device[1] : host[1];

		prepare(s, r, seed);
		operate(k, s, r, n, root, how);
		device_out(got, r, ROOM);
		MT_TRUE(!memcmp(got, want, ROOM));
	}
}

static void neighbours(int n)
{
	int periods = 1, dims = mt_size;
	MPI_Comm ring;

	MT_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &ring));
	prepare(host[0], host[1], 5);
	prepare(device[0], device[1], 5);
	MT_OK(MPI_Neighbor_alltoall(host[0], n, MPI_INT64_T, host[1], n,
				    MPI_INT64_T, ring));
	MT_OK(MPI_Neighbor_alltoall(device[0], n, MPI_INT64_T, device[1], n,
				    MPI_INT64_T, ring));
	device_out(got, device[1], ROOM);
	MT_TRUE(!memcmp(got, host[1], ROOM));
	MT_OK(MPI_Comm_free(&ring));
}

static void user_sum(void *in, void *inout, int *len, MPI_Datatype *t)
{
	for (int i = 0; i < *len; i++)
		((int64_t *)inout)[2 * i] += ((int64_t *)in)[2 * i];
}

/* A user-defined operation on a type with gaps; the gaps are unchanged. */
static void gaps(int n)
{
	MPI_Datatype every, other;
	MPI_Op op;

	MT_OK(MPI_Type_contiguous(1, MPI_INT64_T, &every));
	MT_OK(MPI_Type_create_resized(every, 0, 16, &other));
	MT_OK(MPI_Type_commit(&other));
	MT_OK(MPI_Op_create(user_sum, 1, &op));
	prepare(host[0], host[1], 7);
	prepare(device[0], device[1], 7);
	MT_OK(MPI_Allreduce(host[0], host[1], n, other, op, MPI_COMM_WORLD));
	MT_OK(MPI_Allreduce(device[0], device[1], n, other, op,
			    MPI_COMM_WORLD));
	device_out(got, device[1], ROOM);
	MT_TRUE(!memcmp(got, host[1], ROOM));
	MT_OK(MPI_Reduce_local(host[0], host[1], n, other, op));
	MT_OK(MPI_Reduce_local(device[0], device[1], n, other, op));
	device_out(got, device[1], ROOM);
	MT_TRUE(!memcmp(got, host[1], ROOM));
	MT_OK(MPI_Op_free(&op));
	MT_OK(MPI_Type_free(&other));
	MT_OK(MPI_Type_free(&every));
}

int main(int argc, char **argv)
{
	static const int sizes[] = { 1, 300, 2400 };

	mt_begin(&argc, &argv);
	for (int i = 0; i < 2; i++) {
		host[i] = malloc(ROOM);
		device[i] = device_alloc(ROOM);
	}
	want = malloc(ROOM);
	got = malloc(ROOM);
	start = malloc(ROOM);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int n = sizes[i];

		if ((size_t)n * 8 * (size_t)mt_size > ROOM)
			continue;
		for (int j = 0; j < mt_size; j++) {
			counts[j] = n;
			displs[j] = n * (mt_size - 1 - j);
			offsets[j] = 8 * displs[j];
			types[j] = MPI_INT64_T;
		}
		for (int k = 0; k < KINDS; k++)
			for (int how = 0; how < 3; how++)
				compare(k, n, how);
		neighbours(n);
		gaps(n);
	}
	for (int i = 0; i < 2; i++) {
		MT_OK(MPI_Free_mem(device[i]));
		free(host[i]);
	}
	free(want);
	free(got);
	free(start);
	return mt_end();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbourhood collectives on Cartesian grids (periodic or not, also of extent
 * 1 and 2, where both neighbours are the same process), graphs and distributed
 * graphs: blocking, nonblocking, persistent.
 */
#include "coll_t.h"

enum { N = 3, MOST = 64 };

static int rank, size;

struct hood {
	MPI_Comm comm;
	int nin;
	int nout;
	int in[MOST];
	int out[MOST];
	/* index of this rank's block in the send buffer of in[i] */
	int pair[MOST];
};

static void run_alltoall(const struct hood *h, int mode, int *out, int *in)
{
	MPI_Request req;
	int i, c[MOST], d[MOST];
	MPI_Aint a[MOST];
	MPI_Datatype t[MOST];

	for (i = 0; i < MOST; i++) {
		c[i] = N;
		d[i] = i * N;
		a[i] = (MPI_Aint)(i * N * (int)sizeof(int));
		t[i] = MPI_INT;
	}
	switch (mode) {
	case 0:
		MPI_Neighbor_alltoall(out, N, MPI_INT, in, N, MPI_INT, h->comm);
		return;
	case 1:
		MPI_Neighbor_alltoallv(out, c, d, MPI_INT, in, c, d, MPI_INT,
				       h->comm);
		return;
	case 2:
		MPI_Neighbor_alltoallw(out, c, a, t, in, c, a, t, h->comm);
		return;
	case 3:
		MPI_Ineighbor_alltoallv(out, c, d, MPI_INT, in, c, d, MPI_INT,
					h->comm, &req);
		break;
	default:
		MPI_Neighbor_alltoall_init(out, N, MPI_INT, in, N, MPI_INT,
					   h->comm, MPI_INFO_NULL, &req);
		MPI_Start(&req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		memset(in, 0, sizeof(int) * N * (size_t)h->nin);
		MPI_Start(&req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
		MPI_Request_free(&req);
		return;
	}
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void test_alltoall(const struct hood *h)
{
	int out[MOST * N], in[MOST * N], mode, i, e;

	for (mode = 0; mode < 5; mode++) {
		for (i = 0; i < h->nout * N; i++)
			out[i] = coll_val(rank, i / N, i % N);
		memset(in, 0xff, sizeof(in));
		run_alltoall(h, mode, out, in);
		for (i = 0; i < h->nin; i++)
			for (e = 0; e < N; e++)
				CHECK(in[i * N + e] ==
					      (h->in[i] == MPI_PROC_NULL
						       ? -1
						       : coll_val(h->in[i],
								  h->pair[i],
								  e)) ||
				      (h->in[i] == MPI_PROC_NULL && mode == 4));
	}
}

static void test_allgather(const struct hood *h)
{
	int v[N], in[MOST * N], c[MOST], d[MOST], i, e, mode;
	MPI_Request req;

	for (e = 0; e < N; e++)
		v[e] = coll_val(rank, 77, e);
	for (i = 0; i < h->nin; i++) {
		c[i] = N;
		d[i] = (h->nin - 1 - i) * N;
	}
	for (mode = 0; mode < 3; mode++) {
		memset(in, 0xff, sizeof(in));
		if (mode == 0)
			MPI_Neighbor_allgather(v, N, MPI_INT, in, N, MPI_INT,
					       h->comm);
		if (mode == 1)
			MPI_Neighbor_allgatherv(v, N, MPI_INT, in, c, d,
						MPI_INT, h->comm);
		if (mode == 2) {
			MPI_Ineighbor_allgather(v, N, MPI_INT, in, N, MPI_INT,
						h->comm, &req);
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		}
		for (i = 0; i < h->nin; i++)
			for (e = 0; e < N; e++)
				CHECK(h->in[i] == MPI_PROC_NULL ||
				      in[(mode == 1 ? d[i] : i * N) + e] ==
					      coll_val(h->in[i], 77, e));
	}
}

static void test_cart(int ndims, const int *dims, int periodic)
{
	int periods[3] = { periodic, periodic, periodic }, d;
	struct hood h = { .nin = 2 * ndims, .nout = 2 * ndims };

	MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &h.comm);
	if (h.comm == MPI_COMM_NULL)
		return;
	for (d = 0; d < ndims; d++) {
		MPI_Cart_shift(h.comm, d, 1, &h.in[2 * d], &h.in[2 * d + 1]);
		/*
		 * this rank receives the block that its left neighbour sends to
		 * the right
		 */
		h.pair[2 * d] = 2 * d + 1;
		h.pair[2 * d + 1] = 2 * d;
	}
	memcpy(h.out, h.in, sizeof(h.in));
	test_allgather(&h);
	test_alltoall(&h);
	MPI_Comm_free(&h.comm);
}

/* Every rank sends to the next two ranks, and twice to the next rank. */
static void test_dist_graph(void)
{
	struct hood h = { .nin = 3, .nout = 3 };
	int one = (rank + 1) % size, two = (rank + 2) % size;

	h.out[0] = one;
	h.out[1] = two;
	h.out[2] = one;
	h.in[0] = (rank - 1 + size) % size;
	h.in[1] = (rank - 2 + 2 * size) % size;
	h.in[2] = h.in[0];
	h.pair[0] = 0;
	h.pair[1] = 1;
	h.pair[2] = 2;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, h.in, MPI_UNWEIGHTED,
				       3, h.out, MPI_UNWEIGHTED, MPI_INFO_NULL,
				       0, &h.comm);
	test_allgather(&h);
	test_alltoall(&h);
	MPI_Comm_free(&h.comm);
}

/* Tests a star: edges between rank 0 and all other ranks. */
static void test_graph(void)
{
	int index[MOST], edges[2 * MOST], i;
	struct hood h = { .nin = rank ? 1 : size - 1 };

	for (i = 0; i < size; i++) {
		index[i] = size - 1 + i;
		if (i) {
			edges[i - 1] = i;
			edges[size - 2 + i] = 0;
		}
	}
	MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &h.comm);
	h.nout = h.nin;
	for (i = 0; i < h.nin; i++) {
		h.in[i] = rank ? 0 : i + 1;
		h.out[i] = h.in[i];
		h.pair[i] = rank ? rank - 1 : 0;
	}
	test_allgather(&h);
	test_alltoall(&h);
	MPI_Comm_free(&h.comm);
}

int main(int argc, char **argv)
{
	int line[1], grid[2], cube[3] = { 1, 1, 1 }, p;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (p = 0; p < 2; p++) {
		line[0] = size;
		test_cart(1, line, p);
		grid[0] = grid[1] = 0;
		MPI_Dims_create(size, 2, grid);
		test_cart(2, grid, p);
		cube[2] = size >= 2 ? 2 : 1;
		test_cart(3, cube, p);
	}
	if (size <= MOST) {
		test_dist_graph();
		if (size > 1)
			test_graph();
	}
	MPI_Finalize();
	if (!rank)
		printf("coll_neighbor: all neighbourhoods are correct\n");
	return 0;
}

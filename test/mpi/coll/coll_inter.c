/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on intercommunicators: the world is split at every rank, and all
 * operations run between the two groups, blocking and nonblocking.
 */
#include "coll_t.h"

enum { N = 11 };

static int world, nworld;
static MPI_Comm inter;
static int rank, local, remote;
/* world ranks of rank 0 in the local and in the remote group */
static int first, other;

static int remote_sum(int what, int e)
{
	int q, sum = 0;

	for (q = 0; q < remote; q++)
		sum += coll_val(other + q, what, e);
	return sum;
}

static void fill(int *v, int what, int n)
{
	int e;

	for (e = 0; e < n; e++)
		v[e] = coll_val(world, what, e);
}

/* Returns the root argument of this rank if the root is world rank `root`. */
static int root_arg(int root)
{
	int left = other > first ? other : first;
	int here = (root < left) == (first < other);

	if (root == world)
		return MPI_ROOT;
	return here ? MPI_PROC_NULL : root - other;
}

static void test_rooted(int root_world)
{
	int root = root_arg(root_world), v[N], w[N], q, e;
	int *all = coll_malloc(sizeof(int) * N * (size_t)nworld);

	fill(v, 1, N);
	MPI_Bcast(v, N, MPI_INT, root, inter);
	for (e = 0; e < N && root >= 0; e++)
		CHECK(v[e] == coll_val(root_world, 1, e));
	fill(v, 2, N);
	MPI_Reduce(v, w, N, MPI_INT, MPI_SUM, root, inter);
	for (e = 0; e < N && root == MPI_ROOT; e++)
		CHECK(w[e] == remote_sum(2, e));
	MPI_Gather(v, N, MPI_INT, all, N, MPI_INT, root, inter);
	for (q = 0; q < remote && root == MPI_ROOT; q++)
		for (e = 0; e < N; e++)
			CHECK(all[q * N + e] == coll_val(other + q, 2, e));
	fill(all, 3, N * nworld);
	MPI_Scatter(all, N, MPI_INT, w, N, MPI_INT, root, inter);
	for (e = 0; e < N && root >= 0; e++)
		CHECK(w[e] == coll_val(root_world, 3, rank * N + e));
	free(all);
}

static void test_all(void)
{
	int v[N], w[N], q, e;
	int *out = coll_malloc(sizeof(int) * N * (size_t)nworld);
	int *in = coll_malloc(sizeof(int) * N * (size_t)nworld);
	MPI_Request req[3];

	MPI_Barrier(inter);
	fill(v, 4, N);
	MPI_Allreduce(v, w, N, MPI_INT, MPI_SUM, inter);
	for (e = 0; e < N; e++)
		CHECK(w[e] == remote_sum(4, e));
	fill(out, 5, N * nworld);
	MPI_Ialltoall(out, N, MPI_INT, in, N, MPI_INT, inter, &req[0]);
	MPI_Ibarrier(inter, &req[1]);
	MPI_Iallreduce(v, w, N, MPI_INT, MPI_MAX, inter, &req[2]);
	MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	for (q = 0; q < remote; q++)
		for (e = 0; e < N; e++)
			CHECK(in[q * N + e] ==
			      coll_val(other + q, 5, rank * N + e));
	CHECK(w[3] == coll_val(other + remote - 1, 4, 3));
	MPI_Allgather(v, N, MPI_INT, in, N, MPI_INT, inter);
	for (q = 0; q < remote; q++)
		for (e = 0; e < N; e++)
			CHECK(in[q * N + e] == coll_val(other + q, 4, e));
	/* the vector has local * remote elements in both groups */
	free(out);
	out = coll_malloc(sizeof(int) * (size_t)(local * remote));
	fill(out, 6, local * remote);
	MPI_Reduce_scatter_block(out, in, remote, MPI_INT, MPI_SUM, inter);
	for (e = 0; e < remote; e++)
		CHECK(in[e] == remote_sum(6, rank * remote + e));
	free(out);
	free(in);
}

static void test_v(void)
{
	int *counts = coll_malloc(sizeof(int) * (size_t)remote);
	int *displs = coll_malloc(sizeof(int) * (size_t)remote);
	int *in = coll_malloc(sizeof(int) * 4 * (size_t)remote);
	int v[4], q, e;

	fill(v, 7, 4);
	for (q = 0; q < remote; q++) {
		counts[q] = (other + q) % 4;
		displs[q] = 4 * (remote - 1 - q);
	}
	MPI_Allgatherv(v, world % 4, MPI_INT, in, counts, displs, MPI_INT,
		       inter);
	for (q = 0; q < remote; q++)
		for (e = 0; e < counts[q]; e++)
			CHECK(in[displs[q] + e] == coll_val(other + q, 7, e));
	free(counts);
	free(displs);
	free(in);
}

static void test_split_at(int cut)
{
	int left = world < cut, root_world;
	MPI_Comm side;

	MPI_Comm_split(MPI_COMM_WORLD, left, world, &side);
	MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? cut : 0, 12,
			     &inter);
	MPI_Comm_rank(inter, &rank);
	MPI_Comm_size(inter, &local);
	MPI_Comm_remote_size(inter, &remote);
	first = left ? 0 : cut;
	other = left ? cut : 0;
	for (root_world = 0; root_world < nworld; root_world++)
		test_rooted(root_world);
	test_all();
	test_v();
	MPI_Comm_free(&inter);
	MPI_Comm_free(&side);
}

int main(int argc, char **argv)
{
	int cut;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world);
	MPI_Comm_size(MPI_COMM_WORLD, &nworld);
	for (cut = 1; cut<nworld; cut += nworld> 6 ? 3 : 1)
		test_split_at(cut);
	MPI_Finalize();
	if (!world)
		printf("coll_inter: all operations between groups are "
		       "correct\n");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on derived types: gaps, negative lower bounds, types that differ
 * between ranks with the same signature, MPI_BOTTOM, empty types and counts,
 * the v and w forms, and the MPI_Count forms.
 */
#include "coll_t.h"

enum { N = 700 };

static int rank, size;

/* Makes a type of two ints at -4 and 8, with an extent of 24 bytes. */
static MPI_Datatype make_gappy(void)
{
	int len[2] = { 1, 1 };
	MPI_Aint disp[2] = { -4, 8 };
	MPI_Datatype t, r;

	MPI_Type_create_hindexed(2, len, disp, MPI_INT, &t);
	MPI_Type_create_resized(t, -8, 24, &r);
	MPI_Type_commit(&r);
	MPI_Type_free(&t);
	return r;
}

/*
 * Returns the address of int k of element e in a buffer of gappy elements that
 * begins at base.
 */
static int *gap_at(char *base, int e, int k)
{
	return (int *)(void *)(base + 24 * e + (k ? 8 : -4));
}

static void test_bcast(MPI_Datatype gappy)
{
	static const int counts[] = { 0, 1, 3, N };
	char *mem = coll_malloc(24 * (N + 2)), *base = mem + 24;
	int *flat = coll_malloc(sizeof(int) * 2 * N), root, i;
	size_t c;

	for (c = 0; c < N_OF(counts); c++)
		for (root = 0; root < size; root++) {
			memset(mem, 0x5a, 24 * (N + 2));
			for (i = 0; i < counts[c] && rank == root; i++) {
				*gap_at(base, i, 0) = coll_val(root, 1, i);
				*gap_at(base, i, 1) = coll_val(root, 2, i);
			}
			/* odd ranks use another type with the same signature */
			if (rank % 2 && rank != root)
				MPI_Bcast(flat, 2 * counts[c], MPI_INT, root,
					  MPI_COMM_WORLD);
			else
				MPI_Bcast(base, counts[c], gappy, root,
					  MPI_COMM_WORLD);
			for (i = 0; i < counts[c]; i++) {
				int a = *gap_at(base, i, 0);
				int b = *gap_at(base, i, 1);

				if (rank % 2 && rank != root) {
					a = flat[2 * i];
					b = flat[2 * i + 1];
				}
				CHECK(a == coll_val(root, 1, i));
				CHECK(b == coll_val(root, 2, i));
			}
			CHECK(mem[24 * (N + 2) - 1] == 0x5a);
			CHECK(base[0] == 0x5a && base[12] == 0x5a);
		}
	free(mem);
	free(flat);
}

static void test_gather_scatter(MPI_Datatype gappy)
{
	char *mem = coll_malloc(24 * (size_t)(size * 3 + 2)), *base = mem + 24;
	int one[6], root, q, i;

	for (root = 0; root < size; root++) {
		for (i = 0; i < 6; i++)
			one[i] = coll_val(rank, root, i);
		MPI_Gather(one, 6, MPI_INT, base, 3, gappy, root,
			   MPI_COMM_WORLD);
		for (q = 0; q < size && rank == root; q++)
			for (i = 0; i < 6; i++)
				CHECK(*gap_at(base, 3 * q + i / 2, i % 2) ==
				      coll_val(q, root, i));
		memset(one, 0, sizeof(one));
		MPI_Scatter(base, 3, gappy, one, 6, MPI_INT, root,
			    MPI_COMM_WORLD);
		for (i = 0; i < 6; i++)
			CHECK(one[i] == coll_val(rank, root, i));
	}
	for (i = 0; i < 6; i++)
		one[i] = coll_val(rank, 9, i);
	MPI_Allgather(one, 6, MPI_INT, base, 3, gappy, MPI_COMM_WORLD);
	for (q = 0; q < size; q++)
		for (i = 0; i < 6; i++)
			CHECK(*gap_at(base, 3 * q + i / 2, i % 2) ==
			      coll_val(q, 9, i));
	free(mem);
}

/*
 * Rank q sends q % 4 ints to every rank; blocks are in reverse order, with
 * gaps.
 */
static void test_v(void)
{
	int *counts = coll_malloc(sizeof(int) * (size_t)size);
	int *displs = coll_malloc(sizeof(int) * (size_t)size);
	int *all = coll_malloc(sizeof(int) * 5 * (size_t)size);
	int mine[4], root, q, e;

	for (q = 0; q < size; q++) {
		counts[q] = q % 4;
		displs[q] = 5 * (size - 1 - q);
	}
	for (e = 0; e < 4; e++)
		mine[e] = coll_val(rank, 0, e);
	for (root = 0; root < size; root++) {
		MPI_Gatherv(mine, rank % 4, MPI_INT, all, counts, displs,
			    MPI_INT, root, MPI_COMM_WORLD);
		for (q = 0; q < size && rank == root; q++)
			for (e = 0; e < counts[q]; e++)
				CHECK(all[displs[q] + e] == coll_val(q, 0, e));
		memset(mine, 0, sizeof(mine));
		MPI_Scatterv(all, counts, displs, MPI_INT, mine, rank % 4,
			     MPI_INT, root, MPI_COMM_WORLD);
		for (e = 0; e < rank % 4; e++)
			CHECK(mine[e] == coll_val(rank, 0, e));
	}
	free(counts);
	free(displs);
	free(all);
}

/* Rank a sends (a + b) % 3 ints to rank b. */
static void test_alltoallv(void)
{
	size_t n = (size_t)size;
	int *sc = coll_malloc(sizeof(int) * n),
	    *sd = coll_malloc(sizeof(int) * n);
	int *rc = coll_malloc(sizeof(int) * n),
	    *rd = coll_malloc(sizeof(int) * n);
	MPI_Count *scc = coll_malloc(sizeof(MPI_Count) * n);
	MPI_Aint *sdc = coll_malloc(sizeof(MPI_Aint) * n);
	MPI_Datatype *types = coll_malloc(sizeof(MPI_Datatype) * n);
	int *out = coll_malloc(sizeof(int) * 3 * n);
	int *in = coll_malloc(sizeof(int) * 3 * n), q, e, form;

	for (form = 0; form < 4; form++) {
		for (q = 0; q < size; q++) {
			scc[q] = sc[q] = rc[q] = (rank + q) % 3;
			sdc[q] = sd[q] = rd[q] = 3 * q * (form & 1 ? 4 : 1);
			types[q] = MPI_INT;
			for (e = 0; e < 3; e++) {
				out[3 * q + e] = coll_val(rank, q, e);
				in[3 * q + e] = -1;
			}
		}
		if (form == 0)
			MPI_Alltoallv(out, sc, sd, MPI_INT, in, rc, rd, MPI_INT,
				      MPI_COMM_WORLD);
		if (form == 1)
			MPI_Alltoallw(out, sc, sd, types, in, rc, rd, types,
				      MPI_COMM_WORLD);
		if (form == 2)
			MPI_Alltoallv_c(out, scc, sdc, MPI_INT, in, scc, sdc,
					MPI_INT, MPI_COMM_WORLD);
		if (form == 3) {
			memcpy(in, out, sizeof(int) * 3 * n);
			MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, rc,
				      rd, types, MPI_COMM_WORLD);
		}
		for (q = 0; q < size; q++)
			for (e = 0; e < (rank + q) % 3; e++)
				CHECK(in[3 * q + e] == coll_val(q, rank, e));
	}
	free(sc);
	free(sd);
	free(rc);
	free(rd);
	free(scc);
	free(sdc);
	free(types);
	free(out);
	free(in);
}

static void test_bottom_and_empty(void)
{
	int x = rank ? -1 : 42, none = 7, len = 1;
	MPI_Datatype here, empty;
	MPI_Aint at;

	MPI_Get_address(&x, &at);
	MPI_Type_create_hindexed(1, &len, &at, MPI_INT, &here);
	MPI_Type_commit(&here);
	MPI_Bcast(MPI_BOTTOM, 1, here, 0, MPI_COMM_WORLD);
	CHECK(x == 42);
	MPI_Type_free(&here);
	MPI_Type_contiguous(0, MPI_INT, &empty);
	MPI_Type_commit(&empty);
	MPI_Bcast(&none, 5, empty, size - 1, MPI_COMM_WORLD);
	MPI_Allgather(&none, 3, empty, &x, 3, empty, MPI_COMM_WORLD);
	MPI_Allreduce(&none, &x, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Alltoall(&none, 0, MPI_INT, &x, 0, MPI_INT, MPI_COMM_WORLD);
	CHECK(none == 7 && x == 42);
	MPI_Type_free(&empty);
}

static void test_counts(void)
{
	double v = rank + 1, sum = 0;

	MPI_Allreduce_c(&v, &sum, (MPI_Count)1, MPI_DOUBLE, MPI_SUM,
			MPI_COMM_WORLD);
	CHECK(sum == size * (size + 1) / 2.0);
	MPI_Bcast_c(&sum, (MPI_Count)1, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Datatype gappy;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gappy = make_gappy();
	test_bcast(gappy);
	test_gather_scatter(gappy);
	test_v();
	test_alltoallv();
	test_bottom_and_empty();
	test_counts();
	MPI_Type_free(&gappy);
	MPI_Finalize();
	if (!rank)
		printf("coll_derived: all types are correct\n");
	return 0;
}

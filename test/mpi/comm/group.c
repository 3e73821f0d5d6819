/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: set operations, subsets, comparisons. */
#include "mpi_t.h"

static MPI_Group world;

static int size_of(MPI_Group g)
{
	int n;

	MT_OK(MPI_Group_size(g, &n));
	return n;
}

static MPI_Group range(int first, int last, int stride)
{
	int r[1][3] = { { first, last, stride } };
	MPI_Group g;

	MT_OK(MPI_Group_range_incl(world, 1, r, &g));
	return g;
}

static int compare(MPI_Group a, MPI_Group b)
{
	int x;

	MT_OK(MPI_Group_compare(a, b, &x));
	return x;
}

static void sets(void)
{
	MPI_Group even = range(0, mt_size - 1, 2), odd, u, i, d, back;
	int n = mt_size, r[1][3] = { { 0, mt_size - 1, 2 } }, x;

	MT_OK(MPI_Group_range_excl(world, 1, r, &odd));
	MT_IS(size_of(even), (n + 1) / 2);
	MT_IS(size_of(odd), n / 2);
	MT_OK(MPI_Group_union(even, odd, &u));
	MT_IS(size_of(u), n);
	MT_IS(compare(u, world), n > 2 ? MPI_SIMILAR : MPI_IDENT);
	MT_OK(MPI_Group_intersection(even, odd, &i));
	MT_IS(size_of(i), 0);
	MT_IS(compare(i, MPI_GROUP_EMPTY), MPI_IDENT);
	MT_OK(MPI_Group_difference(world, odd, &d));
	MT_IS(compare(d, even), MPI_IDENT);
	back = range(n - 1, 0, -1);
	MT_IS(compare(back, world), n > 1 ? MPI_SIMILAR : MPI_IDENT);
	MT_OK(MPI_Group_rank(back, &x));
	MT_IS(x, n - 1 - mt_rank);
	MT_OK(MPI_Group_rank(even, &x));
	MT_IS(x, mt_rank % 2 ? MPI_UNDEFINED : mt_rank / 2);
	MT_OK(MPI_Group_free(&even));
	MT_OK(MPI_Group_free(&odd));
	MT_OK(MPI_Group_free(&u));
	MT_OK(MPI_Group_free(&i));
	MT_OK(MPI_Group_free(&d));
	MT_OK(MPI_Group_free(&back));
	MT_IS(back, MPI_GROUP_NULL);
}

static void translated(void)
{
	MPI_Group last, all;
	int in[3] = { 0, mt_size - 1, MPI_PROC_NULL }, out[3];

	MT_OK(MPI_Group_incl(world, 1, &in[1], &last));
	MT_OK(MPI_Group_excl(world, 0, NULL, &all));
	MT_IS(compare(all, world), MPI_IDENT);
	MT_OK(MPI_Group_translate_ranks(all, 3, in, last, out));
	MT_IS(out[0], mt_size == 1 ? 0 : MPI_UNDEFINED);
	MT_IS(out[1], 0);
	MT_IS(out[2], MPI_PROC_NULL);
	MT_OK(MPI_Group_free(&last));
	MT_OK(MPI_Group_free(&all));
}

static void refused(void)
{
	int bad[2] = { 0, mt_size }, twice[2] = { 0, 0 };
	int zero[1][3] = { { 0, 0, 0 } };
	MPI_Group g;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MT_IS(mt_class(MPI_Group_incl(world, 2, bad, &g)), MPI_ERR_RANK);
	MT_IS(mt_class(MPI_Group_incl(world, 2, twice, &g)), MPI_ERR_RANK);
	MT_IS(mt_class(MPI_Group_range_incl(world, 1, zero, &g)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Group_size(MPI_GROUP_NULL, bad)), MPI_ERR_GROUP);
	MT_IS(mt_class(MPI_Group_size(world, NULL)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Group_union(world, world, NULL)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Group_range_incl(world, 0, NULL, NULL)),
	      MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Comm_size(MPI_COMM_SELF, NULL)), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	sets();
	translated();
	refused();
	MT_OK(MPI_Group_free(&world));
	return mt_end();
}

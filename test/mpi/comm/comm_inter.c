/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators between even and odd ranks. */
#include "mpi_t.h"

static MPI_Comm side, inter;
static int here, there, me;

static void open_inter(void)
{
	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 2, mt_rank, &side));
	MT_OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - mt_rank % 2, 3,
				   &inter));
	here = (mt_size + 1 - mt_rank % 2) / 2;
	there = mt_size - here;
	me = mt_rank / 2;
}

static void queries(void)
{
	MPI_Group g, h;
	int flag, n, r;

	MT_OK(MPI_Comm_test_inter(inter, &flag));
	MT_IS(flag, 1);
	MT_OK(MPI_Comm_test_inter(side, &flag));
	MT_IS(flag, 0);
	MT_OK(MPI_Comm_size(inter, &n));
	MT_IS(n, here);
	MT_OK(MPI_Comm_remote_size(inter, &n));
	MT_IS(n, there);
	MT_OK(MPI_Comm_rank(inter, &r));
	MT_IS(r, me);
	MT_OK(MPI_Comm_remote_group(inter, &g));
	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &h));
	r = 0;
	MT_OK(MPI_Group_translate_ranks(g, 1, &r, h, &n));
	MT_IS(n, 1 - mt_rank % 2);
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Group_free(&h));
}

/* Every rank sends to every rank of the remote group. */
static void messages(MPI_Comm c, int others)
{
	MPI_Request *s = malloc((size_t)others * sizeof(*s));
	MPI_Status st;
	int i, x, sender;

	MT_OK(MPI_Comm_rank(c, &x));
	for (i = 0; i < others; i++)
		MT_OK(MPI_Isend(&mt_rank, 1, MPI_INT, i, 4, c, &s[i]));
	for (i = 0; i < others; i++) {
		MT_OK(MPI_Recv(&sender, 1, MPI_INT, i, 4, c, &st));
		MT_IS(st.MPI_SOURCE, i);
		MT_IS(sender % 2, 1 - mt_rank % 2);
	}
	MT_OK(MPI_Waitall(others, s, MPI_STATUSES_IGNORE));
	free(s);
}

static void derived(void)
{
	MPI_Comm c;
	MPI_Request q;
	MPI_Group g, h;
	int x, n, zero = 0;

	MT_OK(MPI_Comm_dup(inter, &c));
	MT_OK(MPI_Comm_compare(c, inter, &x));
	MT_IS(x, MPI_CONGRUENT);
	messages(c, there);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Comm_idup(inter, &c, &q));
	MT_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	messages(c, there);
	MT_OK(MPI_Comm_free(&c));

	/*
	 * pairs of world ranks (0 1) (2 3) ...; an odd last rank has no partner
	 */
	MT_OK(MPI_Comm_split(inter, me, 0, &c));
	if (me < here && me < there) {
		MT_OK(MPI_Comm_remote_size(c, &n));
		MT_IS(n, 1);
		messages(c, 1);
		MT_OK(MPI_Comm_free(&c));
	} else {
		MT_IS(c, MPI_COMM_NULL);
	}

	MT_OK(MPI_Comm_group(inter, &g));
	MT_OK(MPI_Group_incl(g, 1, &zero, &h));
	MT_OK(MPI_Comm_create(inter, h, &c));
	MT_IS(c == MPI_COMM_NULL, me != 0);
	if (c != MPI_COMM_NULL) {
		messages(c, 1);
		MT_OK(MPI_Comm_free(&c));
	}
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Group_free(&h));
}

/*
 * Splits the intercommunicator by host, and checks which remote ranks are on
 * this host.
 */
static void by_host(void)
{
	int local_remotes =
		    mt_local_ranks(MPI_COMM_WORLD) - mt_local_ranks(side),
	    n;
	MPI_Comm c;

	MT_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				  &c));
	MT_IS(c == MPI_COMM_NULL, local_remotes == 0);
	if (!local_remotes)
		return;
	MT_OK(MPI_Comm_remote_size(c, &n));
	MT_IS(n, local_remotes);
	messages(c, local_remotes);
	MT_OK(MPI_Comm_free(&c));
}

/*
 * Splits by type; if all ranks are on one host, all participating ranks are in
 * one communicator.
 */
static void by_type(void)
{
	MPI_Comm c;
	int n, r;

	if (mt_local_ranks(MPI_COMM_WORLD) < mt_size) {
		by_host();
		return;
	}
	MT_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, -me,
				  MPI_INFO_NULL, &c));
	MT_OK(MPI_Comm_test_inter(c, &n));
	MT_IS(n, 1);
	MT_OK(MPI_Comm_remote_size(c, &n));
	MT_IS(n, there);
	MT_OK(MPI_Comm_rank(c, &r));
	MT_IS(r, here - 1 - me);
	messages(c, there);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_UNGUIDED, 0,
				  MPI_INFO_NULL, &c));
	MT_IS(c, MPI_COMM_NULL);
	/*
	 * world rank 0 passes MPI_UNDEFINED: the result is a proper subset of
	 * the intercommunicator on both sides
	 */
	MT_OK(MPI_Comm_split_type(
		inter, mt_rank ? MPI_COMM_TYPE_HW_UNGUIDED : MPI_UNDEFINED, 0,
		MPI_INFO_NULL, &c));
	MT_IS(c == MPI_COMM_NULL, mt_rank == 0 || mt_size == 2);
	if (c != MPI_COMM_NULL) {
		messages(c, mt_rank % 2 ? there - 1 : there);
		MT_OK(MPI_Comm_free(&c));
	}
	/* one side passes MPI_UNDEFINED: the other has no remote group */
	MT_OK(MPI_Comm_split_type(
		inter, mt_rank % 2 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
		MPI_INFO_NULL, &c));
	MT_IS(c, MPI_COMM_NULL);
}

static void merged(void)
{
	MPI_Comm c;
	int r, n, sum;

	MT_OK(MPI_Intercomm_merge(inter, mt_rank % 2 == 0, &c));
	MT_OK(MPI_Comm_rank(c, &r));
	MT_OK(MPI_Comm_size(c, &n));
	MT_IS(n, mt_size);
	/* even ranks passed high, so odd ranks are first */
	MT_IS(r, mt_rank % 2 ? me : there + me);
	MT_OK(MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, c));
	MT_IS(sum, mt_size * (mt_size - 1) / 2);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Intercomm_merge(inter, 0, &c));
	MT_OK(MPI_Comm_rank(c, &r));
	MT_IS(r, mt_rank % 2 ? there + me : me);
	MT_OK(MPI_Comm_free(&c));
}

static void from_groups(void)
{
	MPI_Group w, mine, theirs;
	MPI_Comm c;
	int range[1][3] = { { mt_rank % 2, mt_size - 1, 2 } };
	int n;

	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &w));
	MT_OK(MPI_Group_range_incl(w, 1, range, &mine));
	range[0][0] = 1 - mt_rank % 2;
	MT_OK(MPI_Group_range_incl(w, 1, range, &theirs));
	MT_OK(MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "weft/two",
					       MPI_INFO_NULL, MPI_ERRORS_RETURN,
					       &c));
	MT_OK(MPI_Comm_remote_size(c, &n));
	MT_IS(n, there);
	messages(c, there);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Group_free(&w));
	MT_OK(MPI_Group_free(&mine));
	MT_OK(MPI_Group_free(&theirs));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	open_inter();
	queries();
	messages(inter, there);
	derived();
	by_type();
	merged();
	from_groups();
	MT_OK(MPI_Comm_free(&inter));
	MT_OK(MPI_Comm_free(&side));
	return mt_end();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages do not overtake each other, regardless of their sizes and of the
 * number of unexpected messages.
 */
#include "mpi_t.h"

#define COUNT 400
#define BIG   30000

static int size_of(int i)
{
	static const int s[] = { 4, 100, 4, 5000, 4, BIG, 4, 800 };

	return s[i % 8];
}

/* All ranks send to rank 0, which receives late, in order from each source. */
static void flood(void)
{
	char *buf = malloc(BIG);
	int *seen = calloc((size_t)mt_size, sizeof(int));
	MPI_Request *req = malloc(COUNT * sizeof(*req));
	char **out = malloc(COUNT * sizeof(*out));
	MPI_Status st;
	int i, n;

	for (i = 0; i < COUNT; i++) {
		out[i] = calloc(1, (size_t)size_of(i));
		memcpy(out[i], &i, sizeof(i));
		MT_OK(MPI_Isend(out[i], size_of(i), MPI_BYTE, 0, 1,
				MPI_COMM_WORLD, &req[i]));
	}
	for (i = 0; mt_rank == 0 && i < COUNT * mt_size; i++) {
		int number;

		MT_OK(MPI_Recv(buf, BIG, MPI_BYTE, MPI_ANY_SOURCE, 1,
			       MPI_COMM_WORLD, &st));
		memcpy(&number, buf, sizeof(number));
		MT_IS(number, seen[st.MPI_SOURCE]);
		MT_OK(MPI_Get_count(&st, MPI_BYTE, &n));
		MT_IS(n, size_of(number));
		seen[st.MPI_SOURCE]++;
	}
	MT_OK(MPI_Waitall(COUNT, req, MPI_STATUSES_IGNORE));
	for (i = 0; i < COUNT; i++)
		free(out[i]);
	free(out);
	free(req);
	free(seen);
	free(buf);
}

/* Receives posted with and without wildcards match in posting order. */
static void posted(void)
{
	int i, got[64], val[64];
	MPI_Request r[64], s[64];
	MPI_Status st[64];

	for (i = 0; i < 64; i++)
		MT_OK(MPI_Irecv(
			&got[i], 1, MPI_INT, i % 3 ? mt_rank : MPI_ANY_SOURCE,
			i % 2 ? 5 : MPI_ANY_TAG, MPI_COMM_WORLD, &r[i]));
	for (i = 0; i < 64; i++) {
		val[i] = i;
		MT_OK(MPI_Isend(&val[i], 1, MPI_INT, mt_rank, 5, MPI_COMM_WORLD,
				&s[i]));
	}
	MT_OK(MPI_Waitall(64, r, st));
	MT_OK(MPI_Waitall(64, s, MPI_STATUSES_IGNORE));
	for (i = 0; i < 64; i++) {
		MT_IS(got[i], i);
		MT_IS(st[i].MPI_SOURCE, mt_rank);
		MT_IS(st[i].MPI_TAG, 5);
	}
}

/* Receives select messages by tags, not in the order of the sends. */
static void select_by_tag(void)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	int i, val[32], x;
	MPI_Request s[32];

	for (i = 0; i < 32; i++) {
		val[i] = i * 3;
		MT_OK(MPI_Isend(&val[i], 1, MPI_INT, next, i, MPI_COMM_WORLD,
				&s[i]));
	}
	for (i = 31; i >= 0; i--) {
		MT_OK(MPI_Recv(&x, 1, MPI_INT, prev, i, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		MT_IS(x, i * 3);
	}
	MT_OK(MPI_Waitall(32, s, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	flood();
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	posted();
	MT_OK(MPI_Barrier(
		MPI_COMM_WORLD)); /* no receive with a wildcard is pending */
	select_by_tag();
	return mt_end();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions that begin after MPI_Finalize, for test/multihost/hosts_session.sh:
 * each rank begins its sessions at a different time, and the ranks communicate.
 *
 *   hosts_session ROUNDS
 */
#include "mpi_t.h"

#include <time.h>

/* Computes for a time that depends on the rank. */
static void compute(int rank, int round)
{
	double end = (rank * 7 + round * 3) % 10 * 0.03;
	struct timespec t, from;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while ((double)(t.tv_sec - from.tv_sec) +
		       (double)(t.tv_nsec - from.tv_nsec) * 1e-9 <
	       end);
}

static void communicate(const char *tag, int rank, int size)
{
	int sum = 0, from = -1;
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;

	MT_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	MT_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	MT_OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL,
					 MPI_ERRORS_RETURN, &c));
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1,
			   MPI_INT, (rank + size - 1) % size, 0, c,
			   MPI_STATUS_IGNORE));
	MT_IS(from, (rank + size - 1) % size);
	MT_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c));
	MT_IS(sum, size * (size - 1) / 2);
	MT_OK(MPI_Comm_disconnect(&c));
	MT_OK(MPI_Session_finalize(&s));
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, rank, size;
	char tag[16];

	MT_OK(MPI_Init(&argc, &argv));
	MT_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	MT_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
	MT_OK(MPI_Finalize());
	for (int i = 0; i < rounds; i++) {
		compute(rank, i);
		snprintf(tag, sizeof(tag), "%d", i);
		communicate(tag, rank, size);
	}
	printf("rank %d: good\n", rank);
	return 0;
}

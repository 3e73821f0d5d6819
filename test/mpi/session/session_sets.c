/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process sets of mpiexec: the ranks of each program of the command line. If
 * the program is started several times in one job, the argument of each
 * instance is its number of ranks.
 */
#include "mpi_t.h"

int main(int argc, char **argv)
{
	int n, len, size, rank, mine = 0, expect;
	char name[64];
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;

	MT_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	MT_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	MPI_Group_size(g, &expect);
	MT_OK(MPI_Group_free(&g));
	if (argc > 1)
		expect = atoi(argv[1]);
	MT_OK(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	for (int i = 3; i < n; i++) {
		len = sizeof(name);
		MT_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len,
					       name));
		MT_OK(MPI_Group_from_session_pset(s, name, &g));
		MPI_Group_rank(g, &rank);
		MPI_Group_size(g, &size);
		if (rank != MPI_UNDEFINED) {
			mine++;
			MT_IS(size, expect);
			MT_OK(MPI_Comm_create_from_group(
				g, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
			MT_OK(MPI_Barrier(c));
			MT_OK(MPI_Comm_free(&c));
		}
		MT_OK(MPI_Group_free(&g));
	}
	MT_IS(mine, 1);
	MT_OK(MPI_Session_finalize(&s));
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node fails in virtual time: pairs of ranks exchange messages, and the node
 * of the last rank fails during the run. With an argument errors are returned,
 * and all other ranks continue.
 */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 200 };

/*
 * Runs one round of messages. Returns 0, 1 if the peer has failed, or -1 after
 * another error.
 */
static int exchange_round(int rank, int round)
{
	int peer = rank ^ 1, in = -1, class = 0, len, err;
	char text[MPI_MAX_ERROR_STRING];

	err = MPI_Sendrecv(&round, 1, MPI_INT, peer, 0, &in, 1, MPI_INT, peer,
			   0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!err)
		return in == round ? 0 : -1;
	MPI_Error_class(err, &class);
	MPI_Error_string(err, text, &len);
	printf("rank %d: %s\n", rank, text);
	return class == MPI_ERR_PROC_ABORTED ? 1 : -1;
}

int main(int argc, char **argv)
{
	int rank, round, rc = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (round = 0; round < ROUNDS && !rc; round++)
		rc = exchange_round(rank, round);
	MPI_Finalize();
	printf("rank %d: %d rounds, %d\n", rank, round, rc);
	return rc < 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads bytes that other processes have written, in memory that this process
 * has not initialised: by long messages, gets, puts and atomics. With an
 * argument the program also reads an uninitialised value.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* ints of a message: long enough for a shared copy or a rendezvous */
#define N 2000000

static int errors;

static void check(const int *got, int n, int want)
{
	for (int i = 0; i < n; i++)
		errors += got[i] != want;
}

static void messages(int rank)
{
	int *out = malloc(N * sizeof(*out)), *in = malloc(N * sizeof(*in));

	for (int i = 0; i < N; i++)
		out[i] = rank;
	for (int k = 0; k < 3; k++) {
		MPI_Sendrecv(out, N, MPI_INT, !rank, 0, in, N, MPI_INT, !rank,
			     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		check(in, N, !rank);
	}
	for (int k = 0; k < 3; k++) {
		free(in);
		in = malloc(N * sizeof(*in));
		if (rank)
			MPI_Send(out, N, MPI_INT, 0, 1, MPI_COMM_WORLD);
		else
			MPI_Recv(in, N, MPI_INT, 1, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (!rank)
			check(in, N, 1);
	}
	free(out);
	free(in);
}

static void accesses(int rank)
{
	int *memory = malloc(64 * sizeof(*memory));
	int *in = malloc(32 * sizeof(*in)), *before = malloc(sizeof(*before));
	int out[32];
	MPI_Win win;

	MPI_Win_create(memory, 64 * sizeof(*memory), sizeof(*memory),
		       MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int i = 0; i < 32; i++)
		memory[32 + i] = out[i] = rank;
	MPI_Win_fence(0, win);
	MPI_Put(out, 32, MPI_INT, !rank, 0, 32, MPI_INT, win);
	MPI_Get(in, 32, MPI_INT, !rank, 32, 32, MPI_INT, win);
	MPI_Win_fence(0, win);
	check(memory, 32, !rank);
	check(in, 32, !rank);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, !rank, 0, win);
	MPI_Fetch_and_op(out, before, MPI_INT, !rank, 40, MPI_REPLACE, win);
	MPI_Win_unlock(!rank, win);
	check(before, 1, !rank);
	MPI_Win_free(&win);
	free(memory);
	free(in);
	free(before);
}

int main(int argc, char **argv)
{
	int rank, *unset = malloc(sizeof(*unset));

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	messages(rank);
	accesses(rank);
	if (argc > 1)
		check(unset, 1, 0);
	free(unset);
	if (errors)
		fprintf(stderr, "rank %d: %d errors\n", rank, errors);
	MPI_Finalize();
	return 0;
}

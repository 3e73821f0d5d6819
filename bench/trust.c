/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of messages, collectives and a halo exchange, to compare two simulators
 * on the same machine (doc/trust.md): ping-pong between the first and the last
 * rank, MPI_Allreduce, MPI_Alltoall, and six messages to the neighbours in a
 * periodic box with an MPI_Allreduce of 8 bytes. Each time is the mean of
 * several calls at the slowest rank, after one call that is not counted.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST  ((size_t)1 << 20) /* maximum size of a message, bytes */
#define CALLS 5

static int rank, ranks, near[6];
static char *in, *out;
static MPI_Comm box;

static void ping_pong(int bytes)
{
	int last = ranks - 1;

	if (rank == 0) {
		MPI_Send(out, bytes, MPI_BYTE, last, 0, box);
		MPI_Recv(in, bytes, MPI_BYTE, last, 0, box, MPI_STATUS_IGNORE);
	} else if (rank == last) {
		MPI_Recv(in, bytes, MPI_BYTE, 0, 0, box, MPI_STATUS_IGNORE);
		MPI_Send(out, bytes, MPI_BYTE, 0, 0, box);
	}
}

static void allreduce(int bytes)
{
	MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, box);
}

static void alltoall(int bytes)
{
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, box);
}

static void halo(int bytes)
{
	MPI_Request q[12];

	for (int k = 0; k < 6; k++)
		MPI_Irecv(in + (size_t)k * (size_t)bytes, bytes, MPI_BYTE,
			  near[k], k, box, &q[k]);
	for (int k = 0; k < 6; k++)
		MPI_Isend(out + (size_t)k * (size_t)bytes, bytes, MPI_BYTE,
			  near[k ^ 1], k, box, &q[6 + k]);
	MPI_Waitall(12, q, MPI_STATUSES_IGNORE);
	allreduce(8);
}

/* Prints the mean time of a call at the slowest rank. */
static void measure(const char *name, void (*call)(int bytes), int bytes)
{
	double t, most;

	/* the first call also synchronizes the ranks that take part */
	MPI_Barrier(box);
	call(bytes);
	t = MPI_Wtime();
	for (int i = 0; i < CALLS; i++)
		call(bytes);
	t = (MPI_Wtime() - t) / CALLS;
	MPI_Reduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, 0, box);
	if (rank == 0)
		printf("%-10s %8d B %10.3f us\n", name, bytes, most * 1e6);
}

static void open_box(void)
{
	int dims[3] = { 0, 0, 0 }, periods[3] = { 1, 1, 1 };

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Dims_create(ranks, 3, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &box);
	MPI_Comm_rank(box, &rank);
	for (int d = 0; d < 3; d++)
		MPI_Cart_shift(box, d, 1, &near[2 * d], &near[2 * d + 1]);
}

int main(int argc, char **argv)
{
	static const int small[] = { 8, 1024, 65536 };

	MPI_Init(&argc, &argv);
	open_box();
	in = calloc((size_t)(ranks > 16 ? ranks : 16), MOST / 16);
	out = calloc((size_t)(ranks > 16 ? ranks : 16), MOST / 16);
	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < 3; i++)
		measure("ping-pong", ping_pong, small[i]);
	measure("ping-pong", ping_pong, (int)MOST);
	for (int i = 0; i < 3; i++)
		measure("allreduce", allreduce, small[i]);
	measure("allreduce", allreduce, (int)MOST);
	for (int i = 0; i < 3; i++)
		measure("alltoall", alltoall, small[i]);
	for (int i = 0; i < 3; i++)
		measure("halo", halo, small[i]);
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication patterns that vt_replay.sh records and replays. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, bytes;
static char *out, *in;

static void ring(void)
{
	for (int i = 0; i < 10; i++)
		MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 0, in,
			     bytes, MPI_BYTE, (rank + size - 1) % size, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int neighbour(int way)
{
	int at[3] = { rank % 2, rank / 2 % 2, rank / 4 };

	at[way / 2] ^= 1;
	return at[0] + 2 * at[1] + 4 * at[2];
}

static void halo(void)
{
	for (int i = 0; i < 5; i++) {
		double x = i, sum;
		MPI_Request q[12];

		for (int k = 0; k < 6; k++)
			MPI_Irecv(in + k * bytes, bytes, MPI_BYTE,
				  neighbour(k ^ 1), k, MPI_COMM_WORLD, &q[k]);
		for (int k = 0; k < 6; k++)
			MPI_Isend(out + k * bytes, bytes, MPI_BYTE,
				  neighbour(k), k, MPI_COMM_WORLD, &q[6 + k]);
		MPI_Waitall(12, q, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void alltoall(void)
{
	for (int i = 0; i < 5; i++)
		MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE,
			     MPI_COMM_WORLD);
}

static void collectives(MPI_Comm comm)
{
	int n = bytes / 8, i[64] = { 0 };
	MPI_Request q;

	for (int k = 0; k < 64; k++)
		i[k] = 1;
	MPI_Bcast(in, bytes, MPI_BYTE, 1, comm);
	MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_MAX, 0, comm);
	MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_INT, MPI_BOR, comm);
	MPI_Gather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, 1, comm);
	MPI_Scatter(out, 16, MPI_BYTE, in, 16, MPI_BYTE, 0, comm);
	MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
	MPI_Reduce_scatter(out, in, i, MPI_INT, MPI_SUM, comm);
	MPI_Reduce_scatter_block(out, in, 4, MPI_INT, MPI_SUM, comm);
	MPI_Scan(out, in, n, MPI_DOUBLE, MPI_SUM, comm);
	MPI_Exscan(out, in, n, MPI_DOUBLE, MPI_SUM, comm);
	MPI_Ibcast(in, bytes, MPI_BYTE, 0, comm, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, comm, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Barrier(comm);
}

static void messages(MPI_Comm comm, int me, int n)
{
	int to = (me + 1) % n, from = (me + n - 1) % n, index;
	MPI_Request q[2];

	MPI_Irecv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 5, comm, &q[0]);
	MPI_Issend(out, bytes, MPI_BYTE, to, 5, comm, &q[1]);
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	MPI_Recv_init(in, bytes, MPI_BYTE, from, 6, comm, &q[0]);
	MPI_Send_init(out, bytes, MPI_BYTE, to, 6, comm, &q[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, q);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm);
	MPI_Wtime();
}

/* Calls of all kinds, on the world and on two other communicators. */
static void calls(void)
{
	MPI_Comm half, copy;
	int me, n;

	collectives(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_rank(half, &me);
	MPI_Comm_size(half, &n);
	messages(half, me, n);
	MPI_Comm_dup(half, &copy);
	collectives(copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&half);
}

/* Data in blocks, and collectives whose root uses MPI_IN_PLACE. */
static void blocks(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	MPI_Datatype column;

	MPI_Type_vector(64, bytes / 64, bytes / 64 + 8, MPI_BYTE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(out, 1, column, to, 7, in, 1, column, from, 7,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	if (rank)
		MPI_Scatter(NULL, 0, MPI_BYTE, in, 64, MPI_BYTE, 0,
			    MPI_COMM_WORLD);
	else
		MPI_Scatter(out, 64, MPI_BYTE, MPI_IN_PLACE, 64, MPI_BYTE, 0,
			    MPI_COMM_WORLD);
	if (rank)
		MPI_Gather(out, 64, MPI_BYTE, NULL, 0, MPI_BYTE, 0,
			   MPI_COMM_WORLD);
	else
		MPI_Gather(MPI_IN_PLACE, 0, MPI_BYTE, in, 64, MPI_BYTE, 0,
			   MPI_COMM_WORLD);
}

static void window(void)
{
	MPI_Win win;
	void *base;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	bytes = atoi(argv[2]);
	out = calloc((size_t)size + 12, (size_t)bytes + 512);
	in = calloc((size_t)size + 12, (size_t)bytes + 512);
	if (!strcmp(argv[1], "ring"))
		ring();
	else if (!strcmp(argv[1], "halo"))
		halo();
	else if (!strcmp(argv[1], "alltoall"))
		alltoall();
	else if (!strcmp(argv[1], "calls"))
		calls();
	else if (!strcmp(argv[1], "blocks"))
		blocks();
	else
		window();
	MPI_Finalize();
	return 0;
}

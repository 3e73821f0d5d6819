/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times, in us, of messages that an interface matches; test/vt/vt_match.sh
 * checks them. The argument selects the program:
 *
 *   early   rank 1 posts a receive of 256 KiB, then computes for 1 ms
 *   late    rank 1 computes first
 *   typed   as early, but the receive has a datatype with gaps
 *   pack    the sender has a datatype with gaps and computes for 1 ms
 *   queue   the match is behind 0 and behind 100 other receives
 *   node    one message to rank 1 alone, then messages to all ranks of its node
 *   pairs   all ranks exchange messages in a ring while they compute
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (256 << 10)

static int rank, size;
static char buf[2 * BYTES];
static MPI_Comm world = MPI_COMM_WORLD;

static void compute(double until)
{
	while (MPI_Wtime() < until)
		;
}

/* Returns the first byte of the buffer that has not arrived, or -1. */
static int missing(int stride)
{
	for (int i = 0; i < BYTES; i++)
		if (buf[i * stride] != 7)
			return i;
	return -1;
}

static void large(const char *what)
{
	int stride = strcmp(what, "typed") ? 1 : 2;
	double t;
	MPI_Datatype type;
	MPI_Request r;

	MPI_Type_vector(BYTES, 1, stride, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	memset(buf, rank ? 0 : 7, sizeof(buf));
	MPI_Barrier(world);
	t = MPI_Wtime();
	if (rank == 1) {
		if (!strcmp(what, "late"))
			compute(t + 1e-3);
		MPI_Irecv(buf, 1, type, 0, 5, world, &r);
		compute(t + 1e-3);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		printf("recv %.1f %d\n", (MPI_Wtime() - t) * 1e6,
		       missing(stride));
	} else if (rank == 0) {
		MPI_Send(buf, BYTES, MPI_BYTE, 1, 5, world);
		printf("send %.1f\n", (MPI_Wtime() - t) * 1e6);
	}
	MPI_Type_free(&type);
}

static void pack(void)
{
	MPI_Datatype type;
	MPI_Request r;
	double t;

	MPI_Type_vector(BYTES, 1, 2, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	memset(buf, rank ? 0 : 7, sizeof(buf));
	MPI_Barrier(world);
	t = MPI_Wtime();
	if (rank == 0) {
		MPI_Isend(buf, 1, type, 1, 5, world, &r);
		compute(t + 1e-3);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		printf("send %.1f\n", (MPI_Wtime() - t) * 1e6);
	} else if (rank == 1) {
		MPI_Recv(buf, BYTES, MPI_BYTE, 0, 5, world, MPI_STATUS_IGNORE);
		printf("recv %.1f %d\n", (MPI_Wtime() - t) * 1e6, missing(1));
	}
	MPI_Type_free(&type);
}

/* Prints the time of a round trip to a rank with `others` older receives. */
static void queue_time(int others)
{
	MPI_Request other[128], r;
	double t;

	MPI_Barrier(world);
	t = MPI_Wtime();
	if (rank == 0) {
		MPI_Send(buf, 0, MPI_BYTE, 1, 1, world);
		MPI_Recv(buf, 0, MPI_BYTE, 1, 2, world, MPI_STATUS_IGNORE);
		printf("queue %d %.3f\n", others, (MPI_Wtime() - t) * 1e6);
		for (int i = 0; i < others; i++)
			MPI_Send(buf, 0, MPI_BYTE, 1, 100 + i, world);
	} else if (rank == 1) {
		for (int i = 0; i < others; i++)
			MPI_Irecv(buf, 0, MPI_BYTE, 0, 100 + i, world,
				  &other[i]);
		MPI_Irecv(buf, 0, MPI_BYTE, 0, 1, world, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Send(buf, 0, MPI_BYTE, 0, 2, world);
		MPI_Waitall(others, other, MPI_STATUSES_IGNORE);
	}
}

static void queue(void)
{
	queue_time(0);
	queue_time(100);
}

/*
 * Prints the last arrival of messages to ranks 0 to `last` of the first node,
 * each from another node, sent at the same time.
 */
static void node_time(int last)
{
	int half = size / 2;
	double t, end, max;

	MPI_Barrier(world);
	t = MPI_Wtime();
	end = t;
	if (rank >= half && rank - half <= last)
		MPI_Send(buf, 0, MPI_BYTE, rank - half, 1, world);
	if (rank <= last) {
		MPI_Recv(buf, 0, MPI_BYTE, rank + half, 1, world,
			 MPI_STATUS_IGNORE);
		end = MPI_Wtime();
	}
	end -= t;
	MPI_Reduce(&end, &max, 1, MPI_DOUBLE, MPI_MAX, 0, world);
	if (!rank)
		printf("node %d %.3f\n", last + 1, max * 1e6);
}

static void node(void)
{
	node_time(0);
	node_time(size / 2 - 1);
}

static void pairs(void)
{
	static char in[4][BYTES];
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Request r[8];

	for (int k = 0; k < 20; k++) {
		double t = MPI_Wtime();

		for (int i = 0; i < 4; i++) {
			int n = i % 2 ? 100 << i : BYTES >> i;

			MPI_Irecv(in[i], BYTES, MPI_BYTE,
				  i == 3 ? MPI_ANY_SOURCE : before, i, world,
				  &r[i]);
			memset(buf + i * BYTES / 4, 10 * i + rank, 1);
			MPI_Isend(buf + i * BYTES / 4, n / 4, MPI_BYTE, next, i,
				  world, &r[4 + i]);
			compute(t + 1e-6 * ((rank + k) % 5) * 40);
		}
		MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 4; i++)
			if (in[i][0] != 10 * i + before)
				printf("rank %d: wrong byte %d\n", rank, i);
	}
	printf("pairs %d %.3f\n", rank, MPI_Wtime() * 1e6);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (!strcmp(argv[1], "queue"))
		queue();
	else if (!strcmp(argv[1], "node"))
		node();
	else if (!strcmp(argv[1], "pairs"))
		pairs();
	else if (!strcmp(argv[1], "pack"))
		pack();
	else
		large(argv[1]);
	MPI_Finalize();
	return 0;
}

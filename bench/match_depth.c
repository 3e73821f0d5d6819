/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latency of a message behind a long queue. Posted: rank 1 has posted `depth`
 * receives that do not match, then runs a ping-pong with another tag.
 * Unexpected: `depth` messages without a matching receive are queued at rank 1.
 * The column "Size" is the depth.
 */
#include "bench.h"

#define PING 1
#define PONG 2
#define DEEP 1000 /* first tag of the messages that fill the queue */

static double one_way(const struct bench *b, int iters)
{
	double start = 0;
	char c = 0;

	for (int i = -iters / 10; i < iters; i++) {
		if (i == 0)
			start = MPI_Wtime();
		if (b->rank == 0) {
			MPI_Send(&c, 1, MPI_CHAR, 1, PING, MPI_COMM_WORLD);
			MPI_Recv(&c, 1, MPI_CHAR, 1, PONG, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&c, 1, MPI_CHAR, 0, PING, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(&c, 1, MPI_CHAR, 0, PONG, MPI_COMM_WORLD);
		}
	}
	return (MPI_Wtime() - start) * 1e6 / (2.0 * iters);
}

static void send_deep(int depth)
{
	char c = 0;

	for (int i = 0; i < depth; i++)
		MPI_Send(&c, 1, MPI_CHAR, 1, DEEP + i, MPI_COMM_WORLD);
}

static double behind_posted(const struct bench *b, int depth, char *buf,
			    MPI_Request *r)
{
	double t;

	for (int i = 0; b->rank == 1 && i < depth; i++)
		MPI_Irecv(buf + i, 1, MPI_CHAR, 0, DEEP + i, MPI_COMM_WORLD,
			  &r[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	t = b->rank < 2 ? one_way(b, b->iters) : 0;
	if (b->rank == 0)
		send_deep(depth);
	else if (b->rank == 1)
		MPI_Waitall(depth, r, MPI_STATUSES_IGNORE);
	return t;
}

static double behind_unexpected(const struct bench *b, int depth, char *buf)
{
	double t;

	if (b->rank == 0)
		send_deep(depth);
	MPI_Barrier(MPI_COMM_WORLD);
	t = b->rank < 2 ? one_way(b, b->iters) : 0;
	for (int i = depth - 1; b->rank == 1 && i >= 0; i--)
		MPI_Recv(buf, 1, MPI_CHAR, 0, DEEP + i, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	return t;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Matching Depth Test",
			   .min = 1,
			   .max = 10000,
			   .iters = 1000,
			   .columns = 2,
			   .column = { "Posted (us)", "Unexpected (us)" } };
	MPI_Request *r;
	char *buf;

	bench_begin(&b, argc, argv);
	bench_require(&b, b.size >= 2, "2 ranks");
	buf = bench_buffer(b.max);
	r = bench_buffer(b.max * sizeof(*r));
	for (size_t depth = b.min; depth <= b.max; depth *= 10) {
		double v[2];

		v[0] = behind_posted(&b, (int)depth, buf, r);
		v[1] = behind_unexpected(&b, (int)depth, buf);
		bench_row(&b, depth, v);
	}
	free(r);
	free(buf);
	return bench_end(&b);
}

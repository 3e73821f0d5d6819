/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skew between ranks: some ranks start long nonblocking collectives before
 * others, which first wait for messages or start with another communicator. The
 * collectives must not occupy the buffers that messages and other collectives
 * need.
 */
#include "coll_t.h"

enum { LONG = 80000, COMMS = 6 };

static int rank, size;
static double in[LONG], out[COMMS][LONG];

/*
 * Every rank sends a message to the next rank after it has started its
 * collectives.
 */
static void send_to_next(int tag)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	int got = -1;

	MPI_Sendrecv(&rank, 1, MPI_INT, right, tag, &got, 1, MPI_INT, left, tag,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(got == left);
}

static void check_sum(const double *sum)
{
	for (int i = 0; i < LONG; i += 111)
		CHECK(sum[i] == size * (size - 1) / 2 + (double)size * i);
}

/*
 * The root starts its collective after all other ranks have reported that they
 * have started.
 */
static void root_is_late(MPI_Comm comm)
{
	MPI_Request r;

	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(NULL, 0, MPI_INT, i, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		MPI_Ireduce(in, out[0], LONG, MPI_DOUBLE, MPI_SUM, 0, comm, &r);
	} else {
		MPI_Ireduce(in, out[0], LONG, MPI_DOUBLE, MPI_SUM, 0, comm, &r);
		MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (rank == 0)
		check_sum(out[0]);
}

static void start(int k, MPI_Comm comm, MPI_Request *r)
{
	int root = k % size;

	if (k % 3 == 0) {
		MPI_Ireduce(in, out[k], LONG, MPI_DOUBLE, MPI_SUM, root, comm,
			    r);
	} else if (k % 3 == 1) {
		MPI_Iallreduce(in, out[k], LONG, MPI_DOUBLE, MPI_SUM, comm, r);
	} else {
		for (int i = 0; i < LONG; i++)
			out[k][i] = rank == root ? i + k : -1;
		MPI_Ibcast(out[k], LONG, MPI_DOUBLE, root, comm, r);
	}
}

static void check(int k)
{
	if (k % 3 == 2) {
		for (int i = 0; i < LONG; i += 111)
			CHECK(out[k][i] == i + k);
	} else if (k % 3 == 1 || rank == k % size) {
		check_sum(out[k]);
	}
}

/*
 * Communicators are independent: every rank starts their collectives in another
 * order.
 */
static void ranks_start_in_different_orders(const MPI_Comm *comm)
{
	MPI_Request r[COMMS];

	for (int i = 0; i < COMMS; i++) {
		int k = (i * (rank & 1 ? COMMS - 1 : 1) + rank) % COMMS;

		start(k, comm[k], &r[k]);
	}
	send_to_next(2);
	MPI_Waitall(COMMS, r, MPI_STATUSES_IGNORE);
	for (int k = 0; k < COMMS; k++)
		check(k);
}

int main(int argc, char **argv)
{
	MPI_Comm comm[COMMS];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < LONG; i++)
		in[i] = rank + i;
	for (int k = 0; k < COMMS; k++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[k]);
		/* communicators with odd k get a class route */
		for (int i = 0; i < k % 2 * 3; i++)
			MPI_Barrier(comm[k]);
	}
	for (int round = 0; round < 3; round++) {
		root_is_late(MPI_COMM_WORLD);
		root_is_late(comm[1]);
		ranks_start_in_different_orders(comm);
	}
	for (int k = 0; k < COMMS; k++)
		MPI_Comm_free(&comm[k]);
	MPI_Finalize();
	return 0;
}

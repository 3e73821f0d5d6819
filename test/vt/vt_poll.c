/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For test/vt/vt_poll.sh. Rank 0 makes 1000 polling calls of one kind without
 * result, while ranks 1 and 2 exchange messages until rank 0 ends the exchange:
 * the calls are local and must return. Prints each rank's clock; the script
 * compares two runs.
 *
 *   vt_poll KIND      one of the kinds below
 *   vt_poll early     rank 0 receives 200 messages that have arrived before
 *   vt_poll clock     rank 0 tests and reads the clock for 1 ms
 *   vt_poll memory    rank 0 polls memory into which rank 1 puts, late
 *   vt_poll oneway N  N messages from rank 0 to 1, then a reduction
 *   vt_poll many_polls N   rank 0 polls N times while all others wait
 *   vt_poll long MS   rank 0 tests for MS virtual ms; the last rank also
 *                     tests, and reads the clock; ranks 1 and 2 of 4 exchange
 *                     messages
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLLS 1000
#define EARLY 200
#define STOP  9

static int rank, size;
static MPI_Request req[2];
static MPI_Win win;
static int *memory;

static int by_test(void)
{
	int flag;

	MPI_Test(&req[0], &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int by_testany(void)
{
	int flag, index;

	MPI_Testany(2, req, &index, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int by_testsome(void)
{
	int n, index[2];

	MPI_Testsome(2, req, &n, index, MPI_STATUSES_IGNORE);
	return n;
}

static int by_testall(void)
{
	int flag;

	MPI_Testall(2, req, &flag, MPI_STATUSES_IGNORE);
	return flag;
}

static int by_status(void)
{
	int flag;

	MPI_Request_get_status(req[0], &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int by_iprobe(void)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag,
		   MPI_STATUS_IGNORE);
	return flag;
}

static int by_improbe(void)
{
	MPI_Message m;
	int flag;

	MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &m,
		    MPI_STATUS_IGNORE);
	return flag;
}

static int by_sync(void)
{
	MPI_Win_sync(win);
	return *(volatile int *)memory;
}

static int by_flush(void)
{
	MPI_Win_flush_all(win);
	return *(volatile int *)memory;
}

static int by_win_test(void)
{
	int flag;

	MPI_Win_test(win, &flag);
	return flag;
}

static const struct {
	const char *name;
	int (*poll)(void);
} kinds[] = {
	{ "test", by_test },	     { "testany", by_testany },
	{ "testsome", by_testsome }, { "testall", by_testall },
	{ "get_status", by_status }, { "iprobe", by_iprobe },
	{ "improbe", by_improbe },   { "win_sync", by_sync },
	{ "win_flush", by_flush },   { "win_test", by_win_test },
};

/* ---- ranks 1 and 2: messages until rank 0 ends the exchange -------------- */

static long exchange(void)
{
	int stop = 0, flag;
	long n = 0;

	for (; rank == 1 || rank == 2; n++) {
		if (rank == 1 && !stop) {
			MPI_Iprobe(0, STOP, MPI_COMM_WORLD, &flag,
				   MPI_STATUS_IGNORE);
			stop = flag;
		}
		if (rank == 1)
			MPI_Send(&stop, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
		else
			MPI_Recv(&stop, 1, MPI_INT, 1, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (rank == 2)
			MPI_Send(&stop, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
		else
			MPI_Recv(&flag, 1, MPI_INT, 2, 2, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (stop)
			break;
	}
	if (rank == 1)
		MPI_Recv(NULL, 0, MPI_INT, 0, STOP, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	return n;
}

static void end_exchange(void)
{
	MPI_Send(NULL, 0, MPI_INT, 1, STOP, MPI_COMM_WORLD);
}

/* ---- test cases ---------------------------------------------------------- */

/* Rank 0 exposes its window to the last rank, which accesses it at the end. */
static void expose(void)
{
	MPI_Group world, one;
	int peer = rank ? 0 : size - 1;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &peer, &one);
	if (!rank)
		MPI_Win_post(one, 0, win);
	else
		MPI_Win_start(one, 0, win);
	MPI_Group_free(&one);
	MPI_Group_free(&world);
}

static void begin(bool exposed)
{
	for (int i = 0; i < 2; i++)
		MPI_Irecv(memory + 1, 1, MPI_INT, MPI_ANY_SOURCE, 77 + i,
			  MPI_COMM_WORLD, &req[i]);
	if (exposed)
		expose();
	else
		MPI_Win_lock_all(0, win);
}

static void end(bool exposed)
{
	if (exposed)
		MPI_Win_wait(win);
	else
		MPI_Win_unlock_all(win);
	for (int i = 0; i < 2; i++) {
		MPI_Cancel(&req[i]);
		MPI_Wait(&req[i], MPI_STATUS_IGNORE);
	}
}

static int poll_by(int (*poll)(void))
{
	bool exposed = poll == by_win_test;
	int found = 0;

	if (rank) {
		exchange();
		MPI_Barrier(MPI_COMM_WORLD);
		if (exposed && rank == size - 1) {
			expose();
			MPI_Win_complete(win);
		}
		return 0;
	}
	begin(exposed);
	for (int i = 0; i < POLLS; i++)
		found += poll();
	end_exchange();
	MPI_Barrier(MPI_COMM_WORLD);
	end(exposed);
	return found;
}

/*
 * Posts receives whose messages have already arrived: none of the receives
 * waits.
 */
static int early(void)
{
	int x = 0;

	if (rank == 2)
		for (int i = 0; i < EARLY; i++)
			MPI_Send(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Ssend(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 2, 6, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	for (int i = 0; i < EARLY && !rank; i++) {
		MPI_Recv(&x, 1, MPI_INT, 2, 5, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (x != i)
			return 1;
	}
	if (rank)
		exchange();
	else
		end_exchange();
	return 0;
}

static int by_clock(void)
{
	double t = MPI_Wtime();
	int flag = 0;

	if (rank) {
		exchange();
		return 0;
	}
	while (MPI_Wtime() < t + 1e-3)
		MPI_Iprobe(1, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	t = MPI_Wtime() - t;
	end_exchange();
	return flag || t < 1e-3 || t > 1.001e-3;
}

static int by_memory(void)
{
	MPI_Win_lock_all(0, win);
	if (rank == 0)
		while (!by_sync())
			;
	if (rank == 1) {
		int one = 1;
		double t = MPI_Wtime();

		while (MPI_Wtime() < t + 1e-3)
			;
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock_all(win);
	return 0;
}

static int oneway(int n)
{
	int x = 0, sum;
	MPI_Comm dup;

	for (int i = 0; i < n; i++) {
		if (rank == 0)
			MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	}
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_free(&dup);
	return sum != size * (size - 1) / 2;
}

static int many_polls(int n)
{
	int flag, x = 0;

	MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &req[0]);
	MPI_Wait(&req[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < n && !rank; i++)
		MPI_Iprobe(1, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return 0;
}

/* Rank 0 polls for a message of the last rank, which reads the clock. */
static int long_poll(double ms)
{
	int x = 0, flag = 0;
	long polls = 0;
	double t = MPI_Wtime();

	if (rank == size - 1) {
		while (MPI_Wtime() < t + ms * 1e-3)
			MPI_Iprobe(0, 77, MPI_COMM_WORLD, &flag,
				   MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	} else if (!rank) {
		MPI_Irecv(&x, 1, MPI_INT, size - 1, 5, MPI_COMM_WORLD, &req[0]);
		for (; !flag; polls++)
			MPI_Test(&req[0], &flag, MPI_STATUS_IGNORE);
		printf("%ld polls\n", polls);
		if (size > 3)
			end_exchange();
	} else {
		exchange();
	}
	return 0;
}

static int run_case(int argc, char **argv)
{
	const char *name = argv[1];

	if (!strcmp(name, "early"))
		return early();
	if (!strcmp(name, "clock"))
		return by_clock();
	if (!strcmp(name, "memory"))
		return by_memory();
	if (!strcmp(name, "oneway") && argc > 2)
		return oneway(atoi(argv[2]));
	if (!strcmp(name, "many_polls") && argc > 2)
		return many_polls(atoi(argv[2]));
	if (!strcmp(name, "long") && argc > 2)
		return long_poll(atof(argv[2]));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return poll_by(kinds[i].poll);
	return 2;
}

int main(int argc, char **argv)
{
	int bad;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	memory[0] = memory[1] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	bad = argc < 2 ? 2 : run_case(argc, argv);
	printf("%d %.9f\n", rank, MPI_Wtime());
	MPI_Win_free(&win);
	MPI_Finalize();
	return bad;
}

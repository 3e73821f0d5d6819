/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the program named by its argument in virtual time; test/vt/vt_*.sh check
 * the output.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, x;
static MPI_Comm world = MPI_COMM_WORLD;

static void receive(int from, int tag)
{
	MPI_Recv(&x, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE);
}

/* ---- deadlocks ----------------------------------------------------------- */

static void ring(void)
{
	MPI_Ssend(&x, 1, MPI_INT, (rank + 1) % size, 7, world);
}

static void large(void)
{
	static char buf[1 << 20];

	MPI_Send(buf, sizeof(buf), MPI_BYTE, rank ^ 1, 8, world);
	MPI_Recv(buf, sizeof(buf), MPI_BYTE, rank ^ 1, 8, world,
		 MPI_STATUS_IGNORE);
}

static void missing(void)
{
	if (rank == 2)
		receive(1, MPI_ANY_TAG);
	else
		MPI_Barrier(world);
}

/*
 * One rank skips the second collective, in which the communicator would join a
 * class route.
 */
static void skip_after_join(void)
{
	MPI_Barrier(world);
	missing();
}

/* Ranks call different collectives on a class route, which detects this. */
static void differ(void)
{
	MPI_Barrier(world);
	MPI_Barrier(world);
	if (rank)
		MPI_Bcast(&x, 1, MPI_INT, 0, world);
	else
		MPI_Barrier(world);
}

/* Rank 2 skips the collective and calls MPI_Finalize. */
static void skipped(void)
{
	int sum;

	if (rank != 2)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
}

static void tests(void)
{
	MPI_Request req;
	int y, flag = 0;

	MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 11, world, &req);
	while (!flag)
		MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
}

static void testany(void)
{
	MPI_Request req[2];
	int y[2], i, flag = 0;

	for (i = 0; i < 2; i++)
		MPI_Irecv(&y[i], 1, MPI_INT, 0, i, world, &req[i]);
	while (!flag)
		MPI_Testany(2, req, &i, &flag, MPI_STATUS_IGNORE);
}

static void iprobes(void)
{
	int flag = 0;

	while (!flag)
		MPI_Iprobe(MPI_ANY_SOURCE, 12, world, &flag, MPI_STATUS_IGNORE);
}

static void self_ssend(void)
{
	receive(rank, 13);
}

static void detach(void)
{
	static char data[50000], room[60000];
	void *p;
	int n;

	MPI_Buffer_attach(room, sizeof(room));
	MPI_Bsend(data, sizeof(data), MPI_BYTE, (rank + 1) % size, 14, world);
	MPI_Buffer_detach(&p, &n);
}

static void later(void)
{
	int i, sum;

	for (i = 0; i < 5; i++)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
	if (rank)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
	else
		receive(size - 1, 3);
}

static void rows(void)
{
	MPI_Comm row;

	MPI_Comm_split(world, rank % 2, 0, &row);
	MPI_Comm_set_name(row, rank % 2 ? "odd row" : "even row");
	if (rank == size - 1)
		receive(1, 4);
	else
		MPI_Barrier(row);
	MPI_Comm_free(&row);
}

/* Uses a communicator whose members' ranks have no constant stride. */
static void chosen(void)
{
	MPI_Comm some;

	MPI_Comm_split(world, rank == 2, 0, &some);
	MPI_Comm_set_name(some, "some");
	if (rank == 3)
		receive(1, 15);
	else if (rank != 2)
		MPI_Barrier(some);
	else
		receive(0, 16);
}

/* Even ranks wait for odd ranks, which do not arrive. */
static void sides(void)
{
	MPI_Comm side, both;

	MPI_Comm_split(world, rank % 2, 0, &side);
	MPI_Intercomm_create(side, 0, world, 1 - rank % 2, 17, &both);
	MPI_Comm_set_name(both, "both");
	if (rank % 2)
		receive(rank - 1, 18);
	else
		MPI_Barrier(both);
}

static void any_source(void)
{
	receive(MPI_ANY_SOURCE, 5);
}

static void probe(void)
{
	MPI_Status st;

	if (rank == 0)
		MPI_Probe(1, 6, world, &st);
	else
		MPI_Barrier(world);
}

static void waitall(void)
{
	MPI_Request req[2];
	int y[2];

	MPI_Irecv(&y[0], 1, MPI_INT, (rank + 1) % size, 1, world, &req[0]);
	MPI_Irecv(&y[1], 1, MPI_INT, (rank + size - 1) % size, 2, world,
		  &req[1]);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
}

static void finalized(void)
{
	if (rank)
		receive(0, 9);
}

/* ---- virtual time -------------------------------------------------------- */

/*
 * Sends more packets than a rank may have in flight; the time must be
 * proportional to the number of packets.
 */
static void flood(void)
{
	enum { MANY = 800, BYTES = 2000 };
	static char data[MANY][BYTES];
	static MPI_Request req[MANY];
	double us[2];
	int i, k;

	for (k = 0; k < 2; k++) {
		us[k] = MPI_Wtime();
		for (i = 0; i < MANY >> k && rank == 0; i++)
			MPI_Isend(data[i], BYTES, MPI_BYTE, 1, 0, world,
				  &req[i]);
		for (i = 0; i < MANY >> k && rank == 1; i++)
			MPI_Irecv(data[i], BYTES, MPI_BYTE, 0, 0, world,
				  &req[i]);
		if (rank < 2)
			MPI_Waitall(MANY >> k, req, MPI_STATUSES_IGNORE);
		us[k] = (MPI_Wtime() - us[k]) * 1e6;
	}
	if (rank == 1)
		printf("%s\n",
		       us[0] < 2.05 * us[1] ? "in proportion" : "too long");
}

/* ---- abnormal ends ------------------------------------------------------- */

static void crash(void)
{
	if (rank == 1)
		raise(SIGSEGV);
	MPI_Barrier(world);
}

static void killed(void)
{
	if (rank == 1)
		raise(SIGKILL);
	receive(1, 0);
}

static void leave(void)
{
	if (rank == 1)
		exit(0);
	MPI_Barrier(world);
}

static void fail(void)
{
	if (rank == 1)
		exit(3);
	receive(1, 0);
}

static void abort_job(void)
{
	if (rank == 1)
		MPI_Abort(world, 5);
	receive(1, 0);
}

static void forever(void)
{
	for (;;)
		MPI_Barrier(world);
}

/* ---- loops and threads --------------------------------------------------- */

/* Polling finds a message that arrives later. */
static void loops(void)
{
	double t = MPI_Wtime(), wait = (rank + 1) * 50e-6;
	MPI_Request req;
	MPI_Status st;
	int flag = 0;

	if (rank % 2) {
		MPI_Irecv(&x, 1, MPI_INT, rank - 1, 1, world, &req);
		while (!flag)
			MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
		for (flag = 0; !flag;)
			MPI_Iprobe(rank - 1, 2, world, &flag, &st);
		receive(rank - 1, 2);
	} else {
		while (MPI_Wtime() - t < wait)
			;
		MPI_Send(&x, 1, MPI_INT, rank + 1, 1, world);
		while (MPI_Wtime() - t < 2 * wait)
			;
		MPI_Send(&x, 1, MPI_INT, rank + 1, 2, world);
	}
	printf("rank %d: %.3f us\n", rank, (MPI_Wtime() - t) * 1e6);
}

/* A long message overlaps with the computation of its sender. */
static void overlap(void)
{
	static char bytes[1 << 20];
	double t;
	MPI_Request req;

	MPI_Barrier(world);
	t = MPI_Wtime();
	if (rank == 1) {
		memset(bytes, 7, sizeof(bytes));
		MPI_Isend(bytes, sizeof(bytes), MPI_CHAR, 0, 1, world, &req);
		while (MPI_Wtime() - t < 20e-3)
			;
		/* the interface moves the long message without this call */
		MPI_Send(NULL, 0, MPI_CHAR, 0, 2, world);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(bytes, sizeof(bytes), MPI_CHAR, 1, 1, world,
			 MPI_STATUS_IGNORE);
		if (bytes[0] != 7 || bytes[sizeof(bytes) - 1] != 7)
			MPI_Abort(world, 9);
	}
	printf("%d %.3f\n", rank, (MPI_Wtime() - t) * 1e6);
	if (rank == 0)
		MPI_Recv(NULL, 0, MPI_CHAR, 1, 2, world, MPI_STATUS_IGNORE);
}

/*
 * Prints the time of one access by rank 0 to rank 1, until the access is
 * complete at the target.
 */
static void reach_one(const char *name, MPI_Win win)
{
	static char buffer[1 << 20];
	int64_t one = 1, was = -1, none = 0;
	double t = MPI_Wtime();

	if (!strcmp(name, "put"))
		MPI_Put(&one, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
	else if (!strcmp(name, "get"))
		MPI_Get(&was, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
	else if (!strcmp(name, "long put"))
		MPI_Put(buffer, sizeof(buffer), MPI_CHAR, 1, 8, sizeof(buffer),
			MPI_CHAR, win);
	else if (!strcmp(name, "long get"))
		MPI_Get(buffer, sizeof(buffer), MPI_CHAR, 1, 8, sizeof(buffer),
			MPI_CHAR, win);
	else if (!strcmp(name, "accumulate"))
		MPI_Accumulate(&one, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T,
			       MPI_SUM, win);
	else if (!strcmp(name, "fetch"))
		MPI_Fetch_and_op(&one, &was, MPI_INT64_T, 1, 0, MPI_SUM, win);
	else
		MPI_Compare_and_swap(&none, &one, &was, MPI_INT64_T, 1, 0, win);
	MPI_Win_flush(1, win);
	printf("%.3f %s %d\n", (MPI_Wtime() - t) * 1e6, name, (int)was);
}

/* Accesses to a rank that computes. */
static void reach(void)
{
	static const char *const names[] = { "put",	   "get",   "long put",
					     "long get",   "fetch", "swap",
					     "accumulate", "get" };
	int64_t *mem;
	MPI_Win win;
	double t;
	size_t i;

	MPI_Win_allocate((1 << 20) + 8, 1, MPI_INFO_NULL, world, &mem, &win);
	mem[0] = 0;
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Barrier(world);
	t = MPI_Wtime();
	if (rank == 1)
		while (MPI_Wtime() - t < 20e-3)
			;
	for (i = 0; rank == 0 && i < sizeof(names) / sizeof(*names); i++)
		reach_one(names[i], win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(world);
	if (rank == 1 && mem[0] != 3)
		MPI_Abort(world, 9);
	MPI_Win_free(&win);
}

#define ATOMICS	  200 /* number of atomics of each rank */
#define VARIABLES 8192

/*
 * All other ranks add to the first `variables` words of rank 0; prints millions
 * of atomics per second.
 */
static void add_to(MPI_Win win, int64_t *mem, int variables)
{
	int64_t one = 1, sum = 0;
	double t;
	int i;

	if (rank == 0)
		memset(mem, 0, VARIABLES * sizeof(*mem));
	MPI_Barrier(world);
	t = MPI_Wtime();
	for (i = 0; rank && i < ATOMICS; i++)
		MPI_Accumulate(&one, 1, MPI_INT64_T, 0,
			       (i * (size - 1) + rank) % variables, 1,
			       MPI_INT64_T, MPI_SUM, win);
	if (rank)
		MPI_Win_flush(0, win);
	MPI_Barrier(world);
	if (rank)
		return;
	t = MPI_Wtime() - t;
	for (i = 0; i < VARIABLES; i++)
		sum += mem[i];
	if (sum != ATOMICS * (size - 1))
		MPI_Abort(world, 9);
	printf("%d %.1f\n", variables, (double)sum / t * 1e-6);
}

static void atomics(void)
{
	static const int variables[] = { 1, 32, 64, 96, 128, VARIABLES };
	int64_t *mem;
	MPI_Win win;
	size_t i;

	MPI_Win_allocate(VARIABLES * sizeof(*mem), sizeof(*mem), MPI_INFO_NULL,
			 world, &mem, &win);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		add_to(win, mem, variables[i]);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

static void *exchange(void *arg)
{
	int i, tag = *(int *)arg, y = 0, peer = rank ^ 1;

	for (i = 0; i < 100; i++)
		MPI_Sendrecv(&i, 1, MPI_INT, peer, tag, &y, 1, MPI_INT, peer,
			     tag, world, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[2];
	int i, tag[2] = { 1, 2 };

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, exchange, &tag[i]);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void good(void)
{
	int sum = 0;

	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
	if (sum != size * (size - 1) / 2)
		MPI_Abort(world, 9);
	if (rank == 0)
		printf("%d ranks, %.9f s\n", size, MPI_Wtime());
}

/* Groups that share nodes are created and freed; each computes its own sums. */
static void groups(void)
{
	MPI_Comm half, all, comm;
	int round, i, n, sum;

	for (round = 0; round < 3; round++) {
		MPI_Comm_dup(world, &all);
		MPI_Comm_split(world, rank < size / 2, rank, &half);
		for (i = 0; i < 12; i++) {
			comm = i % 2 ? half : all;
			MPI_Comm_size(comm, &n);
			MPI_Barrier(comm);
			MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
			if (sum != n * i)
				MPI_Abort(world, 9);
		}
		MPI_Comm_free(&half);
		MPI_Comm_free(&all);
	}
	if (rank == 0)
		printf("%d ranks, %.9f s\n", size, MPI_Wtime());
}

/*
 * Runs messages, collectives and puts; prints the number of packets that all
 * ranks have retransmitted.
 */
static void resent(void)
{
	enum { LONG = 200000 };
	static char out[LONG], in[LONG];
	unsigned long long mine = 0, all = 0;
	MPI_T_pvar_session session;
	MPI_T_pvar_handle handle;
	MPI_Win win;
	int index, n;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
	MPI_T_pvar_get_index("packets_resent", MPI_T_PVAR_CLASS_COUNTER,
			     &index);
	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &n);
	MPI_T_pvar_start(session, handle);
	MPI_Win_create(in, LONG, 1, MPI_INFO_NULL, world, &win);
	for (int i = 1; i < size; i++) {
		MPI_Sendrecv(out, i % 2 ? 100 : LONG, MPI_CHAR,
			     (rank + i) % size, 0, in, LONG, MPI_CHAR,
			     (rank + size - i) % size, 0, world,
			     MPI_STATUS_IGNORE);
		MPI_Win_fence(0, win);
		MPI_Put(out, LONG, MPI_CHAR, (rank + i) % size, 0, LONG,
			MPI_CHAR, win);
		MPI_Win_fence(0, win);
		MPI_Bcast(out, 4096, MPI_CHAR, i, world);
	}
	MPI_Win_free(&win);
	MPI_T_pvar_read(session, handle, &mine);
	MPI_T_pvar_session_free(&session);
	MPI_T_finalize();
	MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, world);
	if (!rank)
		printf("resent %llu\n", all);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "ring", ring },
	{ "large", large },
	{ "missing", missing },
	{ "later", later },
	{ "skip_after_join", skip_after_join },
	{ "skipped", skipped },
	{ "tests", tests },
	{ "testany", testany },
	{ "iprobes", iprobes },
	{ "self_ssend", self_ssend },
	{ "detach", detach },
	{ "flood", flood },
	{ "differ", differ },
	{ "chosen", chosen },
	{ "sides", sides },
	{ "rows", rows },
	{ "any_source", any_source },
	{ "probe", probe },
	{ "waitall", waitall },
	{ "finalized", finalized },
	{ "crash", crash },
	{ "killed", killed },
	{ "leave", leave },
	{ "fail", fail },
	{ "abort", abort_job },
	{ "forever", forever },
	{ "loops", loops },
	{ "threads", threads },
	{ "good", good },
	{ "overlap", overlap },
	{ "groups", groups },
	{ "reach", reach },
	{ "atomics", atomics },
	{ "resent", resent },
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "good";
	size_t i;
	int level;

	MPI_Init_thread(&argc, &argv,
			strcmp(name, "threads") ? MPI_THREAD_SINGLE
						: MPI_THREAD_MULTIPLE,
			&level);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, name))
			cases[i].run();
	MPI_Finalize();
	return 0;
}

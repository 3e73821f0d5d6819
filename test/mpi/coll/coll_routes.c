/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes are freed and reused after all were in use: thousands of
 * communicators are split, duplicated and freed in any order, with collectives
 * in between; at the end as many communicators get a route as at the start.
 *
 *   coll_routes [communicators]
 */
#include "coll_t.h"

enum { MANY = 40, LIVE = 20 };

static int rank, size;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle sent;

static void counters_open(void)
{
	int level, index, count;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
	CHECK(!MPI_T_pvar_get_index("messages_sent", MPI_T_PVAR_CLASS_COUNTER,
				    &index));
	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_handle_alloc(session, index, NULL, &sent, &count);
	CHECK(count == 1);
	/* a continuous variable is already started, so this returns an error */
	MPI_T_pvar_start(session, sent);
}

static unsigned long long messages(void)
{
	unsigned long long n;

	CHECK(!MPI_T_pvar_read(session, sent, &n));
	return n;
}

/* Returns whether comm has a class route: a barrier then sends no message. */
static int has_route(MPI_Comm comm)
{
	unsigned long long before;

	for (int i = 0; i < 3; i++)
		MPI_Barrier(comm);
	before = messages();
	for (int i = 0; i < 3; i++)
		MPI_Barrier(comm);
	return messages() == before;
}

static int count_routes(void)
{
	MPI_Comm comm[MANY], spare;
	int n = 0, all;

	MPI_Comm_dup(MPI_COMM_WORLD, &spare);
	for (int i = 0; i < MANY; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
		n += has_route(comm[i]);
	}
	for (int i = 0; i < MANY; i++)
		MPI_Comm_free(&comm[i]);
	/* another communicator gets a route that was just freed */
	CHECK(!n || has_route(spare));
	MPI_Comm_free(&spare);
	MPI_Allreduce(&n, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	CHECK(all == n);
	return n;
}

static void run_collectives(MPI_Comm comm, int round)
{
	int x, sum, me, n;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	for (int i = 0; i < 4; i++) {
		x = me + round + i;
		MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
		CHECK(sum == n * (n - 1) / 2 + n * (round + i));
	}
	MPI_Barrier(comm);
	x = me == round % n ? round : -1;
	MPI_Bcast(&x, 1, MPI_INT, round % n, comm);
	CHECK(x == round);
}

static MPI_Comm make(unsigned what, int round)
{
	MPI_Comm comm;

	switch (what % 4) {
	case 0:
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		break;
	case 1:
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
		break;
	case 2:
		MPI_Comm_split(MPI_COMM_WORLD, rank * 2 / size, -rank, &comm);
		break;
	default:
		MPI_Comm_split(MPI_COMM_WORLD, (rank + round) % 3 == 0, rank,
			       &comm);
		break;
	}
	return comm;
}

static void create_and_free(int rounds)
{
	MPI_Comm live[LIVE];
	unsigned draw = 77, late = 5;

	for (int i = 0; i < LIVE; i++)
		live[i] = MPI_COMM_NULL;
	for (int i = 0; i < rounds; i++) {
		int at = (int)(coll_rand(&draw) % LIVE);

		if (live[at] != MPI_COMM_NULL) {
			run_collectives(live[at], i);
			MPI_Comm_free(&live[at]);
		}
		coll_skew(&late, rank);
		live[at] = make(coll_rand(&draw), i);
		run_collectives(live[at], i);
	}
	for (int i = 0; i < LIVE; i++)
		if (live[i] != MPI_COMM_NULL)
			MPI_Comm_free(&live[i]);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300, first;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	counters_open();
	/* the world keeps its route */
	for (int i = 0; i < 3; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	first = count_routes();
	/*
	 * a machine has 14 or 32 routes, of which some are in use; on bgq only
	 * rectangles of nodes get a route
	 */
	if (size > 1 && coll_expects_route(size))
		CHECK(first > 8 && first < MANY);
	create_and_free(rounds);
	for (int lap = 0; lap < 3; lap++)
		CHECK(count_routes() == first);
	MPI_T_pvar_session_free(&session);
	MPI_T_finalize();
	MPI_Finalize();
	if (!rank)
		printf("coll_routes: %d routes, %d communicators\n", first,
		       rounds);
	return 0;
}

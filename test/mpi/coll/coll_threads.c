/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Concurrent collectives of several threads, each on its own communicator: all
 * threads start and complete blocking and nonblocking collectives.
 */
#include "coll_t.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 150, N = 50 };

struct worker {
	MPI_Comm comm;
	int number;
	int rank;
	int size;
};

static int sum_of(const struct worker *w, int round)
{
	int q, sum = 0;

	for (q = 0; q < w->size; q++)
		sum += coll_val(q, w->number, round);
	return sum;
}

static void one_round(const struct worker *w, int round)
{
	int x = coll_val(w->rank, w->number, round), y = -1, b[N], i;
	int root = round % w->size, all[64];
	MPI_Request req[3];

	for (i = 0; i < N; i++)
		b[i] = w->rank == root ? round * 3 + i : -1;
	MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, w->comm, &req[0]);
	MPI_Ibcast(b, N, MPI_INT, root, w->comm, &req[1]);
	MPI_Ibarrier(w->comm, &req[2]);
	MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, w->comm);
	for (i = 0; i < w->size; i++)
		CHECK(all[i] == coll_val(i, w->number, round));
	MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	CHECK(y == sum_of(w, round));
	for (i = 0; i < N; i++)
		CHECK(b[i] == round * 3 + i);
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	unsigned late = (unsigned)w->number;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		one_round(w, round);
		coll_skew(&late, w->rank * THREADS + w->number);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker w[THREADS];
	pthread_t t[THREADS];
	int level, i;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	for (i = 0; i < THREADS; i++) {
		w[i].number = i;
		MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm);
		MPI_Comm_rank(w[i].comm, &w[i].rank);
		MPI_Comm_size(w[i].comm, &w[i].size);
		CHECK(w[i].size <= 64);
	}
	for (i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&t[i], NULL, work, &w[i]));
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		MPI_Comm_free(&w[i].comm);
	}
	i = w[0].rank;
	MPI_Finalize();
	if (!i)
		printf("coll_threads: all threads are correct\n");
	return 0;
}

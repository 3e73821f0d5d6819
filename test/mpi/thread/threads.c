/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: threads send, receive, probe, and create communicators
 * at the same time.
 */
#include "mpi_t.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS	200

static MPI_Comm comm[THREADS];

/*
 * Each thread communicates with the thread that has the same number on the
 * neighbouring ranks, using a tag of its own.
 */
static void *exchange_with_neighbours(void *arg)
{
	int me = (int)(intptr_t)arg;
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	static const int sizes[] = { 8, 100, 5000, 60000 };
	char *out = malloc(60000), *in = malloc(60000);
	int i;

	for (i = 0; i < ROUNDS; i++) {
		size_t n = (size_t)sizes[i % 4];
		MPI_Request r[2];
		MPI_Status st;

		mt_fill(out, n, (uint64_t)(mt_rank + me + i));
		if (i % 3 == 0) {
			MT_OK(MPI_Irecv(in, 60000, MPI_BYTE, prev, me,
					MPI_COMM_WORLD, &r[0]));
			MT_OK(MPI_Isend(out, (int)n, MPI_BYTE, next, me,
					MPI_COMM_WORLD, &r[1]));
			MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		} else if (i % 3 == 1) {
			MT_OK(MPI_Sendrecv(out, (int)n, MPI_BYTE, next, me, in,
					   60000, MPI_BYTE, prev, me,
					   MPI_COMM_WORLD, &st));
		} else {
			MT_OK(MPI_Issend(out, (int)n, MPI_BYTE, next, me,
					 MPI_COMM_WORLD, &r[0]));
			MT_OK(MPI_Probe(prev, me, MPI_COMM_WORLD, &st));
			MT_OK(MPI_Recv(in, 60000, MPI_BYTE, prev, me,
				       MPI_COMM_WORLD, &st));
			MT_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
		}
		MT_TRUE(mt_same(in, n, (uint64_t)(prev + me + i)));
	}
	free(out);
	free(in);
	return NULL;
}

/*
 * Each thread creates communicators of all ranks, and of this rank alone, from
 * its own communicator, and uses them.
 */
static void *create_communicators(void *arg)
{
	int me = (int)(intptr_t)arg;
	MPI_Comm alone;
	int i, sum;

	MT_OK(MPI_Comm_split(comm[me], mt_rank, 0, &alone));

	for (i = 0; i < 10; i++) {
		MPI_Comm c, d, e;

		MT_OK(MPI_Comm_dup(alone, &e));
		MT_OK(MPI_Comm_dup(comm[me], &c));
		MT_OK(MPI_Comm_split(c, mt_rank % 2, mt_rank, &d));
		MT_OK(MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, c));
		MT_IS(sum, mt_size * (mt_size - 1) / 2);
		MT_OK(MPI_Barrier(d));
		MT_OK(MPI_Comm_free(&d));
		MT_OK(MPI_Comm_free(&c));
		MT_OK(MPI_Comm_free(&e));
	}
	MT_OK(MPI_Comm_free(&alone));
	return NULL;
}

/* All threads of rank 0 receive from any source; every message arrives once. */
static int received[8];

static void *drain(void *arg)
{
	int i, x;

	for (i = 0; i < ROUNDS; i++) {
		MT_OK(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 50,
			       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		__atomic_fetch_add(&received[x], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *feed(void *arg)
{
	int i, x = (int)(intptr_t)arg;

	for (i = 0; i < ROUNDS; i++)
		MT_OK(MPI_Send(&x, 1, MPI_INT, 0, 50, MPI_COMM_WORLD));
	return NULL;
}

static void run(void *(*fn)(void *), int n)
{
	pthread_t t[THREADS];
	intptr_t i;

	for (i = 0; i < n; i++)
		pthread_create(&t[i], NULL, fn, (void *)i);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void many_to_one(void)
{
	pthread_t t[THREADS];
	intptr_t i;

	if (mt_rank == mt_size - 1)
		for (i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, feed, (void *)i);
	if (mt_rank == 0)
		run(drain, THREADS);
	if (mt_rank == mt_size - 1)
		for (i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	for (i = 0; mt_rank == 0 && i < THREADS; i++)
		MT_IS(received[i], ROUNDS);
}

int main(int argc, char **argv)
{
	int level, i;

	MT_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
	MT_IS(level, MPI_THREAD_MULTIPLE);
	for (i = 0; i < THREADS; i++)
		MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
	run(exchange_with_neighbours, THREADS);
	run(create_communicators, THREADS);
	many_to_one();
	for (i = 0; i < THREADS; i++)
		MT_OK(MPI_Comm_free(&comm[i]));
	return mt_end();
}

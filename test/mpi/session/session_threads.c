/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of several threads: each thread opens sessions, communicates with
 * the same thread of the other ranks, and closes them, again and again, while
 * the other threads do the same.
 */
#include "mpi_t.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12 };

static void round_of(int thread, int round)
{
	int rank, size, sum = -1;
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	char tag[32];

	snprintf(tag, sizeof(tag), "thread %d round %d", thread, round);
	MT_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	MT_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	MT_OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL,
					 MPI_ERRORS_RETURN, &c));
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	rank += thread * round;
	MT_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c));
	MT_IS(sum, size * (size - 1) / 2 + size * thread * round);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Session_finalize(&s));
}

static void *thread(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		round_of((int)(intptr_t)arg, i);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		MT_IS(pthread_create(&t[i], NULL, thread, (void *)(intptr_t)i),
		      0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

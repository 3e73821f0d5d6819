/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that block and wake each other, without spinning: ranks start with
 * WEFT_SPIN=0, so every wait blocks. One thread blocks in the completion queue,
 * the other threads wait for it without a time limit, and a thread that returns
 * must wake the next one. Cases: messages that another thread completes,
 * collectives that need several steps, generalized requests, receives that are
 * cancelled.
 */
#include "mpi_t.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 6
#define ROUNDS	400

static MPI_Comm comm[THREADS];

/*
 * Sends to the next rank and receives from the previous one, with standard and
 * synchronous sends.
 */
static void exchange_in_ring(MPI_Comm c, int round)
{
	int next = (mt_rank + 1) % mt_size;
	int before = (mt_rank + mt_size - 1) % mt_size;
	int out = round, in = -1;
	MPI_Request r;

	MT_OK(MPI_Irecv(&in, 1, MPI_INT, before, 1, c, &r));
	if (round % 3)
		MT_OK(MPI_Send(&out, 1, MPI_INT, next, 1, c));
	else
		MT_OK(MPI_Ssend(&out, 1, MPI_INT, next, 1, c));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_IS(in, round);
}

static void add(MPI_Comm c, int round)
{
	int sum = 0, word = mt_rank == round % mt_size ? round : -1;
	MPI_Request r[2];

	MT_OK(MPI_Iallreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, c, &r[0]));
	MT_OK(MPI_Ibcast(&word, 1, MPI_INT, round % mt_size, c, &r[1]));
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	MT_IS(sum, mt_size * (mt_size - 1) / 2);
	MT_IS(word, round);
}

static int query(void *state, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_BYTE, 0);
	MPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int free_nothing(void *state)
{
	return MPI_SUCCESS;
}

static int no_cancel(void *state, int done)
{
	return MPI_SUCCESS;
}

static void *complete(void *arg)
{
	MT_OK(MPI_Grequest_complete(*(MPI_Request *)arg));
	return NULL;
}

/*
 * MPI_Grequest_complete wakes a blocked thread, although the calling thread
 * makes no other MPI call.
 */
static void woken_by_complete(void)
{
	MPI_Request r, copy;
	pthread_t t;

	MT_OK(MPI_Grequest_start(query, free_nothing, no_cancel, NULL, &r));
	copy = r;
	MT_OK(pthread_create(&t, NULL, complete, &copy));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	pthread_join(t, NULL);
}

struct waiting {
	MPI_Request req;
	int thread;
};

/* Returns the state of a thread of this process, from /proc. */
static char state_of(int thread)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	f = fopen(path, "r");
	MT_IS(f != NULL, 1);
	MT_IS(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state;
}

static void *cancel(void *arg)
{
	struct waiting *w = arg;

	while (state_of(w->thread) != 'S')
		sched_yield();
	MT_OK(MPI_Cancel(&w->req));
	return NULL;
}

/* MPI_Cancel wakes a thread that waits for a message that is never sent. */
static void woken_by_cancel(int peer)
{
	struct waiting w = { .thread = (int)syscall(SYS_gettid) };
	MPI_Status st;
	MPI_Request r;
	pthread_t t;
	int flag, word;

	MT_OK(MPI_Irecv(&word, 1, MPI_INT, peer, 99, MPI_COMM_WORLD, &r));
	w.req = r;
	MT_OK(pthread_create(&t, NULL, cancel, &w));
	MT_OK(MPI_Wait(&r, &st));
	MT_OK(MPI_Test_cancelled(&st, &flag));
	MT_IS(flag, 1);
	pthread_join(t, NULL);
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		exchange_in_ring(comm[me], i);
		if (i % THREADS == me)
			add(comm[me], i);
		if (i % 16 == me)
			woken_by_complete();
		if (i % 32 == me)
			woken_by_cancel(mt_rank);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int level;

	setenv("WEFT_SPIN", "0", 1);
	MT_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
	for (int i = 0; i < THREADS; i++)
		MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
	woken_by_cancel((mt_rank + 1) % mt_size);
	for (intptr_t i = 0; i < THREADS; i++)
		MT_OK(pthread_create(&t[i], NULL, work, (void *)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		MT_OK(MPI_Comm_free(&comm[i]));
	return mt_end();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of one process: each on its own window, all on one window under
 * MPI_Win_lock_all, and with concurrent locks of different targets.
 */
#include "win_t.h"

#include <pthread.h>

#define THREADS 4
#define TIMES	40

static struct wt one;	       /* window shared by all threads */
static struct wt own[THREADS]; /* one window per thread */

static void *use_shared_window(void *arg)
{
	long me = (long)arg, add = 1, was, out[8], in[8];
	int t;

	for (int k = 0; k < TIMES; k++) {
		/* all threads access one target at the same time */
		t = (mt_rank + 1 + k) % mt_size;
		MT_OK(MPI_Fetch_and_op(&add, &was, MPI_LONG, t,
				       wt_disp(&one, t, 0), MPI_SUM, one.win));
		for (int i = 0; i < 8; i++)
			out[i] = mt_rank * 1000 + me * 100 + k + i;
		MT_OK(MPI_Put(
			out, 8, MPI_LONG, t,
			wt_disp(&one, t,
				1024 + 64 * (size_t)(mt_rank * THREADS + me)),
			8, MPI_LONG, one.win));
		MT_OK(MPI_Win_flush(t, one.win));
		MT_OK(MPI_Get(
			in, 8, MPI_LONG, t,
			wt_disp(&one, t,
				1024 + 64 * (size_t)(mt_rank * THREADS + me)),
			8, MPI_LONG, one.win));
		MT_OK(MPI_Win_flush(t, one.win));
		MT_TRUE(!memcmp(in, out, sizeof(in)));
	}
	return NULL;
}

static void *use_own_window(void *arg)
{
	struct wt *w = arg;
	int next = (w->rank + 1) % w->size, x;

	for (int k = 0; k < TIMES / 4; k++) {
		x = w->rank * 100 + k;
		MT_OK(MPI_Win_fence(0, w->win));
		MT_OK(MPI_Put(&x, 1, MPI_INT, next, wt_disp(w, next, 0), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_fence(0, w->win));
		MT_IS(*(int *)w->mem,
		      (w->rank + w->size - 1) % w->size * 100 + k);
	}
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
	for (int k = 0; k < TIMES / 4; k++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, w->win));
		MT_OK(MPI_Get(&x, 1, MPI_INT, next, wt_disp(w, next, 8), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_flush(next, w->win));
		x++;
		MT_OK(MPI_Put(&x, 1, MPI_INT, next, wt_disp(w, next, 8), 1,
			      MPI_INT, w->win));
		MT_OK(MPI_Win_unlock(next, w->win));
	}
	return NULL;
}

static void run(void *(*fn)(void *), void *const *arg)
{
	pthread_t th[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&th[i], NULL, fn, arg[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(th[i], NULL);
}

static void one_kind(enum win_kind kind)
{
	void *arg[THREADS];
	long sum, all;

	one = wt_open(kind, MPI_COMM_WORLD,
		      1024 + 64 * THREADS * (size_t)mt_size, 1);
	for (int i = 0; i < THREADS; i++) {
		own[i] = wt_open(kind, MPI_COMM_WORLD, 64, 1);
		arg[i] = (void *)(long)i;
	}
	for (int i = 0; i < 5; i++) {
		MT_OK(MPI_Win_lock_all(0, one.win));
		run(use_shared_window, arg);
		MT_OK(MPI_Win_unlock_all(one.win));
		/* check that no target is still locked */
		for (int t = 0; t < mt_size; t++) {
			MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, one.win));
			MT_OK(MPI_Win_unlock(t, one.win));
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	sum = *(long *)one.mem;
	MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	MT_IS(all, 5L * THREADS * TIMES * mt_size);
	for (int i = 0; i < THREADS; i++)
		arg[i] = &own[i];
	run(use_own_window, arg);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < THREADS; i++) {
		MT_IS(((int *)own[i].mem)[2], TIMES / 4);
		wt_close(&own[i]);
	}
	wt_close(&one);
}

int main(int argc, char **argv)
{
	int have;

	MT_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &have));
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
	MT_IS(have, MPI_THREAD_MULTIPLE);
	for (int k = 0; k < WT_KINDS; k++)
		one_kind(k);
	return mt_end();
}

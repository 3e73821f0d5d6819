/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows on several hosts: puts and gets of every rank to every rank, by all
 * kinds of synchronization, and accumulates to one rank. Puts and gets to ranks
 * of the same host must not use the fabric if the memory is from
 * MPI_Win_allocate or MPI_Alloc_mem; those to other hosts must.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 20000
#define NAME  64

enum memory { ALLOCATE, ALLOC_MEM, MALLOC, KINDS };

static int rank, size, bad;
static char *same_host;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle fabric;

static void counter_open(void)
{
	int provided, index, count;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_pvar_session_create(&session);
	if (MPI_T_pvar_get_index("window_fabric", MPI_T_PVAR_CLASS_COUNTER,
				 &index))
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_T_pvar_handle_alloc(session, index, NULL, &fabric, &count);
	MPI_T_pvar_start(session, fabric);
}

static unsigned long long counted(void)
{
	unsigned long long n = 0;

	MPI_T_pvar_read(session, fabric, &n);
	return n;
}

static void check(int good, const char *what, int kind, int other)
{
	if (good)
		return;
	printf("rank %d: %s, memory %d, rank %d\n", rank, what, kind, other);
	bad = 1;
}

static void hosts_compare(void)
{
	char own[NAME] = "", (*host)[NAME] = calloc((size_t)size, NAME);

	same_host = calloc((size_t)size, 1);
	gethostname(own, NAME - 1);
	MPI_Allgather(own, NAME, MPI_CHAR, host, NAME, MPI_CHAR,
		      MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		same_host[i] = !strcmp(host[i], own);
	free(host);
}

/* Opens a window with a slice of WORDS words for each origin, and a counter. */
static long *window_open(enum memory kind, MPI_Win *win_p)
{
	MPI_Aint bytes = (MPI_Aint)(size * WORDS + 1) * 8;
	long *base;

	if (kind == ALLOCATE) {
		MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				 win_p);
	} else {
		if (kind == ALLOC_MEM)
			MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base);
		else
			base = malloc((size_t)bytes);
		MPI_Win_create(base, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD,
			       win_p);
	}
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, *win_p);
	memset(base, 0, (size_t)bytes);
	MPI_Win_unlock(rank, *win_p);
	MPI_Barrier(MPI_COMM_WORLD);
	return base;
}

static void window_close(enum memory kind, long *base, MPI_Win *win)
{
	MPI_Win_free(win);
	if (kind == ALLOC_MEM)
		MPI_Free_mem(base);
	else if (kind == MALLOC)
		free(base);
}

/* Puts to a rank and gets the data back, under the lock that is held. */
static void put_and_get(enum memory kind, MPI_Win win, int to, long seed)
{
	static long out[WORDS], in[WORDS];
	unsigned long long before = counted();
	int memory = same_host[to] && kind != MALLOC;

	for (int i = 0; i < WORDS; i++)
		out[i] = seed * 100000 + i;
	MPI_Put(out, WORDS, MPI_LONG, to, (MPI_Aint)rank * WORDS, WORDS,
		MPI_LONG, win);
	MPI_Win_flush(to, win);
	memset(in, 0, sizeof(in));
	MPI_Get(in, WORDS, MPI_LONG, to, (MPI_Aint)rank * WORDS, WORDS,
		MPI_LONG, win);
	MPI_Win_flush(to, win);
	check(!memcmp(in, out, sizeof(in)), "wrong data", kind, to);
	if (to != rank)
		check((counted() == before) == memory, "wrong path", kind, to);
	MPI_Accumulate(&seed, 1, MPI_LONG, to, (MPI_Aint)size * WORDS, 1,
		       MPI_LONG, MPI_SUM, win);
}

/* Checks the data that other ranks have put, and the sum of the accumulates. */
static void window_check(enum memory kind, MPI_Win win, const long *base,
			 long rounds)
{
	long sum = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	for (int r = 0; r < size; r++) {
		for (int i = 0; i < WORDS; i++)
			if (base[r * WORDS + i] != (r + 10) * 100000L + i) {
				check(0, "wrong memory", kind, r);
				break;
			}
		sum += r + 10;
	}
	check(base[size * WORDS] == rounds * sum, "wrong sum", kind, rank);
	MPI_Win_unlock(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void run(enum memory kind)
{
	MPI_Win win;
	long *base = window_open(kind, &win);

	for (int d = 0; d < size; d++) {
		int to = (rank + d) % size;

		MPI_Win_lock(d % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, to,
			     0, win);
		put_and_get(kind, win, to, rank + 10);
		MPI_Win_unlock(to, win);
	}
	window_check(kind, win, base, 1);
	MPI_Win_lock_all(0, win);
	for (int to = 0; to < size; to++)
		put_and_get(kind, win, to, rank + 10);
	MPI_Win_unlock_all(win);
	window_check(kind, win, base, 2);
	window_close(kind, base, &win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	counter_open();
	hosts_compare();
	for (int kind = 0; kind < KINDS; kind++)
		run((enum memory)kind);
	if (!bad)
		printf("rank %d: good\n", rank);
	MPI_Finalize();
	return bad;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Start-up, environment, finalize. */
#include "mpi_t.h"

#include <time.h>

static void versions(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int a, b, n;

	MT_OK(MPI_Get_version(&a, &b));
	MT_IS(a, MPI_VERSION);
	MT_IS(b, MPI_SUBVERSION);
	MT_OK(MPI_Get_library_version(text, &n));
	MT_IS((int)strlen(text), n);
	MT_TRUE(!strncmp(text, "Weft ", 5));
}

static void names(void)
{
	char name[MPI_MAX_PROCESSOR_NAME];
	int n;

	MT_OK(MPI_Get_processor_name(name, &n));
	MT_TRUE(n > 0 && (int)strlen(name) == n);
	MT_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &n));
	MT_TRUE(!strcmp(name, "MPI_COMM_WORLD"));
}

static void clock_moves(void)
{
	double t0 = MPI_Wtime(), t1;

	MT_TRUE(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
	do
		t1 = MPI_Wtime();
	while (t1 - t0 < 1e-5);
	MT_TRUE(t1 > t0);
}

static double host_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * MPI_Wtime runs at the rate of the host's clock; in virtual time it is the
 * same on all ranks.
 */
static void clock_keeps_time(void)
{
	struct timespec pause_time = { .tv_nsec = 50000000 };
	double h[4], t[2];
	int *global, found;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &found);
	if (found && *global)
		return;
	h[0] = host_now();
	t[0] = MPI_Wtime();
	h[1] = host_now();
	nanosleep(&pause_time, NULL);
	h[2] = host_now();
	t[1] = MPI_Wtime();
	h[3] = host_now();
	MT_TRUE(t[1] - t[0] > (h[2] - h[1]) * 0.999);
	MT_TRUE(t[1] - t[0] < (h[3] - h[0]) * 1.001);
}

static void memory(void)
{
	char *p;

	MT_OK(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &p));
	memset(p, 1, 1 << 20);
	MT_OK(MPI_Free_mem(p));
}

int main(int argc, char **argv)
{
	int flag, level, tag_ub;
	void *attr;

	MT_OK(MPI_Initialized(&flag));
	MT_IS(flag, 0);
	MT_OK(MPI_Finalized(&flag));
	MT_IS(flag, 0);
	mt_begin(&argc, &argv);
	MT_OK(MPI_Initialized(&flag));
	MT_IS(flag, 1);
	MT_OK(MPI_Query_thread(&level));
	MT_IS(level, MPI_THREAD_SINGLE);
	MT_OK(MPI_Is_thread_main(&flag));
	MT_IS(flag, 1);
	MT_TRUE(mt_rank >= 0 && mt_rank < mt_size);
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &attr, &flag));
	MT_IS(flag, 1);
	tag_ub = *(int *)attr;
	MT_IS(tag_ub, 2147483647);
	MT_OK(MPI_Pcontrol(1));
	versions();
	names();
	clock_moves();
	clock_keeps_time();
	memory();
	MT_OK(MPI_Finalize());
	MT_OK(MPI_Finalized(&flag));
	MT_IS(flag, 1);
	return 0;
}

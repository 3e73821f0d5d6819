/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the programs of this folder share. */
#ifndef WEFT_TEST_FAULT_T_H
#define WEFT_TEST_FAULT_T_H

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, failed;

static inline int class_of(int code)
{
	int class = code;

	if (code)
		MPI_Error_class(code, &class);
	return class;
}

static inline void check(int line, const char *call, int got, int want)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	if (class_of(got) == want)
		return;
	MPI_Error_string(got, text, &len);
	fprintf(stderr, "rank %d, line %d: %.60s: %s\n", rank, line, call,
		text);
	failed = 1;
}

/* Checks that the call returns an error of that class. */
#define CHECK(call, class) check(__LINE__, #call, call, class)
#define EXPECT(x)	   check(__LINE__, #x, !(x), 0)

/* Kills this process without cleanup, as the failure of a node would. */
static inline void die(void)
{
	fflush(NULL);
	kill(getpid(), SIGKILL);
}

/*
 * Waits for all ranks. Unlike a barrier, this succeeds on all ranks, even if
 * one of them dies as soon as it returns.
 */
static inline void sync_all(MPI_Comm c)
{
	int flag = 1;

	CHECK(MPIX_Comm_agree(c, &flag), MPI_SUCCESS);
}

static inline void fault_init(void)
{
	MPI_Init(NULL, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	sync_all(world);
}

static inline int fault_end(void)
{
	CHECK(MPI_Finalize(), MPI_SUCCESS);
	if (!failed)
		printf("rank %d: good\n", rank);
	return failed;
}

/*
 * Executes collectives of several lengths, which select several algorithms.
 * Returns whether a rank has failed meanwhile; otherwise checks the results.
 */
static inline int use_comm(MPI_Comm c, int want_size)
{
	static double in[1 << 17], out[1 << 17];
	const int count[] = { 1, 1, 1, 1000, 1 << 17 };
	int me, n, err = 0;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	for (int i = 0; i < 5 && !err; i++) {
		for (int k = 0; k < count[i]; k++)
			in[k] = me + k;
		err = MPI_Allreduce(in, out, count[i], MPI_DOUBLE, MPI_SUM, c);
		for (int k = 0; k < count[i] && !err; k++)
			EXPECT(out[k] == n * (n - 1) / 2 + (double)k * n);
		if (!err)
			err = MPI_Barrier(c);
	}
	if (!err)
		EXPECT(!want_size || n == want_size);
	return err;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by Debian's Open MPI over Weft's provider: a ring, an all-to-all and,
 * with "rma", puts, gets and accumulates. Every byte is compared with its
 * expected value; a difference aborts the job.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void check(int good, const char *what, long detail)
{
	if (good)
		return;
	fprintf(stderr, "rank %d: %s is wrong (%ld)\n", rank, what, detail);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char byte(int from, int to, size_t i)
{
	return (unsigned char)(from * 31 + to * 7 + (int)(i % 251));
}

static void fill(unsigned char *buf, size_t len, int from, int to)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = byte(from, to, i);
}

static void verify(const unsigned char *buf, size_t len, int from, int to,
		   const char *what)
{
	for (size_t i = 0; i < len; i++)
		check(buf[i] == byte(from, to, i), what, (long)i);
}

static void ring(size_t len)
{
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	unsigned char *out = malloc(len + 1), *in = malloc(len + 1);
	MPI_Status st;
	int n;

	for (int lap = 0; lap < 3; lap++) {
		fill(out, len, rank, next);
		memset(in, 0xff, len);
		MPI_Sendrecv(out, (int)len, MPI_BYTE, next, lap, in, (int)len,
			     MPI_BYTE, prev, lap, MPI_COMM_WORLD, &st);
		MPI_Get_count(&st, MPI_BYTE, &n);
		check(n == (int)len && st.MPI_SOURCE == prev, "ring status", n);
		verify(in, len, prev, rank, "ring");
	}
	free(out);
	free(in);
}

static void probed(void)
{
	int next = (rank + 1) % size, n;
	MPI_Status st;
	MPI_Message msg;
	char buf[16] = "";
	MPI_Request r;

	MPI_Isend("hello", 6, MPI_CHAR, next, 9, MPI_COMM_WORLD, &r);
	MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &msg, &st);
	MPI_Get_count(&st, MPI_CHAR, &n);
	check(n == 6, "probe", n);
	MPI_Mrecv(buf, 6, MPI_CHAR, &msg, &st);
	check(!strcmp(buf, "hello"), "matched receive", 0);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	/* A synchronous send needs the receiver's acknowledgement. */
	MPI_Issend(&rank, 1, MPI_INT, next, 10, MPI_COMM_WORLD, &r);
	MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &st);
	check(n == (rank + size - 1) % size, "synchronous send", n);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void alltoall(size_t len)
{
	unsigned char *out = malloc(len * (size_t)size);
	unsigned char *in = malloc(len * (size_t)size);

	for (int i = 0; i < size; i++)
		fill(out + len * (size_t)i, len, rank, i);
	memset(in, 0xff, len * (size_t)size);
	MPI_Alltoall(out, (int)len, MPI_BYTE, in, (int)len, MPI_BYTE,
		     MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		verify(in + len * (size_t)i, len, i, rank, "all-to-all");
	free(out);
	free(in);
}

static void rma(void)
{
	enum { N = 5000 };
	int next = (rank + 1) % size;
	uint64_t *mem, one = 1, got = 0, *buf = malloc(N * sizeof(*buf));
	MPI_Win win;

	MPI_Win_allocate((N + 1) * sizeof(*mem), sizeof(*mem), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &mem, &win);
	memset(mem, 0, (N + 1) * sizeof(*mem));
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		buf[i] = (uint64_t)rank * N + (uint64_t)i;
	MPI_Put(buf, N, MPI_UINT64_T, next, 0, N, MPI_UINT64_T, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		check(mem[i] == (uint64_t)((rank + size - 1) % size) * N +
					(uint64_t)i,
		      "put", i);
	memset(buf, 0, N * sizeof(*buf));
	MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	MPI_Get(buf, N, MPI_UINT64_T, next, 0, N, MPI_UINT64_T, win);
	MPI_Win_unlock(next, win);
	for (int i = 0; i < N; i++)
		check(buf[i] == (uint64_t)rank * N + (uint64_t)i, "get", i);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 100; i++)
		MPI_Fetch_and_op(&one, &got, MPI_UINT64_T, 0, N, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&got, 1, MPI_UINT64_T, 0, N, 1, MPI_UINT64_T, win);
	MPI_Win_unlock(0, win);
	check(got == 100u * (uint64_t)size, "fetch and add", (long)got);
	MPI_Win_free(&win);
	free(buf);
}

int main(int argc, char **argv)
{
	static const size_t lens[] = { 0,    1,	    8,	   100,	   512,
				       4096, 20000, 70001, 1 << 20 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1 && !strcmp(argv[1], "rma")) {
		rma();
	} else {
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			ring(lens[i]);
			if (lens[i] && lens[i] < 100000)
				alltoall(lens[i]);
		}
		probed();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("passed on %d ranks\n", size);
	MPI_Finalize();
	return 0;
}

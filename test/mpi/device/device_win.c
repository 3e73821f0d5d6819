/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows and device memory: puts, gets and accumulates accept buffers in
 * device memory, also with gaps; the memory of some or all members of a window
 * is device memory.
 */
#include "device_t.h"

#include <stdbool.h>

#define MOST 300000

static unsigned char *device, *check, *base;
static MPI_Win win;

static void put_and_get(int n)
{
	int to = (mt_rank + 1) % mt_size;
	int from = (mt_rank + mt_size - 1) % mt_size;
	MPI_Request r;

	mt_fill(check, (size_t)n, (uint64_t)mt_rank);
	device_in(device, check, (size_t)n);
	memset(base, 0, MOST);
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Put(device, n, MPI_BYTE, to, 0, n, MPI_BYTE, win));
	MT_OK(MPI_Win_fence(0, win));
	MT_TRUE(mt_same(base, (size_t)n, (uint64_t)from));
	MT_OK(MPI_Win_lock_all(0, win));
	MT_OK(MPI_Rget(device + MOST, n, MPI_BYTE, to, 0, n, MPI_BYTE, win,
		       &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Win_unlock_all(win));
	device_out(check, device + MOST, (size_t)n);
	MT_TRUE(mt_same(check, (size_t)n, (uint64_t)mt_rank));
	MT_OK(MPI_Barrier(
		MPI_COMM_WORLD)); /* all ranks have read their memory */
}

static void gaps(int rows)
{
	int to = (mt_rank + 1) % mt_size;
	MPI_Datatype column;

	MT_OK(MPI_Type_vector(rows, 1, 4, MPI_INT, &column));
	MT_OK(MPI_Type_commit(&column));
	mt_fill(base, (size_t)rows * 16, (uint64_t)mt_rank);
	memset(check, 0, (size_t)rows * 16);
	device_in(device, check, (size_t)rows * 16);
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Get(device, 1, column, to, 0, 1, column, win));
	MT_OK(MPI_Win_fence(0, win));
	device_out(check, device, (size_t)rows * 16);
	for (int i = 0; i < rows * 16; i++)
		MT_IS(check[i],
		      i % 16 < 4 ? mt_byte((uint64_t)to, (size_t)i) : 0);
	MT_OK(MPI_Type_free(&column));
}

/* ---- accumulates ---- */

static void ints_in(void *at, int n, int first)
{
	int host[64];

	for (int i = 0; i < n; i++)
		host[i] = first + i;
	device_in(at, host, (size_t)n * sizeof(int));
}

static int int_at(const void *device_at, int i)
{
	int v;

	device_out(&v, (const char *)device_at + (size_t)i * sizeof(int),
		   sizeof(int));
	return v;
}

/*
 * Every rank adds to 40 integers of its neighbour, whose values `of` returns,
 * with operands and results in device memory.
 */
static void accumulate(MPI_Win on, const void *mine,
		       int (*of)(const void *mine, int i))
{
	int to = (mt_rank + 1) % mt_size;
	int from = (mt_rank + mt_size - 1) % mt_size;
	char *result = (char *)device + 4096, *one = (char *)device + 8192;
	int last = 0;

	ints_in(device, 40, 1000 * mt_rank);
	MT_OK(MPI_Win_fence(0, on));
	MT_OK(MPI_Accumulate(device, 40, MPI_INT, to, 0, 40, MPI_INT, MPI_SUM,
			     on));
	MT_OK(MPI_Win_fence(0, on));
	for (int i = 0; i < 40; i++)
		MT_IS(of(mine, i), 5 + 1000 * from + i);
	MT_OK(MPI_Win_fence(0, on));
	MT_OK(MPI_Get_accumulate(device, 40, MPI_INT, result, 40, MPI_INT, to,
				 0, 40, MPI_INT, MPI_REPLACE, on));
	MT_OK(MPI_Win_fence(0, on));
	for (int i = 0; i < 40; i++) {
		MT_IS(int_at(result, i), 5 + 1000 * mt_rank + i);
		MT_IS(of(mine, i), 1000 * from + i);
	}
	/* counters: every rank adds 1 at rank 0, and reads the old value */
	ints_in(one, 1, 1);
	MT_OK(MPI_Win_fence(0, on));
	for (int i = 0; i < 20; i++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, on));
		MT_OK(MPI_Fetch_and_op(one, result, MPI_INT, 0,
				       50 * sizeof(int), MPI_SUM, on));
		MT_OK(MPI_Win_unlock(0, on));
		MT_TRUE(!i || int_at(result, 0) > last);
		last = int_at(result, 0);
	}
	MT_OK(MPI_Win_fence(0, on));
	if (mt_rank == 0)
		MT_IS(of(mine, 50), 5 + 20 * mt_size);
	/* the comparand of rank 0 equals the value */
	ints_in(one, 1, 5 + 20 * mt_size + mt_rank);
	ints_in(device, 1, 77);
	MT_OK(MPI_Win_fence(0, on));
	MT_OK(MPI_Compare_and_swap(device, one, result, MPI_INT, 0,
				   50 * sizeof(int), on));
	MT_OK(MPI_Win_fence(0, on));
	if (mt_rank == 0) {
		MT_IS(of(mine, 50), 77);
		MT_IS(int_at(result, 0), 5 + 20 * mt_size);
	}
}

static int host_int(const void *mine, int i)
{
	return ((const int *)mine)[i];
}

static void in_host_window(void)
{
	for (int i = 0; i < 64; i++)
		((int *)base)[i] = 5;
	accumulate(win, base, host_int);
}

/* ---- windows in device memory ---- */

static int mixed_int(const void *mine, int i)
{
	return mt_rank % 2 ? host_int(mine, i) : int_at(mine, i);
}

/* Odd ranks have host memory, unless `all` is set. */
static void in_device_window(bool all)
{
	bool host = !all && mt_rank % 2;
	unsigned char *mine = host ? malloc(MOST) : device_alloc(MOST);
	int to = (mt_rank + 1) % mt_size;
	int from = (mt_rank + mt_size - 1) % mt_size;
	unsigned char *back = malloc(MOST);
	MPI_Datatype column;
	MPI_Win w;

	MT_OK(MPI_Type_vector(100, 1, 4, MPI_INT, &column));
	MT_OK(MPI_Type_commit(&column));
	MT_OK(MPI_Win_create(mine, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	mt_fill(check, MOST, (uint64_t)mt_rank);
	MT_OK(MPI_Win_fence(0, w));
	MT_OK(MPI_Put(check, MOST, MPI_BYTE, to, 0, MOST, MPI_BYTE, w));
	MT_OK(MPI_Win_fence(0, w));
	if (host)
		memcpy(back, mine, MOST);
	else
		device_out(back, mine, MOST);
	MT_TRUE(mt_same(back, MOST, (uint64_t)from));
	memset(back, 0, MOST);
	MT_OK(MPI_Win_lock_all(0, w));
	MT_OK(MPI_Get(back, 1, column, to, 0, 1, column, w));
	MT_OK(MPI_Get(device, 100, MPI_BYTE, mt_rank, 2000, 100, MPI_BYTE, w));
	MT_OK(MPI_Win_unlock_all(w));
	for (int i = 0; i < 1584; i++)
		MT_IS(back[i],
		      i % 16 < 4 ? mt_byte((uint64_t)mt_rank, (size_t)i) : 0);
	device_out(check, device, 100);
	for (int i = 0; i < 100; i++)
		MT_IS(check[i], mt_byte((uint64_t)from, 2000 + (size_t)i));
	MT_OK(MPI_Win_fence(0, w));
	for (int i = 0; i < 64; i++)
		((int *)(void *)check)[i] = 5;
	if (host)
		memcpy(mine, check, 64 * sizeof(int));
	else
		device_in(mine, check, 64 * sizeof(int));
	accumulate(w, mine, all ? int_at : mixed_int);
	MT_OK(MPI_Win_free(&w));
	MT_OK(MPI_Type_free(&column));
	free(back);
	if (host)
		free(mine);
	else
		MT_OK(MPI_Free_mem(mine));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	device = device_alloc(2 * MOST);
	check = malloc(MOST);
	MT_OK(MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			       &win));
	put_and_get(1);
	put_and_get(5000);
	put_and_get(MOST);
	gaps(3);
	gaps(5000);
	in_host_window();
	MT_OK(MPI_Win_free(&win));
	in_device_window(true);
	in_device_window(false);
	MT_OK(MPI_Free_mem(device));
	free(check);
	return mt_end();
}

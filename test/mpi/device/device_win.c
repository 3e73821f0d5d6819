/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows and device memory: puts and gets accept buffers in device memory,
 * also with gaps; a window in device memory, and accumulates from it, are
 * refused with an error that names the reason.
 */
#include "device_t.h"

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

static void is_refused(int rc, int want)
{
	int class;

	MPI_Error_class(rc, &class);
	MT_IS(class, want);
}

int main(int argc, char **argv)
{
	MPI_Win no;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	device = device_alloc(2 * MOST);
	check = malloc(MOST);
	MT_OK(MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			       &win));
	MT_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	put_and_get(1);
	put_and_get(5000);
	put_and_get(MOST);
	gaps(3);
	gaps(5000);
	MT_OK(MPI_Win_fence(0, win));
	is_refused(MPI_Accumulate(device, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM,
				  win),
		   MPI_ERR_BUFFER);
	MT_OK(MPI_Win_fence(0, win));
	is_refused(MPI_Win_create(device, MOST, 1, MPI_INFO_NULL,
				  MPI_COMM_WORLD, &no),
		   MPI_ERR_BASE);
	MT_OK(MPI_Win_free(&win));
	MT_OK(MPI_Free_mem(device));
	free(check);
	return mt_end();
}

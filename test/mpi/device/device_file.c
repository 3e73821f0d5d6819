/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and device memory: reads and writes accept buffers in device memory,
 * with gaps in the memory and in the view, with conversion, collective and
 * nonblocking. Bytes that a read does not deliver stay unchanged.
 */
#include "device_t.h"
#include "file/file_t.h"

#define MOST 100000

static unsigned char *device, *host;

/* Every rank writes and reads its own block with three kinds of calls. */
static void contiguous(MPI_File f, int n)
{
	MPI_Offset at = (MPI_Offset)mt_rank * n;
	MPI_Request r;
	MPI_Status s;

	mt_fill(host, (size_t)n, (uint64_t)mt_rank);
	device_in(device, host, (size_t)n);
	MT_OK(MPI_File_write_at(f, at, device, n, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), n);
	memset(host, 0, (size_t)n);
	MT_OK(MPI_File_read_at(f, at, host, n, MPI_BYTE, MPI_STATUS_IGNORE));
	MT_TRUE(mt_same(host, (size_t)n, (uint64_t)mt_rank));
	MT_OK(MPI_File_read_at_all(f, at, device + MOST, n, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), n);
	device_out(host, device + MOST, (size_t)n);
	MT_TRUE(mt_same(host, (size_t)n, (uint64_t)mt_rank));
	memset(host, 0, (size_t)n);
	device_in(device, host, (size_t)n);
	MT_OK(MPI_File_iread_at(f, at, device, n, MPI_BYTE, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	device_out(host, device, (size_t)n);
	MT_TRUE(mt_same(host, (size_t)n, (uint64_t)mt_rank));
	/*
	 * wait, since the next call may write to the ranges that this call
	 * reads
	 */
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Columns of integers in memory, interleaved by rank in the file. */
static void gaps(MPI_File f, const char *rep, int rows)
{
	MPI_Datatype column, view;
	int *v = (int *)(void *)host;

	MT_OK(MPI_Type_vector(rows, 1, 3, MPI_INT, &column));
	MT_OK(MPI_Type_commit(&column));
	MT_OK(MPI_Type_create_resized(MPI_INT, 0, mt_size * 4, &view));
	MT_OK(MPI_Type_commit(&view));
	MT_OK(MPI_File_set_view(f, mt_rank * 4, MPI_INT, view, rep,
				MPI_INFO_NULL));
	for (int i = 0; i < 3 * rows; i++)
		v[i] = i * 8 + mt_rank;
	device_in(device, host, (size_t)rows * 12);
	MT_OK(MPI_File_write_all(f, device, 1, column, MPI_STATUS_IGNORE));
	memset(host, 0x55, (size_t)rows * 12);
	device_in(device, host, (size_t)rows * 12);
	MT_OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_read_all(f, device, 1, column, MPI_STATUS_IGNORE));
	device_out(host, device, (size_t)rows * 12);
	for (int i = 0; i < 3 * rows; i++)
		MT_IS(v[i], i % 3 ? 0x55555555 : i * 8 + mt_rank);
	MT_OK(MPI_Type_free(&view));
	MT_OK(MPI_Type_free(&column));
}

/* A read across the end of the file stores only the bytes before the end. */
static void past_the_end(MPI_File f)
{
	MPI_Status s;

	MT_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_set_size(f, 1000));
	memset(host, 0x66, 3000);
	device_in(device, host, 3000);
	MT_OK(MPI_File_read_at(f, 900, device, 3000, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 100);
	device_out(host, device, 3000);
	for (int i = 100; i < 3000; i++)
		MT_IS(host[i], 0x66);
	MT_OK(MPI_File_read_at(f, 1000, device, 3000, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 0);
}

int main(int argc, char **argv)
{
	char path[FT_PATH];
	MPI_File f;

	mt_begin(&argc, &argv);
	device = device_alloc(2 * MOST);
	host = malloc(MOST);
	f = ft_open(path, "device", MPI_INFO_NULL);
	contiguous(f, 1);
	contiguous(f, MOST);
	gaps(f, "native", 5);
	gaps(f, "native", 8000);
	gaps(f, "external32", 8000);
	past_the_end(f);
	MT_OK(MPI_File_close(&f));
	MT_OK(MPI_Free_mem(device));
	free(host);
	return mt_end();
}

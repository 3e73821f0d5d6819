/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the benchmarks of files: the file, views of blocks, timing. */
#ifndef WEFT_BENCH_FILE_H
#define WEFT_BENCH_FILE_H

#include "bench.h"

/*
 * Returns the name of the file: the value of BENCH_FILE, by default a file in
 * /dev/shm, where the file system takes the least time.
 */
static inline const char *file_path(void)
{
	const char *path = getenv("BENCH_FILE");

	return path ? path : "/dev/shm/weft-bench-file";
}

static inline MPI_File file_open(int mode)
{
	MPI_File f;

	if (MPI_File_open(MPI_COMM_WORLD, file_path(),
			  MPI_MODE_CREATE | MPI_MODE_RDWR | mode, MPI_INFO_NULL,
			  &f) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return f;
}

/*
 * Sets a view of blocks that alternate with those of the other ranks; block 0:
 * a view of all bytes.
 */
static inline void file_view(const struct bench *b, MPI_File f, int block)
{
	MPI_Datatype bytes, tile;

	if (!block) {
		MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native",
				  MPI_INFO_NULL);
		return;
	}
	MPI_Type_contiguous(block, MPI_CHAR, &bytes);
	MPI_Type_create_resized(bytes, 0, (MPI_Aint)block * b->size, &tile);
	MPI_Type_commit(&tile);
	MPI_File_set_view(f, (MPI_Offset)b->rank * block, MPI_CHAR, tile,
			  "native", MPI_INFO_NULL);
	MPI_Type_free(&tile);
	MPI_Type_free(&bytes);
}

enum { WRITE, READ, COLL_WRITE, COLL_READ, STRIDED_WRITE, STRIDED_READ, KINDS };

static inline int file_access(MPI_File f, int kind, MPI_Offset at, void *buf,
			      int n)
{
	switch (kind) {
	case WRITE:
	case STRIDED_WRITE:
		return MPI_File_write_at(f, at, buf, n, MPI_CHAR,
					 MPI_STATUS_IGNORE);
	case READ:
	case STRIDED_READ:
		return MPI_File_read_at(f, at, buf, n, MPI_CHAR,
					MPI_STATUS_IGNORE);
	case COLL_WRITE:
		return MPI_File_write_at_all(f, at, buf, n, MPI_CHAR,
					     MPI_STATUS_IGNORE);
	default:
		return MPI_File_read_at_all(f, at, buf, n, MPI_CHAR,
					    MPI_STATUS_IGNORE);
	}
}

/*
 * Returns MB/s of all ranks in the best iteration: other users of the host, and
 * the allocation of the file's pages, slow down the other iterations.
 */
static inline double file_bandwidth(struct bench *b, MPI_File f, int kind,
				    char *buf, size_t n, int iters, int warmup)
{
	MPI_Offset at = kind < COLL_WRITE ? (MPI_Offset)n * b->rank : 0;
	double best = 1e9, time;

	bench_realtime(true);
	for (int i = -warmup; i < iters; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		time = -MPI_Wtime();
		bench_require(b, !file_access(f, kind, at, buf, (int)n),
			      "a file that can be accessed");
		MPI_Barrier(MPI_COMM_WORLD);
		time += MPI_Wtime();
		if (i >= 0 && time < best)
			best = time;
	}
	bench_realtime(false);
	return (double)n * b->size / best / 1e6;
}

#endif

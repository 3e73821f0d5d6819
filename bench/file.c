/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of accesses to a file, MB/s of all ranks together. Each rank
 * accesses n bytes: a contiguous range of its own (contig), or blocks of BLOCK
 * bytes in turn with the other ranks, collectively (coll) and independently
 * (strided). The file is at BENCH_FILE, by default in /dev/shm, where the file
 * system takes the least time.
 */
#include "bench.h"

#define BLOCK 64

enum { WRITE, READ, COLL_WRITE, COLL_READ, STRIDED_WRITE, STRIDED_READ, KINDS };

static int access_file(MPI_File f, int kind, MPI_Offset at, void *buf, int n)
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

static void set_view(const struct bench *b, MPI_File f, int kind)
{
	MPI_Datatype block, tile;

	if (kind == WRITE || kind == READ) {
		MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native",
				  MPI_INFO_NULL);
		return;
	}
	MPI_Type_contiguous(BLOCK, MPI_CHAR, &block);
	MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * b->size, &tile);
	MPI_Type_commit(&tile);
	MPI_File_set_view(f, (MPI_Offset)b->rank * BLOCK, MPI_CHAR, tile,
			  "native", MPI_INFO_NULL);
	MPI_Type_free(&tile);
	MPI_Type_free(&block);
}

/*
 * Returns MB/s of all ranks in the best iteration: other users of the host, and
 * the allocation of the file's pages, slow the others.
 */
static double bandwidth(struct bench *b, MPI_File f, int kind, char *buf,
			size_t n)
{
	MPI_Offset at = kind < COLL_WRITE ? (MPI_Offset)n * b->rank : 0;
	int iters = bench_iters(b, n);
	double best = 1e9, time;

	set_view(b, f, kind);
	for (int i = -bench_warmup(b, n); i < iters; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		time = -MPI_Wtime();
		bench_require(b, !access_file(f, kind, at, buf, (int)n),
			      "a file that can be accessed");
		MPI_Barrier(MPI_COMM_WORLD);
		time += MPI_Wtime();
		best = time < best ? time : best;
	}
	return (double)n * b->size / best / 1e6;
}

static MPI_File open_file(void)
{
	const char *path = getenv("BENCH_FILE");
	MPI_File f;

	if (MPI_File_open(
		    MPI_COMM_WORLD, path ? path : "/dev/shm/weft-bench-file",
		    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		    MPI_INFO_NULL, &f) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return f;
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI File Bandwidth Test",
			   .min = 4096,
			   .max = 1 << 22,
			   .columns = KINDS,
			   .column = { "Write", "Read", "Coll write",
				       "Coll read", "Strided write",
				       "Strided read" } };
	MPI_File f;
	char *buf;

	bench_begin(&b, argc, argv);
	buf = bench_buffer(b.max);
	f = open_file();
	for (size_t n = b.min; n <= b.max; n = 4 * bench_next(n)) {
		double v[KINDS];

		for (int k = 0; k < KINDS; k++) {
			bench_fill(buf, n, (unsigned)b.rank);
			v[k] = bandwidth(&b, f, k, buf, n);
			if (b.check)
				bench_check_all(
					&b, n,
					bench_data_equal(buf, n,
							 (unsigned)b.rank));
		}
		bench_row(&b, n, v);
	}
	MPI_File_close(&f);
	free(buf);
	return bench_end(&b);
}

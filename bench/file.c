/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of accesses to a file, MB/s of all ranks together. Each rank
 * accesses n bytes: a contiguous range of its own (contig), or blocks of BLOCK
 * bytes that alternate with those of the other ranks, collectively (coll) and
 * independently (strided).
 */
#include "file.h"

#define BLOCK 64

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI File Bandwidth Test",
			   .min = 4096,
			   .max = 1 << 22,
			   .columns = KINDS,
			   .column = { "Write MB/s", "Read MB/s",
				       "Coll write MB/s", "Coll read MB/s",
				       "Strided write MB/s",
				       "Strided read MB/s" } };
	MPI_File f;
	char *buf;

	bench_begin(&b, argc, argv);
	buf = bench_buffer(b.max);
	f = file_open(MPI_MODE_DELETE_ON_CLOSE);
	for (size_t n = b.min; n <= b.max; n = 4 * bench_next(n)) {
		double v[KINDS];

		for (int k = 0; k < KINDS; k++) {
			bench_fill(buf, n, (unsigned)b.rank);
			file_view(&b, f, k < COLL_WRITE ? 0 : BLOCK);
			v[k] = file_bandwidth(&b, f, k, buf, n,
					      bench_iters(&b, n),
					      bench_warmup(&b, n));
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

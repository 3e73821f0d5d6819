/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of collective accesses, MB/s of all ranks together, by the size of
 * the blocks ("Size") that alternate between the ranks. All ranks together
 * access the number of bytes in the argument, by default 64 MiB: file_blocks
 * 268435456
 */
#include "file.h"

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI File Block Bandwidth Test",
			   .min = 64,
			   .max = 1 << 16,
			   .iters = 5,
			   .iters_large = 5,
			   .columns = 2,
			   .column = { "Coll write MB/s", "Coll read MB/s" } };
	size_t bytes;
	MPI_File f;
	char *buf;

	bench_begin(&b, argc, argv);
	bytes = (b.extra ? strtoul(b.extra, NULL, 0) : 64 << 20) /
		(size_t)b.size / b.max * b.max;
	bench_require(&b, bytes > 0 && bytes <= INT32_MAX,
		      "1 block to 2 GiB for each rank");
	buf = bench_buffer(bytes);
	f = file_open(MPI_MODE_DELETE_ON_CLOSE);
	for (size_t n = b.min; n <= b.max; n *= 4) {
		double v[2];

		file_view(&b, f, (int)n);
		for (int k = 0; k < 2; k++) {
			bench_fill(buf, bytes, (unsigned)b.rank);
			v[k] = file_bandwidth(&b, f, COLL_WRITE + k, buf, bytes,
					      b.iters, 1);
			if (b.check)
				bench_check_all(
					&b, n,
					bench_data_equal(buf, bytes,
							 (unsigned)b.rank));
		}
		bench_row(&b, n, v);
	}
	MPI_File_close(&f);
	free(buf);
	return bench_end(&b);
}

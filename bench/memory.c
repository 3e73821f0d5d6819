/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a rank while all ranks run, after messages with its neighbours and
 * collectives of all ranks: proportional set size (a shared page is divided by
 * the number of its users) and private memory, from /proc/self/smaps_rollup.
 * Averages over the ranks, in KiB.
 */
#include "bench.h"

/* Returns the value in KiB of the line with this name; 0 if there is none. */
static double rollup(const char *name)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	size_t len = strlen(name);
	double kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, len))
			kib += strtod(line + len, NULL);
	}
	if (f)
		fclose(f);
	return kib;
}

static void exchange(const struct bench *b)
{
	for (int step = 1; step <= 4; step++) {
		int to = (b->rank + step) % b->size;
		int from = (b->rank + b->size - step % b->size) % b->size;
		double out = b->rank, in, sum;

		MPI_Sendrecv(&out, 1, MPI_DOUBLE, to, 0, &in, 1, MPI_DOUBLE,
			     from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .title = "MPI Memory per Rank",
			   .columns = 2,
			   .column = { "PSS (KiB)", "Private (KiB)" } };
	double mine[2], sum[2];

	bench_begin(&b, argc, argv);
	exchange(&b);
	MPI_Barrier(MPI_COMM_WORLD);
	mine[0] = rollup("Pss:");
	mine[1] = rollup("Private_Clean:") + rollup("Private_Dirty:");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; b.rank == 0 && i < 2; i++)
		sum[i] /= b.size;
	bench_row(&b, 0, sum);
	return bench_end(&b);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators that are created and freed reuse memory: a hundred of them,
 * each with reductions long enough to touch many pages, use hardly more memory
 * than the first ten.
 */
#include "mpi_t.h"

#define GROWTH_KIB 512 /* limit per rank, KiB */

/*
 * Returns the memory of all ranks together, in KiB. Shared pages count once.
 * Pages of the library's file are excluded, because their share depends on
 * other processes that map the file.
 */
static long used_by_all(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	long mine = 0, all = 0, n;
	char line[256];

	MT_TRUE(f != NULL);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %ld", &n) == 1)
			mine += n;
		else if (sscanf(line, "Pss_File: %ld", &n) == 1)
			mine -= n;
	if (f)
		fclose(f);
	MT_TRUE(mine > 0);
	MT_OK(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
	return all;
}

static void create_and_free(int times)
{
	static char in[16000], out[16000];

	for (int i = 0; i < times; i++) {
		MPI_Comm comm;

		MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
		memset(in, mt_rank == i % mt_size ? 5 : 1, sizeof(in));
		for (int k = 0; k < 6; k++) {
			memset(out, 0, sizeof(out));
			MT_OK(MPI_Allreduce(in, out, sizeof(in), MPI_CHAR,
					    MPI_MAX, comm));
			MT_IS(out[0], 5);
			MT_IS(out[sizeof(out) - 1], 5);
		}
		MT_OK(MPI_Comm_free(&comm));
	}
}

int main(int argc, char **argv)
{
	long ten, hundred;

	mt_begin(&argc, &argv);
	create_and_free(10);
	ten = used_by_all();
	create_and_free(100);
	hundred = used_by_all();
	if (mt_rank == 0)
		printf("%d ranks: %ld KiB after ten, %ld after a hundred\n",
		       mt_size, ten, hundred);
	MT_TRUE(hundred - ten < GROWTH_KIB * mt_size);
	return mt_end();
}

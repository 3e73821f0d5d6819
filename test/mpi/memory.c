/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI costs a rank in private memory after everybody has talked to
 * everybody: less than 4 MiB, and it hardly grows with the ranks. */
#include "mt.h"

#define BUDGET_KIB 4096

static long private_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = 0, v;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Dirty: %ld", &v) == 1)
			kib += v;
	if (f)
		fclose(f);
	return kib;
}

int main(int argc, char **argv)
{
	long before = private_kib(), used;
	int *out, *in, i;

	mt_begin(&argc, &argv);
	out = calloc((size_t)mt_size, sizeof(int));
	in = calloc((size_t)mt_size, sizeof(int));
	for (i = 0; i < mt_size; i++)
		out[i] = mt_rank;
	MT_OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
	for (i = 0; i < mt_size; i++)
		MT_IS(in[i], i);
	used = private_kib() - before;
	if (mt_rank == 0)
		printf("%d ranks: %ld KiB private per rank\n", mt_size, used);
	MT_TRUE(used < BUDGET_KIB);
	free(out);
	free(in);
	return mt_end();
}

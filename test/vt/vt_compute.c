/* SPDX-License-Identifier: BSD-3-Clause */
/* Computation in virtual time: regions, samples, and a loop without them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/region.h>

static volatile double sink;

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink = sink * 0.5 + i;
}

int main(int argc, char **argv)
{
	int rank, executed = 0;
	double t;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (int i = 0; i < 10; i++) {
		if (!strcmp(argv[1], "region")) {
			WEFT_REGION_BEGIN("solve");
			work(1000);
			executed++;
			WEFT_REGION_END("solve");
		} else if (!strcmp(argv[1], "sample")) {
			WEFT_SAMPLE("step", 3)
			{
				work(1000);
				executed++;
			}
		} else if (!strcmp(argv[1], "time")) {
			WEFT_REGION_TIME(12.5e-6);
		} else {
			work(1000000);
			executed++;
		}
	}
	t = MPI_Wtime() - t;
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d: %d times, %.3f us\n", rank, executed, t * 1e6);
	MPI_Finalize();
	return 0;
}

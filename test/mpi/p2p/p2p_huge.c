/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message of more than 2 GiB, sent with MPI_Count and checked at many
 * offsets.
 */
#include "mpi_t.h"

#define BYTES ((MPI_Count)2200 << 20)
#define STEP  ((MPI_Count)1 << 20)

int main(int argc, char **argv)
{
	MPI_Status st;
	MPI_Count i, n;
	char *buf;

	mt_begin(&argc, &argv);
	buf = malloc((size_t)BYTES);
	MT_TRUE(buf != NULL);
	for (i = 0; i < BYTES; i += STEP)
		buf[i] = mt_rank ? 0 : (char)(i >> 20);
	buf[BYTES - 1] = mt_rank ? 0 : 77;
	if (mt_rank == 0) {
		MT_OK(MPI_Send_c(buf, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
	} else if (mt_rank == 1) {
		MT_OK(MPI_Recv_c(buf, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
				 &st));
		MT_OK(MPI_Get_count_c(&st, MPI_BYTE, &n));
		MT_IS(n, BYTES);
		for (i = 0; i < BYTES; i += STEP)
			MT_IS(buf[i], (char)(i >> 20));
		MT_IS(buf[BYTES - 1], 77);
	}
	free(buf);
	return mt_end();
}

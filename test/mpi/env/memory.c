/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private memory that MPI uses on a rank after communication between all pairs
 * of ranks: less than 4 MiB, and almost none per peer.
 */
#include "mpi_t.h"

#include <unistd.h>

#define BUDGET_KIB   4096
/* pages touched by the first collective and the first send */
#define SLACK_PAGES  32
#define KIB_PER_PEER 2
#define KIB_QUEUES   16 /* KiB per peer on qsnet2: two command queues */
#define KIB_RING     3	/* KiB per peer on apenet: short slots of a ring */
#define KIB_REMOTE   16 /* KiB per remote peer: windows, keys, datagrams */

static long private_kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	long kib = -1, v;
	char line[256];

	MT_TRUE(f != NULL);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Dirty: %ld", &v) == 1)
			kib = v;
	fclose(f);
	MT_TRUE(kib > 0);
	return kib;
}

static void message_to_all(void)
{
	int *out = calloc((size_t)mt_size, sizeof(int));
	int *in = calloc((size_t)mt_size, sizeof(int));
	int i, to, from, x;

	for (i = 0; i < mt_size; i++)
		out[i] = mt_rank;
	MT_OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
	for (i = 0; i < mt_size; i++)
		MT_IS(in[i], i);
	/* a small alltoall sends no messages, so send one to every rank */
	for (i = 0; i < mt_size; i++) {
		to = (mt_rank + i) % mt_size;
		from = (mt_rank - i + mt_size) % mt_size;
		MT_OK(MPI_Sendrecv(&mt_rank, 1, MPI_INT, to, 1, &x, 1, MPI_INT,
				   from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		MT_IS(x, from);
	}
	free(out);
	free(in);
}

static long remote_ranks(void)
{
	MPI_Comm host_comm;
	int n;

	MT_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
				  MPI_INFO_NULL, &host_comm));
	MT_OK(MPI_Comm_size(host_comm, &n));
	MT_OK(MPI_Comm_free(&host_comm));
	return mt_size - n;
}

int main(int argc, char **argv)
{
	long before, alone, all, page = sysconf(_SC_PAGESIZE) / 1024;
	const char *machine = getenv("FI_WEFT_MACHINE");
	long peer = KIB_PER_PEER;
	int x = 1, y = 0;

	if (machine && !strncmp(machine, "qsnet2", 6))
		peer += KIB_QUEUES;
	if (machine && !strncmp(machine, "apenet", 6))
		peer += KIB_RING;

	before = private_kib();
	mt_begin(&argc, &argv);
	MT_OK(MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &y, 1, MPI_INT, 0, 1,
			   MPI_COMM_SELF, MPI_STATUS_IGNORE));
	alone = private_kib();
	message_to_all();
	all = private_kib();
	if (mt_rank == 0)
		printf("%d ranks: %ld KiB private per rank, %ld for peers\n",
		       mt_size, all - before, all - alone);
	MT_TRUE(all - before < BUDGET_KIB);
	MT_TRUE(all - alone < SLACK_PAGES * page + peer * (long)mt_size +
				      KIB_REMOTE * remote_ranks());
	return mt_end();
}

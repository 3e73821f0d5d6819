/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that loses a whole host, for test/multihost/hosts_survive.sh. The ranks
 * communicate until an operation fails; then the survivors shrink, and check
 * that operations with a failed rank return the error.
 *
 *   hosts_survive FILE SURVIVORS [late]
 *
 * Rank 0 creates FILE after some rounds. late: the ranks of the last host have
 * sent and received nothing but the messages of MPI_Init before they fail.
 */
#include "test/mpi/fault/fault_t.h"

#include <fcntl.h>

static void create(const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	EXPECT(fd >= 0);
	close(fd);
}

/* Communicates until an operation fails. Returns its error. */
static int communicate(const char *name)
{
	static char out[100000], in[100000];
	int err = 0;

	for (int i = 0; !err; i++) {
		err = MPI_Sendrecv(out, sizeof(out), MPI_CHAR,
				   (rank + size / 2) % size, 1, in, sizeof(in),
				   MPI_CHAR, (rank + size - size / 2) % size, 1,
				   world, MPI_STATUS_IGNORE);
		if (!err)
			err = MPI_Barrier(world);
		if (i == 20 && !rank)
			create(name);
	}
	return err;
}

/* Waits for a message of the last rank, which never sends. */
static int wait_for_last(const char *name)
{
	int x;

	if (!rank)
		create(name);
	return MPI_Recv(&x, 1, MPI_INT, size - 1, 1, world, MPI_STATUS_IGNORE);
}

/* Checks operations with the last rank, which has failed. */
static void use_failed(void)
{
	static char data[1 << 20];
	int x;

	CHECK(MPI_Send(&rank, 1, MPI_INT, size - 1, 2, world),
	      MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Ssend(data, sizeof(data), MPI_CHAR, size - 1, 2, world),
	      MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Recv(&x, 1, MPI_INT, size - 1, 2, world, MPI_STATUS_IGNORE),
	      MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Barrier(world), MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
	MPI_Comm comm;
	int err, n;

	if (argc < 3)
		return 2;
	fault_init();
	err = argc > 3 ? wait_for_last(argv[1]) : communicate(argv[1]);
	EXPECT(class_of(err) == MPIX_ERR_PROC_FAILED ||
	       class_of(err) == MPIX_ERR_REVOKED);
	if (argc < 4)
		MPIX_Comm_revoke(world);
	CHECK(MPIX_Comm_shrink(world, &comm), MPI_SUCCESS);
	MPI_Comm_size(comm, &n);
	EXPECT(n == atoi(argv[2]));
	if (argc > 3)
		use_failed();
	CHECK(use_comm(comm, atoi(argv[2])), MPI_SUCCESS);
	CHECK(MPI_Comm_free(&comm), MPI_SUCCESS);
	return fault_end();
}

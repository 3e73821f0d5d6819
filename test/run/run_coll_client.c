/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank is killed while all ranks, including itself, are in a collective; for
 * run_coll_death.sh.
 *   run_coll_client CALL VICTIM fatal|return [MARK]
 * With "return" the survivors print the error that they got, and exit. MARK is
 * not used by the program; the test uses it to find processes that are left
 * over.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define ROUNDS 60 /* number of rounds */
#define LONG   (1 << 17)

static double in[LONG], out[LONG];

static int call(const char *name)
{
	MPI_Request r;
	int n = strncmp(name, "long", 4) ? 2 : LONG, rc;

	if (!strcmp(name, "barrier"))
		return MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(name, "bcast"))
		return MPI_Bcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (!strcmp(name, "alltoall"))
		return MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE,
				    MPI_COMM_WORLD);
	if (strstr(name, "iallreduce")) {
		rc = MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM,
				    MPI_COMM_WORLD, &r);
		return rc ? rc : MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	return MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void print_error(int rank, int rc)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, len;

	MPI_Error_class(rc, &class);
	MPI_Error_string(rc, text, &len);
	fprintf(stderr, "survivor %d: class %d (%s): %s\n", rank, class,
		class == MPI_ERR_PROC_ABORTED ? "aborted" : "another", text);
	fflush(stderr);
	/* a rank that got the error exits; MPI_Finalize would not complete */
	_exit(0);
}

int main(int argc, char **argv)
{
	int rank, size, victim = atoi(argv[2]), pid = getpid(), rc, *pids;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(argv[3], "return"))
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	pids = malloc(sizeof(*pids) * (size_t)size);
	MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		/* all ranks wait for this rank, which kills one of them */
		if (i == ROUNDS / 2 && rank == (victim + 1) % size) {
			usleep(50000);
			kill((pid_t)pids[victim], SIGKILL);
		}
		rc = call(argv[1]);
		if (rc)
			print_error(rank, rc);
	}
	/* the death may be reported one call later, but must be reported */
	fprintf(stderr, "rank %d: all calls succeeded\n", rank);
	free(pids);
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks die (SIGKILL), and the others continue: errors of messages and
 * collectives, acknowledgement, revocation, agreement, shrink. Started with
 * mpiexec --survive; the last argument is the case.
 */
#include "test/mpi/fault/fault_t.h"

#include <sys/resource.h>
#include <time.h>

/* A receive from a dead rank fails; messages sent before the death arrive. */
static void test_receive(void)
{
	int x = 0;

	if (rank == 1) {
		CHECK(MPI_Send(&rank, 1, MPI_INT, 0, 7, world), MPI_SUCCESS);
		die();
	}
	if (rank == 0) {
		CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 8, world, MPI_STATUS_IGNORE),
		      MPIX_ERR_PROC_FAILED);
		CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE),
		      MPI_SUCCESS);
		EXPECT(x == 1);
		CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE),
		      MPIX_ERR_PROC_FAILED);
		CHECK(MPI_Probe(1, 7, world, MPI_STATUS_IGNORE),
		      MPIX_ERR_PROC_FAILED);
	}
	/* the other ranks communicate as before */
	if (rank == 0)
		CHECK(MPI_Send(&rank, 1, MPI_INT, 2, 7, world), MPI_SUCCESS);
	if (rank == 2)
		CHECK(MPI_Recv(&x, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE),
		      MPI_SUCCESS);
}

/* A long send to a dead rank fails. */
static void test_send(void)
{
	static char data[1 << 22];

	if (rank == 1)
		die();
	if (rank == 0)
		CHECK(MPI_Ssend(data, sizeof(data), MPI_CHAR, 1, 7, world),
		      MPIX_ERR_PROC_FAILED);
}

/*
 * A receive from any source stays pending, and waits for it fail, until the
 * failure is acknowledged.
 */
static void test_any_source(void)
{
	MPI_Group group;
	MPI_Request r;
	MPI_Status s;
	int x = 0, n;

	if (rank == 1)
		die();
	if (rank == 2) {
		/* rank 0 has acknowledged the failure */
		CHECK(MPI_Recv(&x, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE),
		      MPI_SUCCESS);
		CHECK(MPI_Send(&rank, 1, MPI_INT, 0, 7, world), MPI_SUCCESS);
	}
	if (rank)
		return;
	CHECK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 7, world, &r),
	      MPI_SUCCESS);
	CHECK(MPI_Wait(&r, &s), MPIX_ERR_PROC_FAILED_PENDING);
	EXPECT(r != MPI_REQUEST_NULL);
	CHECK(MPI_Waitall(1, &r, &s), MPI_ERR_IN_STATUS);
	CHECK(s.MPI_ERROR, MPIX_ERR_PROC_FAILED_PENDING);
	EXPECT(r != MPI_REQUEST_NULL);
	CHECK(MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 9, world, &s),
	      MPIX_ERR_PROC_FAILED);
	CHECK(MPIX_Comm_failure_get_acked(world, &group), MPI_SUCCESS);
	EXPECT(group == MPI_GROUP_EMPTY);
	CHECK(MPIX_Comm_failure_ack(world), MPI_SUCCESS);
	CHECK(MPIX_Comm_failure_get_acked(world, &group), MPI_SUCCESS);
	MPI_Group_size(group, &n);
	EXPECT(n == 1);
	MPI_Group_free(&group);
	CHECK(MPI_Send(&rank, 1, MPI_INT, 2, 7, world), MPI_SUCCESS);
	CHECK(MPI_Wait(&r, &s), MPI_SUCCESS);
	EXPECT(x == 2 && s.MPI_SOURCE == 2 && r == MPI_REQUEST_NULL);
}

/* Collectives of all lengths fail on all ranks, and do not block. */
static void test_collectives(void)
{
	static double in[1 << 17], out[1 << 17];
	const int count[] = { 1, 1000, 1 << 17 };
	MPI_Request r;

	if (rank == 1)
		die();
	for (int i = 0; i < 3; i++) {
		CHECK(MPI_Allreduce(in, out, count[i], MPI_DOUBLE, MPI_SUM,
				    world),
		      MPIX_ERR_PROC_FAILED);
		CHECK(MPI_Iallreduce(in, out, count[i], MPI_DOUBLE, MPI_SUM,
				     world, &r) ||
			      MPI_Wait(&r, MPI_STATUS_IGNORE),
		      1);
	}
	CHECK(MPI_Barrier(world), MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, world),
	      MPIX_ERR_PROC_FAILED);
	/* also at ranks that exchange no message with the dead one */
	CHECK(MPI_Bcast(in, 1, MPI_INT, 0, world), MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, world),
	      MPIX_ERR_PROC_FAILED);
}

/*
 * Acknowledges the failure on all ranks. A rank on another host may not know of
 * the failure yet: then the agreement fails, also on a revoked communicator.
 */
static void acknowledge(MPI_Comm c)
{
	int err, flag = 1;

	do {
		MPIX_Comm_failure_ack(c);
		err = MPIX_Comm_agree(c, &flag);
	} while (class_of(err) == MPIX_ERR_PROC_FAILED);
	CHECK(err, MPI_SUCCESS);
}

/* A revocation interrupts waiting ranks; later operations are refused. */
static void test_revoke(void)
{
	static char data[1 << 22];
	MPI_Request r[3];
	MPI_Status s[3];
	MPI_Comm dup;
	int x, flag;

	CHECK(MPI_Comm_dup(world, &dup), MPI_SUCCESS);
	sync_all(world);
	if (rank == 1)
		die();
	if (rank == 0) {
		/* wait until the failure is detected */
		CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 7, dup, MPI_STATUS_IGNORE),
		      MPIX_ERR_PROC_FAILED);
		/* a revoked communicator refuses new requests */
		for (int i = 2; i < size; i++)
			CHECK(MPI_Recv(&x, 1, MPI_INT, i, 8, world,
				       MPI_STATUS_IGNORE),
			      MPI_SUCCESS);
		CHECK(MPIX_Comm_revoke(dup), MPI_SUCCESS);
	} else {
		int to = rank == size - 1 ? 0 : rank + 1;

		MPI_Irecv(&x, 1, MPI_INT, 0, 9, dup, &r[0]);
		MPI_Issend(data, sizeof(data), MPI_CHAR, to, 9, dup, &r[1]);
		MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 10, dup, &r[2]);
		CHECK(MPI_Send(&rank, 1, MPI_INT, 0, 8, world), MPI_SUCCESS);
		while (MPI_Waitall(3, r, s) == MPI_ERR_IN_STATUS &&
		       r[2] != MPI_REQUEST_NULL)
			MPIX_Comm_failure_ack(dup);
		CHECK(s[0].MPI_ERROR, MPIX_ERR_REVOKED);
		CHECK(s[2].MPI_ERROR, MPIX_ERR_REVOKED);
	}
	CHECK(MPIX_Comm_is_revoked(dup, &flag), MPI_SUCCESS);
	EXPECT(flag);
	CHECK(MPI_Send(&x, 1, MPI_INT, 0, 7, dup), MPIX_ERR_REVOKED);
	CHECK(MPI_Recv(&x, 1, MPI_INT, 0, 7, dup, s), MPIX_ERR_REVOKED);
	CHECK(MPI_Barrier(dup), MPIX_ERR_REVOKED);
	CHECK(MPI_Probe(0, 7, dup, s), MPIX_ERR_REVOKED);
	CHECK(MPI_Comm_dup(dup, &(MPI_Comm){ 0 }), MPIX_ERR_REVOKED);
	CHECK(MPIX_Comm_is_revoked(world, &flag), MPI_SUCCESS);
	EXPECT(!flag);
	/* rank 0 has not acknowledged the failure */
	flag = 1;
	CHECK(MPIX_Comm_agree(dup, &flag), MPIX_ERR_PROC_FAILED);
	acknowledge(dup);
	CHECK(MPI_Comm_free(&dup), MPI_SUCCESS);
}

/* Tests agreements: their flags, and the error for unacknowledged failures. */
static void test_agree(void)
{
	int flag = ~(1 << rank), got, x;
	MPI_Request r;

	CHECK(MPIX_Comm_agree(world, &flag), MPI_SUCCESS);
	EXPECT(flag == ~((1 << size) - 1));
	if (rank == 1)
		die();
	CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE),
	      MPIX_ERR_PROC_FAILED);
	flag = 3;
	CHECK(MPIX_Comm_agree(world, &flag), MPIX_ERR_PROC_FAILED);
	EXPECT(flag == 3);
	/* one rank does not acknowledge: the error is raised at all ranks */
	if (rank != 2)
		CHECK(MPIX_Comm_ack_failed(world, 1, &got), MPI_SUCCESS);
	flag = rank == 2 ? 6 : 3;
	CHECK(MPIX_Comm_iagree(world, &flag, &r), MPI_SUCCESS);
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
	EXPECT(flag == 2);
	CHECK(MPIX_Comm_ack_failed(world, size, &got), MPI_SUCCESS);
	EXPECT(got == 1);
	CHECK(MPIX_Comm_agree(world, &flag), MPI_SUCCESS);
	EXPECT(flag == 2);
}

/*
 * The failure is detected only during the call: an agreement without the
 * contribution of the failed rank reports the failure, and a shrink excludes
 * the failed rank.
 */
static void test_missing(void)
{
	MPI_Comm made;
	int flag = 1, n;

	if (rank == 1)
		die();
	CHECK(MPIX_Comm_agree(world, &flag), MPIX_ERR_PROC_FAILED);
	CHECK(MPIX_Comm_shrink(world, &made), MPI_SUCCESS);
	MPI_Comm_size(made, &n);
	EXPECT(n == size - 1);
	CHECK(MPI_Barrier(made), MPI_SUCCESS);
	CHECK(MPI_Comm_free(&made), MPI_SUCCESS);
}

/* Uses a window on c: every rank adds to a counter of rank 0. */
static void use_window(MPI_Comm c)
{
	int me, n, one = 1, *at;
	MPI_Win win;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	CHECK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, c, &at,
			       &win),
	      MPI_SUCCESS);
	*at = 0;
	CHECK(MPI_Win_fence(0, win), MPI_SUCCESS);
	CHECK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
	      MPI_SUCCESS);
	CHECK(MPI_Win_fence(0, win), MPI_SUCCESS);
	EXPECT(me || *at == n);
	CHECK(MPI_Win_free(&win), MPI_SUCCESS);
}

/* A shrunk communicator works, and can be shrunk again. */
static void test_shrink(void)
{
	MPI_Comm comm[3] = { world };
	int me, n, flag = 1;
	MPI_Request r;

	for (int k = 0; k < 2; k++) {
		MPI_Comm_rank(comm[k], &me);
		MPI_Comm_size(comm[k], &n);
		if (me == (k ? 0 : 1))
			die();
		if (k) {
			CHECK(MPIX_Comm_ishrink(comm[k], &comm[2], &r),
			      MPI_SUCCESS);
			CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
		} else {
			CHECK(MPIX_Comm_shrink(comm[k], &comm[1]), MPI_SUCCESS);
		}
		/* the death may be detected only after the shrink */
		while (use_comm(comm[k + 1], n - 1)) {
			MPI_Comm again;

			MPIX_Comm_revoke(comm[k + 1]);
			CHECK(MPIX_Comm_shrink(comm[k + 1], &again),
			      MPI_SUCCESS);
			MPI_Comm_free(&comm[k + 1]);
			comm[k + 1] = again;
		}
		use_window(comm[k + 1]);
		/*
		 * wait, so that no rank dies while another rank frees the
		 * window
		 */
		MPIX_Comm_agree(comm[k + 1], &flag);
	}
	CHECK(MPI_Comm_free(&comm[1]), MPI_SUCCESS);
	CHECK(MPI_Comm_free(&comm[2]), MPI_SUCCESS);
}

static long processor_us(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 +
	       r.ru_utime.tv_usec + r.ru_stime.tv_usec;
}

/* After a failure, threads of the library do not poll while a rank sleeps. */
static void test_idle(void)
{
	const struct timespec second = { .tv_sec = 1 };
	long before;
	int x;

	if (rank == 1)
		die();
	CHECK(MPI_Recv(&x, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE),
	      MPIX_ERR_PROC_FAILED);
	before = processor_us();
	nanosleep(&second, NULL);
	EXPECT(processor_us() - before < 100000);
}

/* All ranks die. */
static void test_all(void)
{
	die();
}

/* Checks errors that do not depend on a failed rank. */
static void test_errors(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, len;

	CHECK(MPI_Error_class(MPIX_ERR_PROC_FAILED, &class), MPI_SUCCESS);
	EXPECT(class == MPIX_ERR_PROC_FAILED);
	CHECK(MPI_Error_string(MPIX_ERR_REVOKED, text, &len), MPI_SUCCESS);
	EXPECT(!strcmp(text, "MPIX_ERR_REVOKED: the communicator is revoked"));
	CHECK(MPIX_Comm_agree(world, NULL), MPI_ERR_ARG);
	CHECK(MPIX_Comm_shrink(MPI_COMM_NULL, NULL), MPI_ERR_COMM);
	CHECK(MPIX_Comm_ack_failed(world, -1, &len), MPI_ERR_ARG);
	if (rank == 1)
		die();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "receive", test_receive },
		{ "send", test_send },
		{ "any_source", test_any_source },
		{ "collectives", test_collectives },
		{ "revoke", test_revoke },
		{ "agree", test_agree },
		{ "shrink", test_shrink },
		{ "errors", test_errors },
		{ "all", test_all },
		{ "missing", test_missing },
		{ "idle", test_idle },
	};

	fault_init();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[argc - 1], cases[i].name))
			cases[i].run();
	return fault_end();
}

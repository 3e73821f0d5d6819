/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks die at random moments, while all ranks communicate, agree and shrink.
 * The survivors repair their communicator and continue until the time limit.
 * Arguments: seed, number of ranks that die, the period in ms during which they
 * die, and the number of ranks that a fault plan ends (default 0).
 */
#include "test/mpi/fault/fault_t.h"

#include <time.h>

static unsigned seed;
static double limit_s; /* seconds after the start; no rank dies later */

/* Returns a random number that depends on the seed, and on a and b. */
static unsigned draw(unsigned a, unsigned b)
{
	unsigned x = seed * 2654435761u ^ a * 2246822519u ^ b * 3266489917u;

	x = (x ^ x >> 15) * 2246822519u;
	x = (x ^ x >> 13) * 3266489917u;
	return x ^ x >> 16;
}

/* Starts a timer that kills this process after s seconds. */
static void die_later(double s)
{
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL,
				.sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value.tv_nsec = 1 };
	timer_t timer;

	when.it_value.tv_sec = (time_t)s;
	when.it_value.tv_nsec += (long)((s - (double)(time_t)s) * 1e9);
	timer_create(CLOCK_MONOTONIC, &how, &timer);
	timer_settime(timer, 0, &when, NULL);
}

static void choose_victims(int victims)
{
	int order[1024];

	for (int i = 0; i < size; i++)
		order[i] = i;
	for (int i = 0; i < size; i++) {
		int j = i + (int)(draw(1, (unsigned)i) % (unsigned)(size - i));
		int t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (int i = 0; i < victims; i++)
		if (order[i] == rank)
			die_later(draw(2, (unsigned)rank) % 10000 * 1e-4 *
				  limit_s);
}

/* ---- operations ---------------------------------------------------------- */

static int do_allreduce(MPI_Comm c, int n)
{
	static double in[1 << 16], out[1 << 16];
	int me, ranks, err;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &ranks);
	for (int i = 0; i < n; i++)
		in[i] = me + i;
	err = MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, c);
	for (int i = 0; i < n && !err; i++)
		EXPECT(out[i] == ranks * (ranks - 1) / 2 + (double)i * ranks);
	return err;
}

static int do_ring(MPI_Comm c, int n)
{
	static char in[1 << 17], out[1 << 17];
	MPI_Request r[2];
	int me, ranks;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &ranks);
	memset(out, me, (size_t)n);
	if (MPI_Irecv(in, n, MPI_CHAR, (me + ranks - 1) % ranks, 3, c, &r[0]))
		return 1;
	if (MPI_Isend(out, n, MPI_CHAR, (me + 1) % ranks, 3, c, &r[1])) {
		MPI_Cancel(&r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		return 1;
	}
	return MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static int do_nonblocking(MPI_Comm c)
{
	int one = 1, sum = 0, ranks, err;
	MPI_Request r[2];

	MPI_Comm_size(c, &ranks);
	if (MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c, &r[0]))
		return 1;
	if (MPI_Ibarrier(c, &r[1])) {
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		return 1;
	}
	err = MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	EXPECT(err || sum == ranks);
	return err;
}

/*
 * If a rank dies during the call, a new communicator may exist on only some of
 * the members: the members agree before they use it.
 */
static int do_communicators(MPI_Comm c, int which)
{
	MPI_Comm made;
	int me, err, all;

	MPI_Comm_rank(c, &me);
	if (which == 0)
		err = MPI_Comm_dup(c, &made);
	else if (which == 1)
		err = MPI_Comm_split(c, me % 2, 0, &made);
	else
		err = MPIX_Comm_shrink(c, &made);
	if (err)
		MPIX_Comm_revoke(c);
	all = !err;
	if (MPIX_Comm_agree(c, &all))
		all = 0;
	if (err)
		return err;
	err = all ? MPI_Barrier(made) : 1;
	MPI_Comm_free(&made);
	return err;
}

static int do_alltoall(MPI_Comm c)
{
	int in[1024] = { 0 }, out[1024];

	return MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, c);
}

static int do_agree(MPI_Comm c)
{
	int flag = 5;
	int err = MPIX_Comm_agree(c, &flag);

	EXPECT(flag == 5);
	return err;
}

/* Executes an operation, the same on all ranks. */
static int work(MPI_Comm c, unsigned round)
{
	unsigned r = draw(3, round);

	switch (r % 10) {
	case 0:
		return do_allreduce(c, 1);
	case 1:
		return do_allreduce(c, 1000);
	case 2:
		return do_allreduce(c, 1 << 16);
	case 3:
		return do_ring(c, 8);
	case 4:
		return do_ring(c, 1 << 17);
	case 5:
		return do_nonblocking(c);
	case 6:
		return do_communicators(c, (int)(r >> 8) % 3);
	case 7:
		return do_alltoall(c);
	case 8:
		return do_agree(c);
	default:
		return MPI_Barrier(c);
	}
}

/* ---- rounds -------------------------------------------------------------- */

/* Returns a communicator of the survivors, which replaces c. */
static MPI_Comm repair(MPI_Comm c)
{
	MPI_Comm made;

	MPIX_Comm_revoke(c);
	CHECK(MPIX_Comm_shrink(c, &made), MPI_SUCCESS);
	if (failed)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
	CHECK(MPI_Comm_free(&c), MPI_SUCCESS);
	return made;
}

/*
 * Executes a round. Returns whether the time limit has passed, the same on all
 * ranks.
 */
static int round_run(MPI_Comm *c, unsigned *round, double start)
{
	int flag, err = work(*c, (*round)++);

	if (err && class_of(err) != MPI_ERR_IN_STATUS && err != 1)
		EXPECT(class_of(err) == MPIX_ERR_PROC_FAILED ||
		       class_of(err) == MPIX_ERR_REVOKED);
	if (err)
		MPIX_Comm_revoke(*c);
	flag = (!err) | (MPI_Wtime() - start > limit_s) << 1;
	err = MPIX_Comm_agree(*c, &flag);
	if (err || !(flag & 1))
		*c = repair(*c);
	return flag >> 1 & 1;
}

/* Uses the communicator. Returns whether that succeeded on all ranks. */
static int is_usable(MPI_Comm c)
{
	int flag = !use_comm(c, 0);

	if (!flag)
		MPIX_Comm_revoke(c);
	return !MPIX_Comm_agree(c, &flag) && flag;
}

int main(int argc, char **argv)
{
	unsigned round = 0;
	double start;
	MPI_Comm c;
	int left;

	if (argc < 4)
		return 2;
	fault_init();
	seed = (unsigned)atoi(argv[1]);
	limit_s = atoi(argv[3]) * 1e-3;
	CHECK(MPI_Comm_dup(world, &c), MPI_SUCCESS);
	sync_all(world);
	choose_victims(atoi(argv[2]));
	start = MPI_Wtime();
	while (!round_run(&c, &round, start))
		;
	/* the death of a rank at the end may not have been detected yet */
	while (!is_usable(c))
		c = repair(c);
	MPI_Comm_size(c, &left);
	EXPECT(left >= size - atoi(argv[2]) - (argc > 4 ? atoi(argv[4]) : 0));
	CHECK(MPI_Comm_free(&c), MPI_SUCCESS);
	return fault_end();
}

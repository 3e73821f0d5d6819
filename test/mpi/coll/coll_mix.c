/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs: each round has one nonblocking collective on each of several
 * communicators, with and without a class route, which are created and freed.
 * Every rank starts the collectives in a different order, with messages between
 * them, sometimes calls MPI_Test, and completes them by MPI_Waitall or
 * MPI_Waitany. All results are checked.
 *   coll_mix [seed [rounds]]
 */
#include "coll_t.h"

enum { COMMS = 8, ROOM = 24000, MESSAGES = 4, LIFE = 6 };

enum kind {
	BARRIER,
	BCAST,
	REDUCE,
	SUM,
	MAX,
	IN_PLACE,
	ALLGATHER,
	ALLTOALL,
	KINDS
};

/* An operation; equal on all ranks except for the buffers. */
struct op {
	enum kind kind;
	int n; /* number of elements of a block */
	unsigned root;
	MPI_Comm comm;
	int rank, size; /* rank and size in the communicator */
	double in[ROOM], out[ROOM];
};

static int rank, size;
static struct op op[COMMS];

static double value(int k, int from, int i)
{
	return from + i % 97 + k;
}

/* ---- one operation ------------------------------------------------------- */

static void op_draw(struct op *o, unsigned *seed)
{
	static const int longest[] = { 16, 16, 16, 1500, 1500, ROOM };
	int n = 1 +
		(int)(coll_rand(seed) % (unsigned)longest[coll_rand(seed) % 6]);

	o->kind = (enum kind)(coll_rand(seed) % KINDS);
	o->n = o->kind >= ALLGATHER && n > ROOM / size ? ROOM / size : n;
	o->root = coll_rand(seed);
}

static void op_fill(struct op *o, int k)
{
	int n = o->kind == ALLTOALL ? o->n * o->size : o->n;

	for (int i = 0; i < n; i++) {
		o->in[i] = value(k, o->rank, i);
		o->out[i] = o->kind == IN_PLACE ? o->in[i] : -1;
	}
	if (o->kind == BCAST && o->rank == (int)o->root % o->size)
		memcpy(o->out, o->in, (size_t)n * sizeof(double));
}

static void op_start(struct op *o, int k, MPI_Request *r)
{
	int root = (int)(o->root % (unsigned)o->size);

	op_fill(o, k);
	switch (o->kind) {
	case BCAST:
		MPI_Ibcast(o->out, o->n, MPI_DOUBLE, root, o->comm, r);
		break;
	case REDUCE:
		MPI_Ireduce(o->in, o->out, o->n, MPI_DOUBLE, MPI_SUM, root,
			    o->comm, r);
		break;
	case SUM:
	case MAX:
		MPI_Iallreduce(o->in, o->out, o->n, MPI_DOUBLE,
			       o->kind == SUM ? MPI_SUM : MPI_MAX, o->comm, r);
		break;
	case IN_PLACE:
		MPI_Iallreduce(MPI_IN_PLACE, o->out, o->n, MPI_DOUBLE, MPI_MIN,
			       o->comm, r);
		break;
	case ALLGATHER:
		MPI_Iallgather(o->in, o->n, MPI_DOUBLE, o->out, o->n,
			       MPI_DOUBLE, o->comm, r);
		break;
	case ALLTOALL:
		MPI_Ialltoall(o->in, o->n, MPI_DOUBLE, o->out, o->n, MPI_DOUBLE,
			      o->comm, r);
		break;
	default:
		MPI_Ibarrier(o->comm, r);
	}
}

/*
 * Returns the expected element i of the result; -1: the element must be
 * unchanged.
 */
static double op_want(const struct op *o, int k, int i)
{
	int p = o->size, root = (int)(o->root % (unsigned)p), from = i / o->n;
	double sum = p * value(k, 0, i) + p * (p - 1) / 2;

	switch (o->kind) {
	case BCAST:
		return value(k, root, i);
	case REDUCE:
		return o->rank == root ? sum : -1;
	case SUM:
		return sum;
	case MAX:
		return value(k, p - 1, i);
	case IN_PLACE:
		return value(k, 0, i);
	case ALLGATHER:
		return value(k, from, i % o->n);
	case ALLTOALL:
		return value(k, from, o->rank * o->n + i % o->n);
	default:
		return -1;
	}
}

static void op_check(const struct op *o, int k)
{
	int n = o->kind >= ALLGATHER ? o->n * o->size : o->n;

	for (int i = 0; o->kind != BARRIER && i < n; i++)
		CHECK(o->out[i] == op_want(o, k, i));
}

/* ---- communicators ------------------------------------------------------- */

static void comm_make(struct op *o, unsigned *seed)
{
	unsigned x = coll_rand(seed);
	int color = (int)((unsigned)rank * (1 + x % 5) + (x >> 4)) % 3;

	if (x % 3 == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &o->comm);
	else
		MPI_Comm_split(MPI_COMM_WORLD,
			       x % 7 == 1 && !color ? MPI_UNDEFINED : color,
			       x & 64 ? -rank : rank, &o->comm);
	x = coll_rand(seed) % 4;
	if (o->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(o->comm, &o->rank);
	MPI_Comm_size(o->comm, &o->size);
	while (x--)
		MPI_Barrier(o->comm);
}

static void comms_renew(int round, unsigned *seed)
{
	for (int k = 0; k < COMMS; k++) {
		if (round && op[k].comm != MPI_COMM_NULL)
			MPI_Comm_free(&op[k].comm);
		comm_make(&op[k], seed);
	}
}

/* ---- one round ----------------------------------------------------------- */

static void shuffle(int *order, unsigned *seed)
{
	for (int i = 0; i < COMMS; i++)
		order[i] = i;
	for (int i = COMMS - 1; i > 0; i--) {
		int j = (int)(coll_rand(seed) % (unsigned)(i + 1));
		int t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
}

static void wait_for(MPI_Request *r, int n, int one_by_one)
{
	int i = 0;

	if (!one_by_one)
		MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
	while (one_by_one && i != MPI_UNDEFINED)
		MPI_Waitany(n, r, &i, MPI_STATUS_IGNORE);
}

static void run_round(unsigned *seed, unsigned *own)
{
	MPI_Request r[COMMS + MESSAGES];
	int order[COMMS], got[MESSAGES], n = MESSAGES, flag;
	int distance = 1 + (int)(coll_rand(seed) % (unsigned)size);

	for (int k = 0; k < COMMS; k++)
		op_draw(&op[k], seed);
	for (int i = 0; i < MESSAGES; i++)
		MPI_Irecv(&got[i], 1, MPI_INT,
			  (rank + size * 2 - distance) % size, i,
			  MPI_COMM_WORLD, &r[i]);
	shuffle(order, own);
	for (int i = 0; i < COMMS; i++) {
		int k = order[i];

		if (op[k].comm != MPI_COMM_NULL)
			op_start(&op[k], k, &r[n++]);
		if (i < MESSAGES)
			MPI_Send(&rank, 1, MPI_INT, (rank + distance) % size, i,
				 MPI_COMM_WORLD);
		if (coll_rand(own) % 3 == 0)
			MPI_Test(&r[coll_rand(own) % (unsigned)n], &flag,
				 MPI_STATUS_IGNORE);
	}
	wait_for(r, n, coll_rand(own) & 1);
	for (int i = 0; i < MESSAGES; i++)
		CHECK(got[i] == (rank + size * 2 - distance) % size);
	for (int k = 0; k < COMMS; k++) {
		if (op[k].comm != MPI_COMM_NULL)
			op_check(&op[k], k);
	}
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1, own;
	int rounds = argc > 2 ? atoi(argv[2]) : 24;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	own = seed * 977 + (unsigned)rank * 7919 + 1;
	for (int round = 0; round < rounds; round++) {
		if (round % LIFE == 0)
			comms_renew(round, &seed);
		run_round(&seed, &own);
	}
	MPI_Finalize();
	return 0;
}

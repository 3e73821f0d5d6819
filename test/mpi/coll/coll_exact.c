/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact sums (info key weft_exact): every reduction of doubles by MPI_SUM
 * returns the sum over all ranks, rounded once, blocking, nonblocking and
 * persistent, in place or not, on intra- and intercommunicators. The expected
 * sum is computed in 128-bit integers.
 *
 *   coll_exact [longest]
 */
#include "coll_t.h"

#include <math.h>
#include <stdbool.h>

enum call { ALLREDUCE, REDUCE, REDSCAT_BLOCK, REDSCAT, SCAN, EXSCAN, CALLS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int world, nworld;

struct trial {
	MPI_Comm comm;
	int rank, size;	 /* rank and size in the group that gets the result */
	int first, last; /* world ranks that contribute */
	int step;
	bool inter;
	enum call call;
	enum form form;
	bool in_place;
	int n, root;
	int *counts;
	double *in, *out;
};

/*
 * Returns element e of a world rank in units of 2^-40: 53 random bits, shifted
 * left by 0 to 45 bits.
 */
static __int128 units(int rank, long e)
{
	uint64_t h = (uint64_t)(rank + 1) * 0x9e3779b97f4a7c15u +
		     (uint64_t)(e % 1000) * 0xd6e8feb86659fd93u;
	int64_t m;

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	h ^= h >> 32;
	m = (int64_t)(h >> 11);
	return (__int128)(h & 1 ? m : -m) << (h >> 3) % 46;
}

static double element_of(int rank, long e)
{
	return ldexp((double)units(rank, e), -40);
}

/*
 * Returns the sum over the ranks `from`, `from` + `step`, ... `to`; the
 * conversion to double rounds to nearest even.
 */
static double sum(int from, int to, int step, long e)
{
	__int128 s = 0;

	for (int r = from; r <= to; r += step)
		s += units(r, e);
	return ldexp((double)s, -40);
}

static long total_count(const struct trial *x)
{
	long all = 0;

	for (int r = 0; r < x->size; r++)
		all += x->counts[r];
	return x->call == REDSCAT || x->call == REDSCAT_BLOCK ? all : x->n;
}

static void run(struct trial *x)
{
	const void *s = x->in_place ? MPI_IN_PLACE : x->in;
	void *r = x->out;

	switch (x->call) {
	case ALLREDUCE:
		MPI_Allreduce(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->comm);
		break;
	case REDUCE:
		MPI_Reduce(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->root, x->comm);
		break;
	case REDSCAT_BLOCK:
		MPI_Reduce_scatter_block(s, r, x->n, MPI_DOUBLE, MPI_SUM,
					 x->comm);
		break;
	case REDSCAT:
		MPI_Reduce_scatter(s, r, x->counts, MPI_DOUBLE, MPI_SUM,
				   x->comm);
		break;
	case SCAN:
		MPI_Scan(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->comm);
		break;
	default:
		MPI_Exscan(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->comm);
		break;
	}
}

static void start(struct trial *x, MPI_Request *q)
{
	const void *s = x->in_place ? MPI_IN_PLACE : x->in;
	void *r = x->out;
	MPI_Comm c = x->comm;

	switch (x->call) {
	case ALLREDUCE:
		MPI_Iallreduce(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, q);
		break;
	case REDUCE:
		MPI_Ireduce(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->root, c, q);
		break;
	case REDSCAT_BLOCK:
		MPI_Ireduce_scatter_block(s, r, x->n, MPI_DOUBLE, MPI_SUM, c,
					  q);
		break;
	case REDSCAT:
		MPI_Ireduce_scatter(s, r, x->counts, MPI_DOUBLE, MPI_SUM, c, q);
		break;
	case SCAN:
		MPI_Iscan(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, q);
		break;
	default:
		MPI_Iexscan(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, q);
		break;
	}
}

static void make(struct trial *x, MPI_Request *q)
{
	const void *s = x->in_place ? MPI_IN_PLACE : x->in;
	void *r = x->out;
	MPI_Comm c = x->comm;
	MPI_Info i = MPI_INFO_NULL;

	switch (x->call) {
	case ALLREDUCE:
		MPI_Allreduce_init(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, i, q);
		break;
	case REDUCE:
		MPI_Reduce_init(s, r, x->n, MPI_DOUBLE, MPI_SUM, x->root, c, i,
				q);
		break;
	case REDSCAT_BLOCK:
		MPI_Reduce_scatter_block_init(s, r, x->n, MPI_DOUBLE, MPI_SUM,
					      c, i, q);
		break;
	case REDSCAT:
		MPI_Reduce_scatter_init(s, r, x->counts, MPI_DOUBLE, MPI_SUM, c,
					i, q);
		break;
	case SCAN:
		MPI_Scan_init(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, i, q);
		break;
	default:
		MPI_Exscan_init(s, r, x->n, MPI_DOUBLE, MPI_SUM, c, i, q);
		break;
	}
}

static void fill(struct trial *x, long n)
{
	double *to = x->in_place ? x->out : x->in;

	for (long e = 0; e < n; e++)
		to[e] = element_of(world, e);
}

static void run_form(struct trial *x, long n)
{
	MPI_Request q;

	fill(x, n);
	if (x->form == BLOCKING) {
		run(x);
		return;
	}
	if (x->form == NONBLOCKING)
		start(x, &q);
	else
		make(x, &q);
	if (x->form == PERSISTENT) {
		MPI_Start(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		fill(x, n);
		MPI_Start(&q);
	}
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (x->form == PERSISTENT)
		MPI_Request_free(&q);
}

static void check(const struct trial *x)
{
	int last = x->last, n = x->n;
	long first = 0;

	if (x->call == REDUCE && x->root != (x->inter ? MPI_ROOT : x->rank))
		return;
	if (x->call == SCAN || x->call == EXSCAN)
		last = x->first + (x->rank - (x->call == EXSCAN)) * x->step;
	if (x->call == EXSCAN && !x->rank)
		return;
	if (x->call == REDSCAT || x->call == REDSCAT_BLOCK) {
		for (int r = 0; r < x->rank; r++)
			first += x->counts[r];
		n = x->counts[x->rank];
	}
	for (int e = 0; e < n; e++)
		CHECK(x->out[e] == sum(x->first, last, x->step, first + e));
}

static void try(struct trial *x)
{
	double *mine;
	long n;

	x->counts = coll_malloc(sizeof(int) * (size_t)x->size);
	for (int r = 0; r < x->size; r++)
		x->counts[r] = x->n;
	/* different counts with the same total in both groups */
	for (int r = 0; x->call == REDSCAT && r + 1 < x->size; r += 2) {
		x->counts[r] += x->n / 2;
		x->counts[r + 1] -= x->n / 2;
	}
	n = total_count(x);
	x->in = coll_malloc(sizeof(double) * (size_t)n);
	x->out = mine = coll_malloc(sizeof(double) * (size_t)n);
	/* a rank without a result passes an invalid address */
	if (x->call == REDUCE && x->root != (x->inter ? MPI_ROOT : x->rank))
		x->out = (double *)16;
	run_form(x, n);
	check(x);
	free(x->counts);
	free(x->in);
	free(mine);
}

static int counts[] = { 1, 3, 100, 9000 };

/*
 * Runs all trials on a communicator of all ranks (step 1) or of every second
 * rank (step 2).
 */
static void within(int step, MPI_Info info)
{
	struct trial x = { .first = world % step, .step = step };
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, world % step, world, &comm);
	MPI_Comm_rank(comm, &x.rank);
	MPI_Comm_size(comm, &x.size);
	x.last = x.first + (x.size - 1) * step;
	for (int call = 0; call < CALLS; call++)
		for (int form = 0; form < FORMS; form++) {
			MPI_Comm_dup(comm, &x.comm);
			MPI_Comm_set_info(x.comm, info);
			x.call = (enum call)call;
			x.form = (enum form)form;
			for (size_t i = 0; i < N_OF(counts); i++) {
				x.n = counts[i];
				x.root = (int)i % x.size;
				x.in_place =
					(i + (size_t)form) % 2 &&
					(call != REDUCE || x.rank == x.root);
				try(&x);
			}
			MPI_Comm_free(&x.comm);
		}
	MPI_Comm_free(&comm);
}

/*
 * Runs trials on an intercommunicator between the first half of the ranks and
 * the others; each group gets the sum over the other group.
 */
static void between(MPI_Info info)
{
	int cut = nworld / 2, here = world >= cut;
	struct trial x = { .inter = true, .step = 1 };
	MPI_Comm half;

	x.first = here ? 0 : cut;
	x.last = here ? cut - 1 : nworld - 1;
	MPI_Comm_split(MPI_COMM_WORLD, here, world, &half);
	MPI_Comm_rank(half, &x.rank);
	MPI_Comm_size(half, &x.size);
	for (int form = 0; form < FORMS; form++) {
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, here ? 0 : cut, 7,
				     &x.comm);
		MPI_Comm_set_info(x.comm, info);
		x.form = (enum form)form;
		for (size_t i = 0; i < N_OF(counts); i++) {
			x.n = counts[i];
			x.call = ALLREDUCE;
			try(&x);
			x.call = REDUCE;
			/* the root is rank 0 of the first half */
			x.root = here ? 0 : world ? MPI_PROC_NULL : MPI_ROOT;
			try(&x);
			/* the total count must be the same in both groups */
			x.call = REDSCAT_BLOCK;
			x.n = counts[i] * (here ? cut : nworld - cut);
			if (x.n < 100000)
				try(&x);
		}
		MPI_Comm_free(&x.comm);
	}
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Info info;

	MPI_Init(&argc, &argv);
	for (size_t i = 0; argc > 1 && i < N_OF(counts); i++)
		if (counts[i] > atoi(argv[1]))
			counts[i] = atoi(argv[1]);
	MPI_Comm_rank(MPI_COMM_WORLD, &world);
	MPI_Comm_size(MPI_COMM_WORLD, &nworld);
	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_exact", "true");
	within(1, info);
	within(2, info);
	if (nworld > 1)
		between(info);
	MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}

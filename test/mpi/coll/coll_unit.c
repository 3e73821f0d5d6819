/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares results of the collective unit with a naive implementation: all
 * operations and types, roots, lengths, in place or not, on the world and on
 * subsets of many shapes, with the unit forced and disabled; then thousands of
 * operations with skew.
 *
 *   coll_unit [operations [longest in bytes]]
 */
#include "coll_t.h"

#define KINDS 5

/* A test type; values are small, so that every result is exact. */
struct type {
	MPI_Datatype mpi;
	int bytes;
	char kind; /* i: signed, u: unsigned, f: floating point */
};

static struct type types[] = {
	{ MPI_INT8_T, 1, 'i' },	 { MPI_UINT8_T, 1, 'u' },
	{ MPI_INT16_T, 2, 'i' }, { MPI_UINT16_T, 2, 'u' },
	{ MPI_INT32_T, 4, 'i' }, { MPI_UINT32_T, 4, 'u' },
	{ MPI_INT64_T, 8, 'i' }, { MPI_UINT64_T, 8, 'u' },
	{ MPI_FLOAT, 4, 'f' },	 { MPI_DOUBLE, 8, 'f' },
};

static MPI_Op ops[6];
static long longest = 1 << 16;

static long value(int rank, long e, const struct type *t)
{
	long v = (rank * 7 + e * 3) % 5;

	return t->kind == 'u' ? v : v - 2;
}

static long combine(int op, long a, long b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a < b ? a : b;
	case 2:
		return a > b ? a : b;
	case 3:
		return a & b;
	case 4:
		return a | b;
	default:
		return a ^ b;
	}
}

static void put(void *at, long e, const struct type *t, long v)
{
	if (t->kind == 'f' && t->bytes == 4)
		((float *)at)[e] = (float)v;
	else if (t->kind == 'f')
		((double *)at)[e] = (double)v;
	else if (t->bytes == 1)
		((int8_t *)at)[e] = (int8_t)v;
	else if (t->bytes == 2)
		((int16_t *)at)[e] = (int16_t)v;
	else if (t->bytes == 4)
		((int32_t *)at)[e] = (int32_t)v;
	else
		((int64_t *)at)[e] = v;
}

/*
 * Computes the expected result; values, and therefore results, repeat every
 * five elements.
 */
static void expect(void *want, long n, const struct type *t, int op, int size)
{
	long period[5];

	for (long e = 0; e < 5; e++) {
		period[e] = value(0, e, t);
		for (int r = 1; r < size; r++)
			period[e] = combine(op, period[e], value(r, e, t));
	}
	for (long e = 0; e < n; e++)
		put(want, e, t, period[e % 5]);
}

struct job {
	MPI_Comm comm;
	int rank;
	int size;
	char *in, *out, *want;
};

static void fill(const struct job *j, void *at, long n, const struct type *t)
{
	for (long e = 0; e < n; e++)
		put(at, e, t, value(j->rank, e, t));
}

static void try_reduction(struct job *j, int t, int op, long n, int root,
			  int in_place)
{
	const struct type *ty = &types[t];
	size_t bytes = (size_t)(n * ty->bytes);
	int here = root < 0 || root == j->rank;
	void *send = in_place && here ? MPI_IN_PLACE : j->in;

	fill(j, in_place && here ? j->out : j->in, n, ty);
	if (root < 0)
		MPI_Allreduce(send, j->out, (int)n, ty->mpi, ops[op], j->comm);
	else
		MPI_Reduce(send, j->out, (int)n, ty->mpi, ops[op], root,
			   j->comm);
	if (!here)
		return;
	expect(j->want, n, ty, op, j->size);
	CHECK(!memcmp(j->out, j->want, bytes));
}

static void try_bcast(struct job *j, long bytes, int root)
{
	memset(j->out, j->rank == root ? 1 + (int)bytes % 100 : 0,
	       (size_t)bytes);
	MPI_Bcast(j->out, (int)bytes, MPI_BYTE, root, j->comm);
	for (long i = 0; i < bytes; i++)
		if (j->out[i] != 1 + (int)bytes % 100)
			CHECK(!"bytes of the broadcast");
}

static void try_blocks(struct job *j, int n, int root)
{
	int *in = (int *)j->in, *out = (int *)j->out;

	for (int r = 0; r < j->size; r++)
		for (int e = 0; e < n; e++)
			in[r * n + e] = coll_val(j->rank, r, e);
	MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, j->comm);
	for (int r = 0; r < j->size; r++)
		for (int e = 0; e < n; e++)
			CHECK(out[r * n + e] == coll_val(r, j->rank, e));
	MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, j->comm);
	for (int r = 0; r < j->size; r++)
		CHECK(!n || out[r * n] == coll_val(r, 0, 0));
	MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, j->comm);
	for (int r = 0; j->rank == root && r < j->size; r++)
		CHECK(!n || out[r * n + n - 1] == coll_val(r, 0, n - 1));
	MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, j->comm);
	for (int e = 0; e < n; e++)
		CHECK(out[e] == coll_val(root, j->rank, e));
	MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, j->comm);
	for (int e = 0; e < n; e++) {
		int sum = 0;

		for (int r = 0; r < j->size; r++)
			sum += coll_val(r, j->rank, e);
		CHECK(out[e] == sum);
	}
}

/*
 * Lengths near the size of a cache line, of a packet, and of the path for long
 * vectors.
 */
static const long lengths[] = { 1,     2,      6,	7,	48,    49,
				511,   513,    4096,	4099,	16384, 32770,
				65544, 131073, 1048576, 4194304 };

static void try_comm(MPI_Comm comm, unsigned seed, int rounds)
{
	struct job j = { .comm = comm };
	size_t room;

	MPI_Comm_rank(comm, &j.rank);
	MPI_Comm_size(comm, &j.size);
	room = (size_t)longest + 4096 * (size_t)j.size;
	j.in = malloc(room);
	j.out = malloc(room);
	j.want = malloc(room);
	CHECK(j.in && j.out && j.want);
	for (int k = 0; k < 4; k++)
		MPI_Barrier(comm);
	for (int t = 0; t < (int)N_OF(types); t++)
		for (int op = 0; op < (types[t].kind == 'f' ? 3 : 6); op++)
			try_reduction(&j, t, op, 9, -1, op & 1);
	for (int r = 0; r < j.size; r++) {
		try_reduction(&j, 9, 0, 5, r, r & 1);
		try_bcast(&j, 33, r);
		try_blocks(&j, 3, r);
	}
	for (int i = 0; i < rounds; i++) {
		long bytes = lengths[coll_rand(&seed) % N_OF(lengths)];
		int t = (int)(coll_rand(&seed) % N_OF(types));
		int op = (int)coll_rand(&seed) % (types[t].kind == 'f' ? 3 : 6);
		int root = (int)coll_rand(&seed) % j.size;
		int what = (int)coll_rand(&seed) % KINDS;
		long n;

		if (bytes > longest)
			bytes = coll_rand(&seed) % 4096;
		n = bytes / types[t].bytes;
		coll_skew(&seed, j.rank);
		if (what == 0)
			MPI_Barrier(comm);
		else if (what == 1)
			try_bcast(&j, bytes, root);
		else if (what == 2)
			try_reduction(&j, t, op, n, root, i & 1);
		else if (what == 3)
			try_reduction(&j, t, op, n, -1, i & 1);
		else
			try_blocks(&j, (int)(bytes % 200), root);
	}
	free(j.in);
	free(j.out);
	free(j.want);
}

/* Forces the collective unit on comm, or disables it. */
static void force(MPI_Comm comm, const char *how)
{
	static const char *const kinds[] = {
		"barrier", "bcast",   "reduce",	  "allreduce",	   "allgather",
		"gather",  "scatter", "alltoall", "reduce_scatter"
	};
	static const char *const soft[] = {
		"dissemination", "binomial", "binomial", "recdbl", "bruck",
		"linear",	 "linear",   "linear",	 "ordered"
	};
	MPI_Info info;
	char key[64];

	MPI_Info_create(&info);
	for (size_t i = 0; i < N_OF(kinds); i++) {
		snprintf(key, sizeof(key), "weft_coll_%s", kinds[i]);
		MPI_Info_set(info, key, *how == 'u' ? how : soft[i]);
	}
	MPI_Comm_set_info(comm, info);
	MPI_Info_free(&info);
}

/*
 * Returns the color of a rank in split number s: lines, planes, irregular
 * subsets.
 */
static int color(int s, int rank, int size)
{
	switch (s) {
	case 0:
		return rank % 2;
	case 1:
		return rank / 2;
	case 2:
		return rank < size / 3;
	case 3:
		return rank / 4;
	case 4:
		return rank % 3;
	default:
		return (rank * 5 + 1) % 7 < 3;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 60;
	int rank, size;
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	if (argc > 2)
		longest = atol(argv[2]);
	ops[0] = MPI_SUM, ops[1] = MPI_MIN, ops[2] = MPI_MAX;
	ops[3] = MPI_BAND, ops[4] = MPI_BOR, ops[5] = MPI_BXOR;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	try_comm(MPI_COMM_WORLD, 1, rounds);
	for (int s = 0; s < 6; s++) {
		/* every second split reverses the order of the ranks */
		MPI_Comm_split(MPI_COMM_WORLD, color(s, rank, size),
			       s & 1 ? -rank : rank, &comm);
		try_comm(comm, (unsigned)s + 2, rounds / 4);
		MPI_Comm_free(&comm);
	}
	for (int soft = 0; soft < 2; soft++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		force(comm, soft ? "software" : "unit");
		try_comm(comm, 99, rounds / 2);
		MPI_Comm_free(&comm);
	}
	MPI_Finalize();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives whose two buffers are both MPI_BOTTOM: the types contain the
 * addresses, so equal buffer arguments do not mean the same memory. Every
 * operation, blocking, nonblocking and persistent, with every algorithm.
 */
#include "coll_t.h"

enum { N = 3, WAYS = 3 };

static MPI_Comm comm;
static int rank, size;
static int *out, *in; /* buffers of N ints per rank */
static MPI_Op compose;

/*
 * Makes one call. mode 0: blocking, 1: nonblocking, 2: persistent. MPI_Start
 * and completion are in call_end().
 */
#define CALL(mode, Name, Iname, ...)                                        \
	do {                                                                \
		MPI_Request req_ = MPI_REQUEST_NULL;                        \
                                                                            \
		if ((mode) == 0)                                            \
			MPI_##Name(__VA_ARGS__, comm);                      \
		else if ((mode) == 1)                                       \
			MPI_##Iname(__VA_ARGS__, comm, &req_);              \
		else                                                        \
			MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, \
					  &req_);                           \
		call_end(mode, &req_);                                      \
	} while (0)

static void call_end(int mode, MPI_Request *req)
{
	if (mode == 2)
		MPI_Start(req);
	if (mode)
		MPI_Wait(req, MPI_STATUS_IGNORE);
	if (mode == 2)
		MPI_Request_free(req);
}

/* Returns a type of n ints at their absolute address, for MPI_BOTTOM. */
static MPI_Datatype type_at_address(const int *at, int n)
{
	MPI_Datatype t;
	MPI_Aint addr;

	MPI_Get_address(at, &addr);
	MPI_Type_create_hindexed(1, &n, &addr, MPI_INT, &t);
	MPI_Type_commit(&t);
	return t;
}

static void reset_buffers(void)
{
	for (int q = 0; q < size; q++)
		for (int e = 0; e < N; e++) {
			out[q * N + e] = coll_val(rank, q, e);
			in[q * N + e] = -1;
		}
}

/*
 * Checks that block b of the receive buffer is the block that rank `from` sent
 * to rank `to`.
 */
static void check_block(int b, int from, int to)
{
	for (int e = 0; e < N; e++)
		CHECK(in[b * N + e] == coll_val(from, to, e));
}

/* ---- blocks of one length ------------------------------------------------ */

static void test_gather(int mode)
{
	MPI_Datatype s = type_at_address(out, N), r = type_at_address(in, N);

	for (int root = 0; root < size; root++) {
		reset_buffers();
		CALL(mode, Gather, Igather, MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, r,
		     root);
		for (int q = 0; q < size && rank == root; q++)
			check_block(q, q, 0);
	}
	MPI_Type_free(&s);
	MPI_Type_free(&r);
}

static void test_scatter(int mode)
{
	MPI_Datatype s = type_at_address(out, N), r = type_at_address(in, N);

	for (int root = 0; root < size; root++) {
		reset_buffers();
		CALL(mode, Scatter, Iscatter, MPI_BOTTOM, 1, s, MPI_BOTTOM, 1,
		     r, root);
		check_block(0, root, rank);
	}
	MPI_Type_free(&s);
	MPI_Type_free(&r);
}

static void test_allgather(int mode)
{
	MPI_Datatype s = type_at_address(out, N), r = type_at_address(in, N);

	reset_buffers();
	CALL(mode, Allgather, Iallgather, MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, r);
	for (int q = 0; q < size; q++)
		check_block(q, q, 0);
	MPI_Type_free(&s);
	MPI_Type_free(&r);
}

static void test_alltoall(int mode)
{
	MPI_Datatype s = type_at_address(out, N), r = type_at_address(in, N);

	reset_buffers();
	CALL(mode, Alltoall, Ialltoall, MPI_BOTTOM, 1, s, MPI_BOTTOM, 1, r);
	for (int q = 0; q < size; q++)
		check_block(q, q, rank);
	MPI_Type_free(&s);
	MPI_Type_free(&r);
}

/* ---- blocks of different lengths ----------------------------------------- */

/* Block q is received at the position of block size - 1 - q. */
struct lists {
	int *counts;
	int *forth;
	int *back;
	MPI_Datatype s, r;
};

static struct lists lists_open(void)
{
	struct lists l = { coll_malloc(sizeof(int) * (size_t)size),
			   coll_malloc(sizeof(int) * (size_t)size),
			   coll_malloc(sizeof(int) * (size_t)size),
			   type_at_address(out, N), type_at_address(in, N) };

	for (int q = 0; q < size; q++) {
		l.counts[q] = 1;
		l.forth[q] = q;
		l.back[q] = size - 1 - q;
	}
	reset_buffers();
	return l;
}

static void lists_close(struct lists *l)
{
	free(l->counts);
	free(l->forth);
	free(l->back);
	MPI_Type_free(&l->s);
	MPI_Type_free(&l->r);
}

static void test_rooted_lists(int mode)
{
	struct lists l = lists_open();

	for (int root = 0; root < size; root++) {
		reset_buffers();
		CALL(mode, Gatherv, Igatherv, MPI_BOTTOM, 1, l.s, MPI_BOTTOM,
		     l.counts, l.back, l.r, root);
		for (int q = 0; q < size && rank == root; q++)
			check_block(size - 1 - q, q, 0);
		reset_buffers();
		CALL(mode, Scatterv, Iscatterv, MPI_BOTTOM, l.counts, l.forth,
		     l.s, MPI_BOTTOM, 1, l.r, root);
		check_block(0, root, rank);
	}
	lists_close(&l);
}

static void test_lists(int mode)
{
	struct lists l = lists_open();

	CALL(mode, Allgatherv, Iallgatherv, MPI_BOTTOM, 1, l.s, MPI_BOTTOM,
	     l.counts, l.back, l.r);
	for (int q = 0; q < size; q++)
		check_block(size - 1 - q, q, 0);
	reset_buffers();
	CALL(mode, Alltoallv, Ialltoallv, MPI_BOTTOM, l.counts, l.forth, l.s,
	     MPI_BOTTOM, l.counts, l.back, l.r);
	for (int q = 0; q < size; q++)
		check_block(size - 1 - q, q, rank);
	lists_close(&l);
}

static void test_types(int mode)
{
	MPI_Datatype *t = coll_malloc(sizeof(*t) * 2 * (size_t)size);
	int *one = coll_malloc(sizeof(int) * 2 * (size_t)size);
	int *zero = one + size;

	reset_buffers();
	for (int q = 0; q < size; q++) {
		one[q] = 1;
		zero[q] = 0;
		t[q] = type_at_address(out + q * N, N);
		t[size + q] = type_at_address(in + q * N, N);
	}
	CALL(mode, Alltoallw, Ialltoallw, MPI_BOTTOM, one, zero, t, MPI_BOTTOM,
	     one, zero, t + size);
	for (int q = 0; q < size; q++)
		check_block(q, q, rank);
	for (int q = 0; q < 2 * size; q++)
		MPI_Type_free(&t[q]);
	free(t);
	free(one);
}

/* ---- reductions ---------------------------------------------------------- */

/* Composes maps x -> a x + b; the type contains the address of the ints. */
static void compose_fn(void *a, void *b, int *n, MPI_Datatype *type)
{
	MPI_Aint lb, extent;
	const unsigned *l;
	unsigned *r;

	MPI_Type_get_true_extent(*type, &lb, &extent);
	l = (const unsigned *)((uintptr_t)a + (uintptr_t)lb);
	r = (unsigned *)((uintptr_t)b + (uintptr_t)lb);
	CHECK(*n == 1 && extent == 2 * sizeof(int));
	r[1] = l[0] * r[1] + l[1];
	r[0] *= l[0];
}

static void pair_of(int q, unsigned *v)
{
	v[0] = (unsigned)coll_val(q, 1, 0) | 1;
	v[1] = (unsigned)coll_val(q, 2, 0);
}

/* Checks the result of a reduction over ranks 0 .. hi - 1. */
static void check_reduction(int hi)
{
	unsigned acc[2], v[2];

	pair_of(hi - 1, acc);
	for (int q = hi - 2; q >= 0; q--) {
		pair_of(q, v);
		acc[1] = v[0] * acc[1] + v[1];
		acc[0] *= v[0];
	}
	CHECK((unsigned)in[0] == acc[0] && (unsigned)in[1] == acc[1]);
}

/*
 * Returns the datatype of the operand at `out`, for MPI_BOTTOM as send buffer.
 * *there_p: receive buffer with which this datatype describes the result at
 * `in`.
 */
static MPI_Datatype operand(void **there_p)
{
	reset_buffers();
	pair_of(rank, (unsigned *)out);
	*there_p = (void *)((uintptr_t)in - (uintptr_t)out);
	return type_at_address(out, 2);
}

static void test_reduce(int mode)
{
	for (int root = 0; root < size; root++) {
		MPI_Datatype t;
		void *to;

		t = operand(&to);
		CALL(mode, Reduce, Ireduce, MPI_BOTTOM, to, 1, t, compose,
		     root);
		if (rank == root)
			check_reduction(size);
		MPI_Type_free(&t);
	}
}

static void test_allreduce(int mode)
{
	void *to;
	MPI_Datatype t = operand(&to);

	CALL(mode, Allreduce, Iallreduce, MPI_BOTTOM, to, 1, t, compose);
	check_reduction(size);
	MPI_Type_free(&t);
	t = type_at_address(in, 2);
	pair_of(rank, (unsigned *)in);
	CALL(mode, Allreduce, Iallreduce, MPI_IN_PLACE, MPI_BOTTOM, 1, t,
	     compose);
	check_reduction(size);
	MPI_Type_free(&t);
}

static void test_scan(int mode)
{
	void *to;
	MPI_Datatype t = operand(&to);

	CALL(mode, Scan, Iscan, MPI_BOTTOM, to, 1, t, compose);
	check_reduction(rank + 1);
	MPI_Type_free(&t);
}

static void test_exscan(int mode)
{
	void *to;
	MPI_Datatype t = operand(&to);

	CALL(mode, Exscan, Iexscan, MPI_BOTTOM, to, 1, t, compose);
	if (rank)
		check_reduction(rank);
	MPI_Type_free(&t);
}

/* ---- all operations ------------------------------------------------------ */

struct family {
	const char *key;
	void (*test)(int mode);
	const char *names[7];
};

static const struct family families[] = {
	{ "gather", test_gather, { "auto", "binomial", "linear" } },
	{ "scatter", test_scatter, { "auto", "binomial", "linear" } },
	{ "allgather",
	  test_allgather,
	  { "auto", "recdbl", "bruck", "ring", "linear" } },
	{ "allgather", test_lists, { "auto", "bruck", "ring", "linear" } },
	{ "gather", test_rooted_lists, { "auto" } },
	{ "alltoall",
	  test_alltoall,
	  { "auto", "linear", "bruck", "pairwise" } },
	{ "alltoall", test_types, { "auto", "linear", "pairwise" } },
	{ "reduce",
	  test_reduce,
	  { "auto", "binomial", "rabenseifner", "linear" } },
	{ "allreduce",
	  test_allreduce,
	  { "auto", "recdbl", "tree", "rabenseifner", "linear" } },
	{ "scan", test_scan, { "auto", "recdbl", "linear" } },
	{ "exscan", test_exscan, { "auto", "recdbl", "linear" } },
};

static void force(const char *op, const char *name)
{
	char key[64];
	MPI_Info info;

	snprintf(key, sizeof(key), "weft_coll_%s", op);
	MPI_Info_create(&info);
	MPI_Info_set(info, key, name);
	MPI_Comm_set_info(comm, info);
	MPI_Info_free(&info);
}

static void run_families(void)
{
	for (size_t f = 0; f < N_OF(families); f++)
		for (int k = 0; families[f].names[k]; k++) {
			force(families[f].key, families[f].names[k]);
			for (int mode = 0; mode < WAYS; mode++)
				families[f].test(mode);
			force(families[f].key, "auto");
		}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Op_create(compose_fn, 0, &compose);
	out = coll_malloc(sizeof(int) * N * (size_t)size);
	in = coll_malloc(sizeof(int) * N * (size_t)size);
	run_families();
	free(out);
	free(in);
	MPI_Op_free(&compose);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	if (!rank)
		printf("coll_bottom: all addresses are correct\n");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares every algorithm, forced by its name (info key of a duplicated
 * communicator), with a naive implementation: all roots, in place, several
 * counts, on the world and on halves of it; also without forcing an algorithm.
 */
#include "coll_t.h"

struct test_comm {
	MPI_Comm comm;
	int rank;
	int size;
	int count;
	MPI_Op compose; /* user-defined operation that is not commutative */
	int ordered;	/* whether reductions use compose */
};

/*
 * Composes maps x -> a x + b in unsigned arithmetic: associative, not
 * commutative.
 */
static void compose(void *in, void *io, int *n, MPI_Datatype *type)
{
	const unsigned *l = in;
	unsigned *r = io;
	int i;

	for (i = 0; i < *n; i++) {
		r[2 * i + 1] = l[2 * i] * r[2 * i + 1] + l[2 * i + 1];
		r[2 * i] *= l[2 * i];
	}
}

static MPI_Datatype pair;

static void vec_fill(unsigned *v, int rank, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		v[2 * i] = (unsigned)coll_val(rank, 1, i) | 1;
		v[2 * i + 1] = (unsigned)coll_val(rank, 2, i);
	}
}

/* Computes the expected result for ranks lo .. hi - 1. */
static void vec_expected(const struct test_comm *o, unsigned *acc, int lo,
			 int hi, int n)
{
	unsigned *v = coll_malloc(sizeof(*v) * 2 * (size_t)n);
	int q, i, one = n;

	vec_fill(acc, hi - 1, n);
	for (q = hi - 2; q >= lo; q--) {
		vec_fill(v, q, n);
		if (o->ordered)
			compose(v, acc, &one, &pair);
		else
			for (i = 0; i < 2 * n; i++)
				acc[i] += v[i];
	}
	free(v);
}

static MPI_Op op_of(const struct test_comm *o)
{
	return o->ordered ? o->compose : MPI_SUM;
}

static MPI_Datatype type_of(const struct test_comm *o)
{
	return o->ordered ? pair : MPI_UNSIGNED;
}

static int len_of(const struct test_comm *o, int n)
{
	return o->ordered ? n : 2 * n;
}

struct vecs {
	unsigned *in;
	unsigned *out;
	unsigned *want;
	size_t bytes;
};

static struct vecs vecs_open(const struct test_comm *o, int n)
{
	struct vecs v;

	v.bytes = sizeof(unsigned) * 2 * (size_t)n;
	v.in = coll_malloc(v.bytes);
	v.out = coll_malloc(v.bytes);
	v.want = coll_malloc(v.bytes);
	vec_fill(v.in, o->rank, n);
	memset(v.out, 0, v.bytes);
	return v;
}

static void vecs_close(struct vecs *v)
{
	free(v->in);
	free(v->out);
	free(v->want);
}

static void test_barrier(const struct test_comm *o)
{
	int i;

	for (i = 0; i < 3; i++)
		MPI_Barrier(o->comm);
}

static void test_bcast(const struct test_comm *o)
{
	int *b = coll_malloc(sizeof(int) * (size_t)o->count);
	int root, i;

	for (root = 0; root < o->size; root++) {
		for (i = 0; i < o->count; i++)
			b[i] = o->rank == root ? coll_val(root, 0, i) : -1;
		MPI_Bcast(b, o->count, MPI_INT, root, o->comm);
		for (i = 0; i < o->count; i++)
			CHECK(b[i] == coll_val(root, 0, i));
	}
	free(b);
}

static void test_reduce(const struct test_comm *o)
{
	int n = o->count, root, in_place;
	struct vecs v = vecs_open(o, n);
	void *from;

	vec_expected(o, v.want, 0, o->size, n);
	for (root = 0; root < o->size; root++)
		for (in_place = 0; in_place < 2; in_place++) {
			from = v.in;
			memcpy(v.out, v.in, v.bytes);
			if (in_place && root == o->rank)
				from = MPI_IN_PLACE;
			MPI_Reduce(from, v.out, len_of(o, n), type_of(o),
				   op_of(o), root, o->comm);
			CHECK(root != o->rank ||
			      !memcmp(v.out, v.want, v.bytes));
		}
	vecs_close(&v);
}

static void test_allreduce(const struct test_comm *o)
{
	int n = o->count;
	struct vecs v = vecs_open(o, n);

	vec_expected(o, v.want, 0, o->size, n);
	MPI_Allreduce(v.in, v.out, len_of(o, n), type_of(o), op_of(o), o->comm);
	CHECK(!memcmp(v.out, v.want, v.bytes));
	MPI_Allreduce(MPI_IN_PLACE, v.in, len_of(o, n), type_of(o), op_of(o),
		      o->comm);
	CHECK(!memcmp(v.in, v.want, v.bytes));
	vecs_close(&v);
}

static void test_scan(const struct test_comm *o)
{
	int n = o->count;
	struct vecs v = vecs_open(o, n);

	vec_expected(o, v.want, 0, o->rank + 1, n);
	MPI_Scan(v.in, v.out, len_of(o, n), type_of(o), op_of(o), o->comm);
	CHECK(!memcmp(v.out, v.want, v.bytes));
	MPI_Scan(MPI_IN_PLACE, v.in, len_of(o, n), type_of(o), op_of(o),
		 o->comm);
	CHECK(!memcmp(v.in, v.want, v.bytes));
	vecs_close(&v);
}

static void test_exscan(const struct test_comm *o)
{
	int n = o->count;
	struct vecs v = vecs_open(o, n);

	if (o->rank)
		vec_expected(o, v.want, 0, o->rank, n);
	MPI_Exscan(v.in, v.out, len_of(o, n), type_of(o), op_of(o), o->comm);
	CHECK(!o->rank || !memcmp(v.out, v.want, v.bytes));
	MPI_Exscan(MPI_IN_PLACE, v.in, len_of(o, n), type_of(o), op_of(o),
		   o->comm);
	CHECK(!o->rank || !memcmp(v.in, v.want, v.bytes));
	vecs_close(&v);
}

static void test_redscat(const struct test_comm *o)
{
	int n = o->count * o->size, k = len_of(o, o->count), i;
	struct vecs v = vecs_open(o, n);
	int *counts = coll_malloc(sizeof(int) * (size_t)o->size);
	size_t block = v.bytes / (size_t)o->size;
	const char *want = (char *)v.want + block * (size_t)o->rank;

	for (i = 0; i < o->size; i++)
		counts[i] = k;
	vec_expected(o, v.want, 0, o->size, n);
	MPI_Reduce_scatter_block(v.in, v.out, k, type_of(o), op_of(o), o->comm);
	CHECK(!memcmp(v.out, want, block));
	memset(v.out, 0, v.bytes);
	MPI_Reduce_scatter(v.in, v.out, counts, type_of(o), op_of(o), o->comm);
	CHECK(!memcmp(v.out, want, block));
	MPI_Reduce_scatter(MPI_IN_PLACE, v.in, counts, type_of(o), op_of(o),
			   o->comm);
	CHECK(!memcmp(v.in, want, block));
	vecs_close(&v);
	free(counts);
}

static void blocks_fill(int *b, int from, int to, int n)
{
	int e;

	for (e = 0; e < n; e++)
		b[e] = coll_val(from, to, e);
}

static void blocks_check(const int *b, int from, int to, int n)
{
	int e;

	for (e = 0; e < n; e++)
		CHECK(b[e] == coll_val(from, to, e));
}

static void test_gather(const struct test_comm *o)
{
	int n = o->count, root, i;
	int *one = coll_malloc(sizeof(int) * (size_t)n);
	int *all = coll_malloc(sizeof(int) * (size_t)(n * o->size));

	blocks_fill(one, o->rank, 0, n);
	for (root = 0; root < 2 * o->size; root++) {
		memset(all, 0, sizeof(int) * (size_t)(n * o->size));
		blocks_fill(all + n * o->rank, o->rank, 0, n);
		/* the second half of the rounds uses MPI_IN_PLACE */
		MPI_Gather(root >= o->size && o->rank == root % o->size
				   ? MPI_IN_PLACE
				   : one,
			   n, MPI_INT, all, n, MPI_INT, root % o->size,
			   o->comm);
		for (i = 0; i < o->size && o->rank == root % o->size; i++)
			blocks_check(all + n * i, i, 0, n);
	}
	free(one);
	free(all);
}

static void test_scatter(const struct test_comm *o)
{
	int n = o->count, root, i;
	int *one = coll_malloc(sizeof(int) * (size_t)n);
	int *all = coll_malloc(sizeof(int) * (size_t)(n * o->size));

	for (root = 0; root < o->size; root++) {
		for (i = 0; i < o->size; i++)
			blocks_fill(all + n * i, root, i, n);
		memset(one, 0, sizeof(int) * (size_t)n);
		MPI_Scatter(all, n, MPI_INT, one, n, MPI_INT, root, o->comm);
		blocks_check(one, root, o->rank, n);
	}
	free(one);
	free(all);
}

static void test_allgather(const struct test_comm *o)
{
	int n = o->count, i;
	int *one = coll_malloc(sizeof(int) * (size_t)n);
	int *all = coll_malloc(sizeof(int) * (size_t)(n * o->size));
	int *counts = coll_malloc(sizeof(int) * 2 * (size_t)o->size);
	int *displs = counts + o->size;

	blocks_fill(one, o->rank, 0, n);
	memset(all, 0, sizeof(int) * (size_t)(n * o->size));
	MPI_Allgather(one, n, MPI_INT, all, n, MPI_INT, o->comm);
	for (i = 0; i < o->size; i++)
		blocks_check(all + n * i, i, 0, n);
	memset(all, 0, sizeof(int) * (size_t)(n * o->size));
	blocks_fill(all + n * o->rank, o->rank, 0, n);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, n, MPI_INT, o->comm);
	for (i = 0; i < o->size; i++)
		blocks_check(all + n * i, i, 0, n);
	/* blocks in reverse order, every second one half as long */
	for (i = 0; i < o->size; i++) {
		counts[i] = i % 2 ? n / 2 : n;
		displs[i] = n * (o->size - 1 - i);
	}
	memset(all, 0, sizeof(int) * (size_t)(n * o->size));
	MPI_Allgatherv(one, counts[o->rank], MPI_INT, all, counts, displs,
		       MPI_INT, o->comm);
	for (i = 0; i < o->size; i++)
		blocks_check(all + displs[i], i, 0, counts[i]);
	free(one);
	free(all);
	free(counts);
}

static void test_alltoall(const struct test_comm *o)
{
	int n = o->count, i;
	size_t bytes = sizeof(int) * (size_t)(n * o->size);
	int *out = coll_malloc(bytes), *in = coll_malloc(bytes);

	for (i = 0; i < o->size; i++)
		blocks_fill(out + n * i, o->rank, i, n);
	memset(in, 0, bytes);
	MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, o->comm);
	for (i = 0; i < o->size; i++)
		blocks_check(in + n * i, i, o->rank, n);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, n, MPI_INT, o->comm);
	for (i = 0; i < o->size; i++)
		blocks_check(out + n * i, i, o->rank, n);
	free(out);
	free(in);
}

struct family {
	const char *key;
	void (*test)(const struct test_comm *o);
	const char *names[10];
};

static const struct family families[] = {
	{ "barrier", test_barrier, { "", "dissemination", "tree", "linear" } },
	{ "bcast",
	  test_bcast,
	  { "", "linear", "binomial", "chain", "scatter", "shared",
	    "composed" } },
	{ "reduce",
	  test_reduce,
	  { "", "binomial", "slices", "rabenseifner", "linear", "shared",
	    "composed" } },
	{ "allreduce",
	  test_allreduce,
	  { "", "recdbl", "tree", "slices", "ring", "rabenseifner", "linear",
	    "shared", "composed" } },
	{ "gather", test_gather, { "", "binomial", "linear", "composed" } },
	{ "scatter", test_scatter, { "", "binomial", "linear", "composed" } },
	{ "allgather",
	  test_allgather,
	  { "", "recdbl", "bruck", "ring", "linear", "shared", "composed" } },
	{ "alltoall",
	  test_alltoall,
	  { "", "linear", "bruck", "pairwise", "inplace" } },
	{ "reduce_scatter",
	  test_redscat,
	  { "", "recdbl", "halving", "pairwise", "ordered", "shared",
	    "composed" } },
	{ "scan", test_scan, { "", "recdbl", "linear" } },
	{ "exscan", test_exscan, { "", "recdbl", "linear" } },
};

static void force(MPI_Comm comm, const char *op, const char *name)
{
	char key[64];
	MPI_Info info;

	snprintf(key, sizeof(key), "weft_coll_%s", op);
	MPI_Info_create(&info);
	MPI_Info_set(info, key, *name ? name : "auto");
	MPI_Comm_set_info(comm, info);
	MPI_Info_free(&info);
}

static void run_families(struct test_comm *o, int big)
{
	static const int counts[] = { 0, 1, 5, 100, 3000, 40000 };
	const struct family *f;
	size_t k, c;

	for (f = families; f < families + N_OF(families); f++)
		for (k = 0; k < N_OF(f->names) && f->names[k]; k++) {
			force(o->comm, f->key, f->names[k]);
			for (c = 0; c < N_OF(counts) - (big ? 0 : 2); c++) {
				o->count = counts[c];
				o->ordered = 0;
				f->test(o);
				o->ordered = 1;
				f->test(o);
			}
			force(o->comm, f->key, "");
		}
}

static void run_on_comm(MPI_Comm comm, MPI_Op op, int big)
{
	struct test_comm o = { .compose = op };

	MPI_Comm_dup(comm, &o.comm);
	MPI_Comm_rank(o.comm, &o.rank);
	MPI_Comm_size(o.comm, &o.size);
	run_families(&o, big);
	MPI_Comm_free(&o.comm);
}

int main(int argc, char **argv)
{
	MPI_Comm half;
	int rank, size;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(compose, 0, &op);
	run_on_comm(MPI_COMM_WORLD, op, size <= 5);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	run_on_comm(half, op, 0);
	MPI_Comm_free(&half);
	MPI_Op_free(&op);
	MPI_Type_free(&pair);
	MPI_Finalize();
	if (!rank)
		printf("coll_algorithms: all algorithms are correct\n");
	return 0;
}

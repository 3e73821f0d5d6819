/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All predefined operations on all types that the standard allows: allreduce
 * and reduce_scatter_block are compared with MPI_Reduce_local over the gathered
 * inputs (values are chosen so that results are exact in any order). Repeated
 * floating-point sums are bitwise identical on all ranks.
 */
#include "coll_t.h"

#include <complex.h>
#include <stdbool.h>

enum { COUNT = 13 };

enum kind { SIGNED, UNSIGNED, REAL, COMPLEX, LOGICAL, RAW, PAIR };

struct type {
	MPI_Datatype type;
	enum kind kind;
	size_t extent;
};

static struct type types[40];
static size_t ntypes;

static void add(MPI_Datatype type, enum kind kind)
{
	MPI_Aint lb, extent;

	MPI_Type_get_extent(type, &lb, &extent);
	types[ntypes++] = (struct type){ type, kind, (size_t)extent };
}

static void all_types(void)
{
	add(MPI_SIGNED_CHAR, SIGNED);
	add(MPI_SHORT, SIGNED);
	add(MPI_INT, SIGNED);
	add(MPI_LONG, SIGNED);
	add(MPI_LONG_LONG, SIGNED);
	add(MPI_INT8_T, SIGNED);
	add(MPI_INT16_T, SIGNED);
	add(MPI_INT32_T, SIGNED);
	add(MPI_INT64_T, SIGNED);
	add(MPI_AINT, SIGNED);
	add(MPI_OFFSET, SIGNED);
	add(MPI_COUNT, SIGNED);
	add(MPI_UNSIGNED_CHAR, UNSIGNED);
	add(MPI_UNSIGNED_SHORT, UNSIGNED);
	add(MPI_UNSIGNED, UNSIGNED);
	add(MPI_UNSIGNED_LONG, UNSIGNED);
	add(MPI_UNSIGNED_LONG_LONG, UNSIGNED);
	add(MPI_UINT8_T, UNSIGNED);
	add(MPI_UINT16_T, UNSIGNED);
	add(MPI_UINT32_T, UNSIGNED);
	add(MPI_UINT64_T, UNSIGNED);
	add(MPI_FLOAT, REAL);
	add(MPI_DOUBLE, REAL);
	add(MPI_LONG_DOUBLE, REAL);
	add(MPI_C_FLOAT_COMPLEX, COMPLEX);
	add(MPI_C_DOUBLE_COMPLEX, COMPLEX);
	add(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX);
	add(MPI_C_BOOL, LOGICAL);
	add(MPI_BYTE, RAW);
	add(MPI_FLOAT_INT, PAIR);
	add(MPI_DOUBLE_INT, PAIR);
	add(MPI_LONG_INT, PAIR);
	add(MPI_2INT, PAIR);
	add(MPI_SHORT_INT, PAIR);
	add(MPI_LONG_DOUBLE_INT, PAIR);
}

/* ---- small exact values ------------------------------------------------- */

static void put_int(char *at, size_t size, int v)
{
	int64_t wide = v;

	/* independent of the byte order: stores a value of the same width */
	switch (size) {
	case 1:
		memcpy(at, &(int8_t){ (int8_t)wide }, 1);
		break;
	case 2:
		memcpy(at, &(int16_t){ (int16_t)wide }, 2);
		break;
	case 4:
		memcpy(at, &(int32_t){ (int32_t)wide }, 4);
		break;
	default:
		memcpy(at, &wide, 8);
		break;
	}
}

static void put_real(char *at, size_t size, int v)
{
	if (size == sizeof(float))
		memcpy(at, &(float){ (float)v }, sizeof(float));
	else if (size == sizeof(double))
		memcpy(at, &(double){ (double)v }, sizeof(double));
	else
		memcpy(at, &(long double){ (long double)v },
		       sizeof(long double));
}

static void put_pair(char *at, MPI_Datatype t, int v, int i)
{
	struct {
		float v;
		int i;
	} f = { (float)v, i };
	struct {
		double v;
		int i;
	} d = { v, i };
	struct {
		long v;
		int i;
	} l = { v, i };
	struct {
		int v, i;
	} n = { v, i };
	struct {
		short v;
		int i;
	} s = { (short)v, i };
	struct {
		long double v;
		int i;
	} q = { v, i };

	if (t == MPI_FLOAT_INT)
		memcpy(at, &f, sizeof(f));
	else if (t == MPI_DOUBLE_INT)
		memcpy(at, &d, sizeof(d));
	else if (t == MPI_LONG_INT)
		memcpy(at, &l, sizeof(l));
	else if (t == MPI_2INT)
		memcpy(at, &n, sizeof(n));
	else if (t == MPI_SHORT_INT)
		memcpy(at, &s, sizeof(s));
	else
		memcpy(at, &q, sizeof(q));
}

/*
 * Fills n elements of type t. `unit`: values have magnitude one, so that
 * products are exact.
 */
static void fill(char *buf, const struct type *t, int rank, int n, bool unit)
{
	int e, v;
	char *at = buf;

	memset(buf, 0, t->extent * (size_t)n);
	for (e = 0; e < n; e++, at += t->extent) {
		v = (rank * 5 + e * 3) % 4 + (t->kind == SIGNED ? -1 : 0);
		if (unit && t->kind == REAL)
			v = v & 1 ? 1 : -1;
		if (unit && t->kind == COMPLEX)
			v &= 1;
		switch (t->kind) {
		case REAL:
			put_real(at, t->extent, v);
			break;
		case COMPLEX:
			put_real(at, t->extent / 2, v);
			put_real(at + t->extent / 2, t->extent / 2, 1 - v);
			break;
		case LOGICAL:
			memcpy(at, &(bool){ v & 1 }, sizeof(bool));
			break;
		case PAIR:
			put_pair(at, t->type, v, rank);
			break;
		default:
			put_int(at, t->extent, v);
			break;
		}
	}
}

/* ---- operations --------------------------------------------------------- */

static bool allowed(MPI_Op op, enum kind k)
{
	if (op == MPI_SUM || op == MPI_PROD)
		return k <= COMPLEX;
	if (op == MPI_MAX || op == MPI_MIN)
		return k <= REAL;
	if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
		return k == SIGNED || k == UNSIGNED || k == LOGICAL;
	if (op == MPI_MAXLOC || op == MPI_MINLOC)
		return k == PAIR;
	return k == SIGNED || k == UNSIGNED || k == RAW;
}

static long double get_real(const char *at, size_t size)
{
	long double q;
	double d;
	float f;

	if (size == sizeof(float))
		return memcpy(&f, at, sizeof(f)), f;
	if (size == sizeof(double))
		return memcpy(&d, at, sizeof(d)), d;
	return memcpy(&q, at, sizeof(q)), q;
}

/*
 * Compares as numbers, since zero has a sign and long doubles have unused bits.
 */
static bool same_reals(const struct type *t, const char *a, const char *b,
		       int n)
{
	size_t size = t->kind == COMPLEX ? t->extent / 2 : t->extent, i;

	for (i = 0; i < t->extent * (size_t)n; i += size)
		if (get_real(a + i, size) != get_real(b + i, size))
			return false;
	return true;
}

struct long_pair {
	long double value;
	int index;
};

static bool same_long_pairs(const char *a, const char *b, int n)
{
	struct long_pair x, y;

	for (int i = 0; i < n; i++) {
		memcpy(&x, a + (size_t)i * sizeof(x), sizeof(x));
		memcpy(&y, b + (size_t)i * sizeof(y), sizeof(y));
		if (x.value != y.value || x.index != y.index)
			return false;
	}
	return true;
}

/* Compares all bytes except the gaps of pairs. */
static bool same(const struct type *t, char *a, char *b, int n)
{
	size_t bytes = t->extent * (size_t)n;
	char *pa, *pb;
	int at = 0, bt = 0;
	bool ok;

	if (t->type == MPI_LONG_DOUBLE_INT)
		return same_long_pairs(a, b, n);
	if (t->kind == REAL || t->kind == COMPLEX)
		return same_reals(t, a, b, n);
	pa = coll_malloc(bytes);
	pb = coll_malloc(bytes);
	MPI_Pack(a, n, t->type, pa, (int)bytes, &at, MPI_COMM_SELF);
	MPI_Pack(b, n, t->type, pb, (int)bytes, &bt, MPI_COMM_SELF);
	ok = at == bt && !memcmp(pa, pb, (size_t)at);
	free(pa);
	free(pb);
	return ok;
}

static void test_pair(const struct type *t, MPI_Op op, int rank, int size)
{
	size_t bytes = t->extent * COUNT * (size_t)size;
	char *in = coll_malloc(bytes), *out = coll_malloc(bytes);
	char *want = coll_malloc(bytes);
	int n = COUNT * size, q;

	fill(want, t, size - 1, n, op == MPI_PROD);
	for (q = size - 2; q >= 0; q--) {
		fill(in, t, q, n, op == MPI_PROD);
		MPI_Reduce_local(in, want, n, t->type, op);
	}
	fill(in, t, rank, n, op == MPI_PROD);
	memset(out, 0, bytes);
	MPI_Allreduce(in, out, n, t->type, op, MPI_COMM_WORLD);
	CHECK(same(t, out, want, n));
	memset(out, 0, bytes);
	MPI_Reduce_scatter_block(in, out, COUNT, t->type, op, MPI_COMM_WORLD);
	CHECK(same(t, out, want + (size_t)rank * t->extent * COUNT, COUNT));
	free(in);
	free(out);
	free(want);
}

static void test_bits(int rank, int size)
{
	enum { LEN = 30000 };
	double *x = coll_malloc(LEN * sizeof(*x)),
	       *y = coll_malloc(LEN * sizeof(*y));
	double *first = coll_malloc(LEN * sizeof(*first));
	static const int counts[] = { 1, 7, 500, LEN };
	unsigned late = 1;
	size_t c;
	int i, round;

	for (i = 0; i < LEN; i++)
		x[i] = 1.0 / (1 + i + rank * 3.7) - 0.3 * rank;
	for (c = 0; c < N_OF(counts); c++)
		for (round = 0; round < 5; round++) {
			coll_skew(&late, rank);
			MPI_Allreduce(x, y, counts[c], MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
			if (!round) {
				memcpy(first, y, LEN * sizeof(*y));
				MPI_Bcast(first, counts[c], MPI_DOUBLE,
					  size - 1, MPI_COMM_WORLD);
			}
			CHECK(!memcmp(first, y,
				      (size_t)counts[c] * sizeof(*y)));
		}
	free(x);
	free(y);
	free(first);
}

int main(int argc, char **argv)
{
	MPI_Op ops[] = { MPI_SUM,  MPI_PROD, MPI_MAX,	 MPI_MIN,
			 MPI_LAND, MPI_LOR,  MPI_LXOR,	 MPI_BAND,
			 MPI_BOR,  MPI_BXOR, MPI_MAXLOC, MPI_MINLOC };
	int rank, size;
	size_t o, t;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all_types();
	for (o = 0; o < N_OF(ops); o++)
		for (t = 0; t < ntypes; t++)
			if (allowed(ops[o], types[t].kind))
				test_pair(&types[t], ops[o], rank, size);
	test_bits(rank, size);
	MPI_Finalize();
	if (!rank)
		printf("coll_ops: all operations on all types are correct\n");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All predefined types and operations, and their expected results: elements are
 * small integers, so that the expected result is exact in every type and order.
 * It is computed without the library.
 */
#ifndef WEFT_TEST_COLL_TYPES_H
#define WEFT_TEST_COLL_TYPES_H

#include "coll_t.h"

#include <float.h>
#include <stdbool.h>

enum kind { SIGNED, UNSIGNED, REAL, COMPLEX, LOGICAL, RAW, PAIR };

/*
 * A number in memory; form 'i': integer, 'f': floating point, 'q': binary128.
 */
struct part {
	char form;
	size_t bytes;
	size_t offset;
};

struct type {
	MPI_Datatype mpi;
	enum kind kind;
	size_t extent;
	int parts;
	struct part part[2];
};

/* binary128 numbers, if the compiler has a type for them. */
#if LDBL_MANT_DIG == 113
#define HAVE_QUAD 1
typedef long double quad;
#elif defined(__SIZEOF_FLOAT128__)
#define HAVE_QUAD 1
__extension__ typedef __float128 quad;
#else
#define HAVE_QUAD 0
typedef long double quad;
#endif

/* Value of an element: a number, and its imaginary part or index. */
struct value {
	int64_t v, w;
};

enum op {
	SUM,
	PROD,
	MAX,
	MIN,
	LAND,
	LOR,
	LXOR,
	BAND,
	BOR,
	BXOR,
	MAXLOC,
	MINLOC,
	OPS
};

static struct type types[80];
static int ntypes;
static MPI_Op ops[OPS];

static struct type *add_type(MPI_Datatype mpi, enum kind kind)
{
	struct type *t = &types[ntypes++];
	MPI_Aint lb, extent;

	MPI_Type_get_extent(mpi, &lb, &extent);
	*t = (struct type){
		.mpi = mpi, .kind = kind, .extent = (size_t)extent, .parts = 1
	};
	t->part[0] = (struct part){ kind == REAL ? 'f' : 'i', t->extent, 0 };
	return t;
}

static void add_complex(MPI_Datatype mpi)
{
	struct type *t = add_type(mpi, COMPLEX);

	t->parts = 2;
	t->part[0] = (struct part){ 'f', t->extent / 2, 0 };
	t->part[1] = (struct part){ 'f', t->extent / 2, t->extent / 2 };
}

/* Adds a type of two numbers, each given by its form and its size in bytes. */
static void add_pair(MPI_Datatype mpi, char form, size_t bytes, char form2,
		     size_t bytes2)
{
	struct type *t = add_type(mpi, PAIR);
	size_t at = bytes < bytes2 ? bytes2 : bytes;

	t->parts = 2;
	t->part[0] = (struct part){ form, bytes, 0 };
	t->part[1] = (struct part){ form2, bytes2, at };
}

static void add_whole(void)
{
	const MPI_Datatype s[] = {
		MPI_SIGNED_CHAR, MPI_SHORT,	MPI_INT,      MPI_LONG,
		MPI_LONG_LONG,	 MPI_INT8_T,	MPI_INT16_T,  MPI_INT32_T,
		MPI_INT64_T,	 MPI_AINT,	MPI_OFFSET,   MPI_COUNT,
		MPI_INTEGER,	 MPI_INTEGER1,	MPI_INTEGER2, MPI_INTEGER4,
		MPI_INTEGER8,	 MPI_INTEGER16,
	};
	const MPI_Datatype u[] = {
		MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT,	   MPI_UNSIGNED,
		MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T,
		MPI_UINT16_T,	   MPI_UINT32_T,	   MPI_UINT64_T,
	};
	const MPI_Datatype l[] = {
		MPI_C_BOOL,   MPI_CXX_BOOL, MPI_LOGICAL,  MPI_LOGICAL1,
		MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16,
	};

	for (size_t i = 0; i < N_OF(s); i++)
		add_type(s[i], SIGNED);
	for (size_t i = 0; i < N_OF(u); i++)
		add_type(u[i], UNSIGNED);
	for (size_t i = 0; i < N_OF(l); i++)
		add_type(l[i], LOGICAL);
	add_type(MPI_BYTE, RAW);
}

static void add_floating(void)
{
	const MPI_Datatype r[] = {
		MPI_FLOAT, MPI_DOUBLE,		 MPI_LONG_DOUBLE,
		MPI_REAL,  MPI_DOUBLE_PRECISION, MPI_REAL4,
		MPI_REAL8,
	};
	const MPI_Datatype c[] = {
		MPI_C_FLOAT_COMPLEX,
		MPI_C_DOUBLE_COMPLEX,
		MPI_C_LONG_DOUBLE_COMPLEX,
		MPI_CXX_FLOAT_COMPLEX,
		MPI_CXX_DOUBLE_COMPLEX,
		MPI_CXX_LONG_DOUBLE_COMPLEX,
		MPI_COMPLEX,
		MPI_DOUBLE_COMPLEX,
		MPI_COMPLEX8,
		MPI_COMPLEX16,
	};

	for (size_t i = 0; i < N_OF(r); i++)
		add_type(r[i], REAL);
	for (size_t i = 0; i < N_OF(c); i++)
		add_complex(c[i]);
	if (HAVE_QUAD) {
		add_type(MPI_REAL16, REAL)->part[0].form = 'q';
		add_complex(MPI_COMPLEX32);
		types[ntypes - 1].part[0].form = 'q';
		types[ntypes - 1].part[1].form = 'q';
	}
}

static void all_types(void)
{
	const MPI_Op all[OPS] = { MPI_SUM,  MPI_PROD, MPI_MAX,	  MPI_MIN,
				  MPI_LAND, MPI_LOR,  MPI_LXOR,	  MPI_BAND,
				  MPI_BOR,  MPI_BXOR, MPI_MAXLOC, MPI_MINLOC };

	memcpy(ops, all, sizeof(ops));
	add_whole();
	add_floating();
	add_pair(MPI_FLOAT_INT, 'f', 4, 'i', 4);
	add_pair(MPI_DOUBLE_INT, 'f', 8, 'i', 4);
	add_pair(MPI_LONG_DOUBLE_INT, 'f', sizeof(long double), 'i', 4);
	add_pair(MPI_LONG_INT, 'i', sizeof(long), 'i', 4);
	add_pair(MPI_SHORT_INT, 'i', 2, 'i', 4);
	add_pair(MPI_2INT, 'i', 4, 'i', 4);
	add_pair(MPI_2REAL, 'f', 4, 'f', 4);
	add_pair(MPI_2DOUBLE_PRECISION, 'f', 8, 'f', 8);
	add_pair(MPI_2INTEGER, 'i', 4, 'i', 4);
}

/* Returns whether the standard allows the operation on this kind of type. */
static bool allowed(enum op op, enum kind k)
{
	switch (op) {
	case SUM:
	case PROD:
		return k <= COMPLEX;
	case MAX:
	case MIN:
		return k <= REAL;
	case LAND:
	case LOR:
	case LXOR:
		return k == SIGNED || k == UNSIGNED || k == LOGICAL;
	case BAND:
	case BOR:
	case BXOR:
		return k == SIGNED || k == UNSIGNED || k == RAW;
	default:
		return k == PAIR;
	}
}

/* ---- values of elements -------------------------------------------------- */

enum { PERIOD = 7 }; /* number of elements after which values repeat */

/*
 * Returns element e of a rank. Factors of products have magnitude one, so that
 * products are exact.
 */
static struct value value_of(const struct type *t, enum op op, int rank, long e)
{
	static const struct value units[4] = {
		{ 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 }
	};
	int64_t draw = (rank * 7 + e % PERIOD * 3 + rank / 5) % 5;

	switch (t->kind) {
	case COMPLEX:
		if (op == PROD)
			return units[draw % 4];
		return (struct value){ draw - 2, (draw * 2 + rank) % 5 - 2 };
	case PAIR:
		return (struct value){ draw - 2, rank };
	case LOGICAL:
		return (struct value){ (draw + rank) % 3 > 0, 0 };
	case UNSIGNED:
	case RAW:
		return (struct value){ op == PROD ? 1 + draw * 2 : draw, 0 };
	default:
		if (op == PROD)
			return (struct value){ draw & 1 ? -1 : 1, 0 };
		return (struct value){ draw - 2, 0 };
	}
}

static struct value times(struct value a, struct value b)
{
	return (struct value){ (int64_t)((uint64_t)a.v * (uint64_t)b.v) -
				       a.w * b.w,
			       a.v * b.w + a.w * b.v };
}

/*
 * Returns the result of MPI_MAXLOC or MPI_MINLOC for two pairs: a if a_wins,
 * else b; if the values are equal, the pair with the lower index.
 */
static struct value better(struct value a, struct value b, bool a_wins)
{
	if (a.v == b.v)
		return a.w < b.w ? a : b;
	return a_wins ? a : b;
}

static struct value join(enum op op, struct value a, struct value b)
{
	switch (op) {
	case SUM:
		return (struct value){ a.v + b.v, a.w + b.w };
	case PROD:
		return a.w || b.w ? times(a, b)
				  : (struct value){ (int64_t)((uint64_t)a.v *
							      (uint64_t)b.v),
						    0 };
	case MAX:
		return a.v > b.v ? a : b;
	case MIN:
		return a.v < b.v ? a : b;
	case LAND:
		return (struct value){ a.v && b.v, 0 };
	case LOR:
		return (struct value){ a.v || b.v, 0 };
	case LXOR:
		return (struct value){ !a.v != !b.v, 0 };
	case BAND:
		return (struct value){ a.v & b.v, 0 };
	case BOR:
		return (struct value){ a.v | b.v, 0 };
	case BXOR:
		return (struct value){ a.v ^ b.v, 0 };
	case MAXLOC:
		return better(a, b, a.v > b.v);
	default:
		return better(a, b, a.v < b.v);
	}
}

/* ---- elements in memory -------------------------------------------------- */

static void put_whole(char *at, size_t bytes, int64_t v)
{
	int8_t one = (int8_t)v;
	int16_t two = (int16_t)v;
	int32_t four = (int32_t)v;
	__int128 sixteen = v;

	memcpy(at,
	       bytes == 1   ? (void *)&one
	       : bytes == 2 ? (void *)&two
	       : bytes == 4 ? (void *)&four
	       : bytes == 8 ? (void *)&v
			    : (void *)&sixteen,
	       bytes);
}

static void put_float(char *at, size_t bytes, int64_t v)
{
	float f = (float)v;
	double d = (double)v;
	long double l = v;

	memcpy(at,
	       bytes == sizeof(f)   ? (void *)&f
	       : bytes == sizeof(d) ? (void *)&d
				    : (void *)&l,
	       bytes);
}

static void put(const struct type *t, char *at, struct value x)
{
	for (int i = 0; i < t->parts; i++) {
		const struct part *p = &t->part[i];

		if (p->form == 'f')
			put_float(at + p->offset, p->bytes, i ? x.w : x.v);
		else if (p->form == 'q')
			memcpy(at + p->offset, &(quad){ (quad)(i ? x.w : x.v) },
			       sizeof(quad));
		else
			put_whole(at + p->offset, p->bytes, i ? x.w : x.v);
	}
}

/* Repeats the first PERIOD elements until there are n. */
static void spread(char *buf, size_t extent, long n)
{
	size_t have = PERIOD * extent, all = extent * (size_t)n;

	while (have < all) {
		size_t more = have < all - have ? have : all - have;

		memcpy(buf + have, buf, more);
		have += more;
	}
}

/*
 * Fills the input of a rank with elements first .. first + n - 1. buf has space
 * for PERIOD more elements.
 */
static void fill(const struct type *t, enum op op, char *buf, int rank,
		 long first, long n)
{
	memset(buf, 0, PERIOD * t->extent);
	for (long e = 0; e < PERIOD; e++)
		put(t, buf + (size_t)e * t->extent,
		    value_of(t, op, rank, first + e));
	spread(buf, t->extent, n);
}

/* Computes the expected result over ranks 0 .. ranks - 1. */
static void answer(const struct type *t, enum op op, char *buf, int ranks,
		   long first, long n)
{
	memset(buf, 0, PERIOD * t->extent);
	for (long e = 0; e < PERIOD; e++) {
		struct value x = value_of(t, op, 0, first + e);

		for (int r = 1; r < ranks; r++)
			x = join(op, x, value_of(t, op, r, first + e));
		put(t, buf + (size_t)e * t->extent, x);
	}
	spread(buf, t->extent, n);
}

static long double get_float(const char *at, size_t bytes)
{
	float f;
	double d;
	long double l;

	if (bytes == sizeof(f))
		return memcpy(&f, at, bytes), f;
	if (bytes == sizeof(d))
		return memcpy(&d, at, bytes), d;
	return memcpy(&l, at, bytes), l;
}

static bool same_quad(const char *a, const char *b)
{
	quad x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x == y;
}

/*
 * Compares as numbers: zeroes have signs, long doubles have unused bits, pairs
 * have gaps.
 */
static bool same_part(const struct part *p, const char *a, const char *b)
{
	if (p->form == 'f')
		return get_float(a, p->bytes) == get_float(b, p->bytes);
	if (p->form == 'q')
		return same_quad(a, b);
	return !memcmp(a, b, p->bytes);
}

static bool same_element(const struct type *t, const char *a, const char *b)
{
	for (int i = 0; i < t->parts; i++) {
		const struct part *p = &t->part[i];

		if (!same_part(p, a + p->offset, b + p->offset))
			return false;
	}
	return true;
}

static bool same(const struct type *t, const char *a, const char *b, long n)
{
	if (!memcmp(a, b, t->extent * (size_t)n))
		return true;
	for (long e = 0; e < n; e++)
		if (!same_element(t, a + (size_t)e * t->extent,
				  b + (size_t)e * t->extent))
			return false;
	return true;
}

#endif

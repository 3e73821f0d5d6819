/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of operations, compared with results computed element by element. */
#include "test/t.h"

#include "src/base/attr.h"

#include "src/types/types_dt_predef.h"
#include "src/types/types_op.h"

#include <complex.h>
#include <limits.h>

#define N 37

static void apply(MPI_Op op, MPI_Datatype dt, const void *in, void *inout,
		  int n)
{
	T_TRUE(weft_op_allows(weft_op_of(op), weft_dt_of(dt)));
	weft_op_apply(weft_op_of(op), in, inout, n, weft_dt_of(dt));
}

/* Applies the operation to N pairs of a and b, and compares with expr. */
#define CHECK(op, dt, type, expr)                                     \
	do {                                                          \
		type x[N], y[N], z[N];                                \
		for (int i = 0; i < N; i++) {                         \
			type a = x[i] = (type)((i * 7 + 3) % 11 - 5); \
			type b = y[i] = (type)((i * 5 + 1) % 13 - 6); \
			z[i] = (type)(expr);                          \
		}                                                     \
		apply(op, dt, x, y, N);                               \
		for (int i = 0; i < N; i++)                           \
			T_TRUE(y[i] == z[i]);                         \
	} while (0)

#define CHECK_NUM(dt, type)                              \
	do {                                             \
		CHECK(MPI_SUM, dt, type, a + b);         \
		CHECK(MPI_PROD, dt, type, a *b);         \
		CHECK(MPI_MIN, dt, type, a < b ? a : b); \
		CHECK(MPI_MAX, dt, type, a > b ? a : b); \
	} while (0)

#define CHECK_INT(dt, type)                          \
	do {                                         \
		CHECK_NUM(dt, type);                 \
		CHECK(MPI_BAND, dt, type, a &b);     \
		CHECK(MPI_BOR, dt, type, a | b);     \
		CHECK(MPI_BXOR, dt, type, a ^ b);    \
		CHECK(MPI_LAND, dt, type, a &&b);    \
		CHECK(MPI_LOR, dt, type, a || b);    \
		CHECK(MPI_LXOR, dt, type, !a != !b); \
	} while (0)

static void integer_results_match_c(void **state)
{
	CHECK_INT(MPI_SIGNED_CHAR, signed char);
	CHECK_INT(MPI_UNSIGNED_CHAR, unsigned char);
	CHECK_INT(MPI_CHAR, char);
	CHECK_INT(MPI_SHORT, short);
	CHECK_INT(MPI_UNSIGNED_SHORT, unsigned short);
	CHECK_INT(MPI_INT, int);
	CHECK_INT(MPI_UNSIGNED, unsigned);
	CHECK_INT(MPI_LONG, long);
	CHECK_INT(MPI_UNSIGNED_LONG_LONG, unsigned long long);
	CHECK_INT(MPI_INT16_T, int16_t);
	CHECK_INT(MPI_UINT64_T, uint64_t);
	CHECK_INT(MPI_AINT, MPI_Aint);
	CHECK_INT(MPI_INTEGER8, int64_t);
}

static void float_results_match_c(void **state)
{
	CHECK_NUM(MPI_FLOAT, float);
	CHECK_NUM(MPI_DOUBLE, double);
	CHECK_NUM(MPI_LONG_DOUBLE, long double);
	CHECK_NUM(MPI_REAL8, double);
#if WEFT_HAVE_F128
	CHECK_NUM(MPI_REAL16, weft_f128);
#endif
}

static void complex_results_match_c(void **state)
{
	double complex a[2] = { 1 + 2 * I, -3 + I }, b[2] = { 2 - I, 4 * I };
	float complex c = 2 + 3 * I, d = 1 - I;

	apply(MPI_PROD, MPI_C_DOUBLE_COMPLEX, a, b, 2);
	T_TRUE(b[0] == 4 + 3 * I && b[1] == -4 - 12 * I);
	apply(MPI_SUM, MPI_C_FLOAT_COMPLEX, &c, &d, 1);
	T_TRUE(d == 3 + 2 * I);
#if WEFT_HAVE_F128
	weft_f128 e[2] = { 1, 2 }, f[2] = { 2, -1 };

	apply(MPI_PROD, MPI_COMPLEX32, e, f, 1);
	T_TRUE(f[0] == 4 && f[1] == 3);
#endif
}

/* Neither double nor x87's long double can represent 1 + 2^-100. */
static void sums_of_real16_have_113_bits(void **state)
{
#if WEFT_HAVE_F128
	weft_f128 small = 1, a, b = 1;

	for (int i = 0; i < 100; i++)
		small /= 2;
	a = small;
	apply(MPI_SUM, MPI_REAL16, &a, &b, 1);
	T_TRUE(b != 1 && b - 1 == small);
#else
	skip();
#endif
}

static void overflow_wraps(void **state)
{
	int a = INT_MAX, b = 1;
	short c = SHRT_MAX, d = SHRT_MAX;

	apply(MPI_SUM, MPI_INT, &a, &b, 1);
	T_IS(b, INT_MIN);
	apply(MPI_PROD, MPI_SHORT, &c, &d, 1);
	T_IS(d, 1);
}

static void minloc_and_maxloc_return_the_lower_index(void **state)
{
	struct weft_double_int a[2] = { { 3, 7 }, { 1, 0 } };
	struct weft_double_int b[2] = { { 3, 9 }, { 2, 1 } };
	struct weft_short_int c = { 5, 4 }, d = { 6, 3 };

	apply(MPI_MINLOC, MPI_DOUBLE_INT, a, b, 2);
	T_TRUE(b[0].value == 3 && b[0].index == 7);
	T_TRUE(b[1].value == 1 && b[1].index == 0);
	apply(MPI_MAXLOC, MPI_SHORT_INT, &c, &d, 1);
	T_TRUE(d.value == 6 && d.index == 3);
}

static void allowed_types_match_the_standard(void **state)
{
	const struct {
		MPI_Op op;
		MPI_Datatype dt;
		int ok;
	} rows[] = {
		{ MPI_BAND, MPI_BYTE, 1 },     { MPI_SUM, MPI_BYTE, 0 },
		{ MPI_BAND, MPI_DOUBLE, 0 },   { MPI_LAND, MPI_FLOAT, 0 },
		{ MPI_MIN, MPI_C_COMPLEX, 0 }, { MPI_SUM, MPI_C_COMPLEX, 1 },
		{ MPI_LAND, MPI_LOGICAL, 1 },  { MPI_LXOR, MPI_C_BOOL, 1 },
		{ MPI_SUM, MPI_LOGICAL, 0 },   { MPI_SUM, MPI_2INT, 0 },
		{ MPI_MINLOC, MPI_INT, 0 },    { MPI_MAXLOC, MPI_2INTEGER, 1 },
		{ MPI_SUM, MPI_CHAR, 1 },      { MPI_SUM, MPI_PACKED, 0 },
		{ MPI_MAX, MPI_COUNT, 1 },     { MPI_REPLACE, MPI_INT, 0 },
		{ MPI_SUM, MPI_REAL2, 0 },     { MPI_SUM, MPI_WCHAR, 0 },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++)
		T_IS(weft_op_allows(weft_op_of(rows[i].op),
				    weft_dt_of(rows[i].dt)),
		     rows[i].ok);
}

static void handles_map_to_operations(void **state)
{
	for (uintptr_t i = 0x20; i < 0x40; i++) {
		struct weft_op *op = weft_op_of((MPI_Op)i);

		if (op)
			T_IS(op->obj.predefined, i);
	}
	T_NULL(weft_op_of(MPI_OP_NULL));
	T_NULL(weft_op_of((MPI_Op)MPI_INT));
	T_NULL(weft_op_of(NULL));
}

static void minus(void *in, void *inout, int *len, MPI_Datatype *dt)
{
	int *a = in, *b = inout;

	T_TRUE(*dt == MPI_INT);
	for (int i = 0; i < *len; i++)
		b[i] = a[i] - b[i];
}

static void user_operations_get_operands_in_order(void **state)
{
	int a[3] = { 10, 20, 30 }, b[3] = { 1, 2, 3 };
	struct weft_op *op;

	T_OK(weft_op_open(minus, NULL, false, &op));
	T_FALSE(weft_op_commutes(op));
	T_PTR(weft_op_of(weft_op_handle(op)), op);
	weft_op_apply(op, a, b, 3, weft_dt_of(MPI_INT));
	T_TRUE(b[0] == 9 && b[1] == 18 && b[2] == 27);
	weft_op_put(op);
}

static void replace_copies_and_no_op_does_not(void **state)
{
	int a = 1, b = 2;

	weft_op_apply(weft_op_of(MPI_NO_OP), &a, &b, 1, weft_dt_of(MPI_INT));
	T_IS(b, 2);
	weft_op_apply(weft_op_of(MPI_REPLACE), &a, &b, 1, weft_dt_of(MPI_INT));
	T_IS(b, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(integer_results_match_c),
		T_CASE(float_results_match_c),
		T_CASE(complex_results_match_c),
		T_CASE(sums_of_real16_have_113_bits),
		T_CASE(overflow_wraps),
		T_CASE(minloc_and_maxloc_return_the_lower_index),
		T_CASE(allowed_types_match_the_standard),
		T_CASE(handles_map_to_operations),
		T_CASE(user_operations_get_operands_in_order),
		T_CASE(replace_copies_and_no_op_does_not),
	};

	return T_RUN(tests);
}

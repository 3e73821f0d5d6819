/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic kernels: every operation on every type, at any alignment and
 * length; the results of the two tables and where they differ.
 */
#include "src/base/num.h"

#include "src/base/rng.h"
#include "test/t.h"

#include <math.h>
#include <string.h>

#define N 37 /* number of elements: several vectors and a remainder */

/* Fills words with random bits that are not a NaN of any type. */
static void fill(struct weft_rng *r, uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = weft_rng_u64(r) & UINT64_C(0xbfffbfffbfffbfff);
}

static void results_depend_on_neither_alignment_nor_length(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 5, 0);
	for (unsigned op = 0; op < WEFT_NUM_KERNELS; op++)
		for (unsigned t = 0; t < WEFT_NUM_WORDS; t++) {
			weft_num_fn *fn = weft_num_unit[op][t];
			size_t bytes = weft_num_bytes(t), n = N * bytes;
			uint64_t in[N + 1], one[N + 1], all[N + 1];
			char *x = (char *)in + 1, *y = (char *)all + 1;
			uint32_t flags = 0;

			if (!fn)
				continue;
			fill(&r, in, N + 1);
			fill(&r, one, N + 1);
			memcpy(y, one, n);
			for (size_t i = 0; i < N; i++) {
				uint64_t a = 0, b = 0;

				memcpy(&a, x + i * bytes, bytes);
				memcpy(&b, (char *)one + i * bytes, bytes);
				flags |= fn(&a, &b, 1);
				memcpy((char *)one + i * bytes, &b, bytes);
			}
			T_IS(fn(x, y, N), flags);
			T_MEM(y, one, n);
			T_IS(fn(x, y, 0), 0);
			T_MEM(y, one, n);
		}
}

/*
 * Unlike weft_num_op, the kernels of weft_num_unit set flags, propagate NaN,
 * and define logical operations on floating-point numbers.
 */
static void both_tables_have_the_same_results(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 6, 0);
	for (unsigned op = 0; op < WEFT_NUM_KERNELS; op++)
		for (unsigned t = 0; t < WEFT_NUM_WORDS; t++) {
			uint64_t in[N], a[N], b[N];

			if (!weft_num_op[op][t])
				continue;
			fill(&r, in, N);
			fill(&r, a, N);
			memcpy(b, a, sizeof(b));
			T_IS(weft_num_op[op][t](in, a, N), 0);
			weft_num_unit[op][t](in, b, N);
			T_MEM(a, b, sizeof(a));
		}
}

static void tables_have_the_defined_operations_only(void **state)
{
	for (unsigned op = 0; op < WEFT_NUM_KERNELS; op++) {
		bool bits = op == WEFT_NUM_BOR || op == WEFT_NUM_BAND ||
			    op == WEFT_NUM_BXOR;
		bool logic = op == WEFT_NUM_LOR || op == WEFT_NUM_LAND ||
			     op == WEFT_NUM_LXOR;

		for (unsigned t = 0; t < WEFT_NUM_WORDS; t++) {
			bool real = t >= WEFT_NUM_F32;

			T_IS(!weft_num_unit[op][t], real && bits);
			T_IS(!weft_num_op[op][t], real && (bits || logic));
		}
		T_NULL(weft_num_op[op][WEFT_NUM_NONE]);
	}
	T_IS(weft_num_bytes(WEFT_NUM_F64), 8);
	T_IS(weft_num_bytes(WEFT_NUM_WORDS), 0);
}

static void minimum_and_maximum_treat_nan_as_their_table_says(void **state)
{
	for (unsigned op = WEFT_NUM_MIN; op <= WEFT_NUM_MAX; op++) {
		double nan = NAN, one = 1, b = nan;

		T_IS(weft_num_op[op][WEFT_NUM_F64](&one, &b, 1), 0);
		T_TRUE(isnan(b));
		b = one;
		T_IS(weft_num_op[op][WEFT_NUM_F64](&nan, &b, 1), 0);
		T_TRUE(b == 1);
		T_IS(weft_num_unit[op][WEFT_NUM_F64](&nan, &b, 1),
		     WEFT_NUM_NAN);
		T_TRUE(isnan(b));
		T_IS(weft_num_unit[op][WEFT_NUM_F64](&one, &b, 1),
		     WEFT_NUM_NAN);
		T_TRUE(isnan(b));
	}
}

static void zeros_of_different_sign_are_equal(void **state)
{
	for (unsigned op = WEFT_NUM_MIN; op <= WEFT_NUM_MAX; op++) {
		float plus = 0, minus = -plus, b = plus;

		weft_num_op[op][WEFT_NUM_F32](&minus, &b, 1);
		T_FALSE(signbit(b));
		b = minus;
		weft_num_unit[op][WEFT_NUM_F32](&plus, &b, 1);
		T_TRUE(signbit(b));
	}
}

static void logical_operations_on_floats_return_one_or_zero(void **state)
{
	static const struct {
		unsigned op;
		float a, b, result;
	} rows[] = {
		{ WEFT_NUM_LOR, 0.5f, 0, 1 },	 { WEFT_NUM_LOR, 0, -0.0f, 0 },
		{ WEFT_NUM_LAND, 0.5f, NAN, 1 }, { WEFT_NUM_LAND, 2, 0, 0 },
		{ WEFT_NUM_LXOR, 2, 3, 0 },	 { WEFT_NUM_LXOR, 0, 3, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		float b = rows[i].b;

		weft_num_unit[rows[i].op][WEFT_NUM_F32](&rows[i].a, &b, 1);
		T_TRUE(b == rows[i].result);
	}
}

static void overflow_of_one_element_sets_the_flag(void **state)
{
	for (unsigned t = 0; t < WEFT_NUM_F32; t++) {
		size_t bytes = weft_num_bytes(t);
		uint64_t ones[N], b[N] = { 0 };
		bool sign = t % 2 == 0;

		memset(ones, 0, sizeof(ones));
		((char *)ones)[20 * bytes] = 1;
		T_IS(weft_num_unit[WEFT_NUM_SUM][t](ones, b, N), 0);
		/* signed: 1 + -1; unsigned: 1 + the largest value */
		memset((char *)b + 20 * bytes, 0xff, bytes);
		T_IS(weft_num_unit[WEFT_NUM_SUM][t](b, ones, N),
		     sign ? 0 : WEFT_NUM_OVERFLOW);
		((char *)ones)[20 * bytes] = 1;
		/* the largest value of the type */
		memset((char *)b + 20 * bytes, 0xff, bytes);
		if (sign)
			((char *)b)[21 * bytes - 1] = 0x7f;
		T_IS(weft_num_unit[WEFT_NUM_SUM][t](ones, b, N),
		     WEFT_NUM_OVERFLOW);
		T_IS(((unsigned char *)b)[21 * bytes - 1], sign ? 0x80 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(results_depend_on_neither_alignment_nor_length),
		T_CASE(both_tables_have_the_same_results),
		T_CASE(tables_have_the_defined_operations_only),
		T_CASE(minimum_and_maximum_treat_nan_as_their_table_says),
		T_CASE(zeros_of_different_sign_are_equal),
		T_CASE(logical_operations_on_floats_return_one_or_zero),
		T_CASE(overflow_of_one_element_sets_the_flag),
	};

	return T_RUN(tests);
}

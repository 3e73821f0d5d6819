/* SPDX-License-Identifier: BSD-3-Clause */
/* The unit's arithmetic: every operation and type, flags, exact sums. */
#include "test/t.h"
#include "prov/group/cunit/cunit_alu.h"
#include "prov/group/cunit/cunit_exact.h"
#include "src/base/rng.h"

#include <math.h>
#include <string.h>

static void integer_operations_respect_the_sign(void **state)
{
	int32_t a = -5, b = 3;
	uint32_t x = (uint32_t)-5, y = 3;
	int8_t c = -1, d = 1;

	weft_cunit_combine(WEFT_NUM_MIN, WEFT_NUM_I32, &a, &b, 1);
	T_IS(a, -5);
	weft_cunit_combine(WEFT_NUM_MIN, WEFT_NUM_U32, &x, &y, 1);
	T_IS(x, 3);
	weft_cunit_combine(WEFT_NUM_MAX, WEFT_NUM_I8, &c, &d, 1);
	T_IS(c, 1);
	a = 0x55;
	b = 0x0f;
	weft_cunit_combine(WEFT_NUM_BXOR, WEFT_NUM_I32, &a, &b, 1);
	T_IS(a, 0x5a);
	weft_cunit_combine(WEFT_NUM_BAND, WEFT_NUM_I32, &a, &b, 1);
	T_IS(a, 0x0a);
	weft_cunit_combine(WEFT_NUM_BOR, WEFT_NUM_I32, &a, &b, 1);
	T_IS(a, 0x0f);
}

static void integer_overflow_sets_the_flag(void **state)
{
	int64_t a = INT64_MAX, one = 1;
	uint16_t u = 65535, v = 1;
	int32_t ok = 1, more = 2;

	T_IS(weft_cunit_combine(WEFT_NUM_SUM, WEFT_NUM_I64, &a, &one, 1),
	     WEFT_NUM_OVERFLOW);
	T_TRUE(a == INT64_MIN);
	T_IS(weft_cunit_combine(WEFT_NUM_SUM, WEFT_NUM_U16, &u, &v, 1),
	     WEFT_NUM_OVERFLOW);
	T_IS(u, 0);
	T_IS(weft_cunit_combine(WEFT_NUM_SUM, WEFT_NUM_I32, &ok, &more, 1), 0);
	T_IS(ok, 3);
}

static void nan_propagates_and_sets_the_flag(void **state)
{
	static const unsigned ops[] = { WEFT_NUM_SUM, WEFT_NUM_MIN,
					WEFT_NUM_MAX };

	for (int i = 0; i < 3; i++) {
		double a[2] = { 1, NAN }, b[2] = { NAN, 2 };
		float c = NAN, d = 1;

		T_IS(weft_cunit_combine(ops[i], WEFT_NUM_F64, a, b, 2),
		     WEFT_NUM_NAN);
		T_TRUE(isnan(a[0]) && isnan(a[1]));
		T_IS(weft_cunit_combine(ops[i], WEFT_NUM_F32, &c, &d, 1),
		     WEFT_NUM_NAN);
		T_TRUE(isnan(c));
	}
}

static void payloads_may_be_unaligned(void **state)
{
	char a[1 + 3 * 8], b[3 + 3 * 8];
	double x[3] = { 1, 2, 3 }, y[3] = { 10, 20, 30 }, got[3];

	memcpy(a + 1, x, sizeof(x));
	memcpy(b + 3, y, sizeof(y));
	weft_cunit_combine(WEFT_NUM_SUM, WEFT_NUM_F64, a + 1, b + 3, 3);
	memcpy(got, a + 1, sizeof(got));
	T_TRUE(got[0] == 11 && got[1] == 22 && got[2] == 33);
}

static void unsupported_operations_are_reported(void **state)
{
	T_FALSE(weft_cunit_supports(WEFT_NUM_BXOR, WEFT_NUM_F64));
	T_FALSE(weft_cunit_supports(WEFT_NUM_MIN, WEFT_COLL_EXACT));
	T_FALSE(weft_cunit_supports(WEFT_NUM_PROD, WEFT_NUM_I32));
	T_FALSE(weft_cunit_supports(WEFT_NUM_KERNELS, WEFT_NUM_I32));
	T_FALSE(weft_cunit_supports(WEFT_NUM_SUM, WEFT_CUNIT_TYPES));
	T_TRUE(weft_cunit_supports(WEFT_NUM_BXOR, WEFT_NUM_U8));
	T_IS(weft_cunit_bytes(WEFT_COLL_EXACT),
	     sizeof(struct weft_cunit_exact));
	T_IS(weft_cunit_bytes(99), 0);
}

static double round_trip(double x)
{
	struct weft_cunit_exact e;

	weft_cunit_exact_from(&e, x);
	return weft_cunit_exact_to(&e);
}

static void every_double_survives_widening(void **state)
{
	static const double some[] = { 0.0,	    -0.0,
				       1,	    -1,
				       0x1p-1074,   0x1p-1022,
				       0x1.8p-1023, 0x1.fffffffffffffp+1023,
				       -0x1p+1023 };
	struct weft_rng r;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		double back = round_trip(some[i]);

		T_MEM(&back, &some[i], sizeof(back));
	}
	weft_rng_init(&r, 3, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = weft_rng_u64(&r);
		double x, back;

		memcpy(&x, &bits, sizeof(x));
		if (isnan(x))
			continue;
		back = round_trip(x);
		T_MEM(&back, &x, sizeof(back));
	}
	T_TRUE(isnan(round_trip(NAN)) && isinf(round_trip(-INFINITY)));
}

static double exact_sum(const double *x, int n)
{
	struct weft_cunit_exact acc, e;

	weft_cunit_exact_from(&acc, x[0]);
	for (int i = 1; i < n; i++) {
		weft_cunit_exact_from(&e, x[i]);
		weft_cunit_combine(WEFT_NUM_SUM, WEFT_COLL_EXACT, &acc, &e, 1);
	}
	return weft_cunit_exact_to(&acc);
}

static void exact_sums_round_once(void **state)
{
	double cancel[] = { 1e308, 1, 1e308, -1e308, -1e308 };
	double even[] = { 0x1p53, 1 };	  /* a tie: rounds down, to even */
	double odd[] = { 0x1p53 + 2, 1 }; /* a tie: rounds up, to even */
	double sticky[] = { 0x1p53, 1, 0x1p-1074 };
	double overflow[] = { 0x1.fffffffffffffp+1023, 0x1p+971 };
	double zeros[] = { -0.0, -0.0 }, mixed[] = { -0.0, 0.0 };
	double infs[] = { INFINITY, -INFINITY };
	double minus[] = { -0x1p53, -1, -0x1p-1074 };

	T_TRUE(exact_sum(cancel, 5) == 1);
	T_TRUE(exact_sum(even, 2) == 0x1p53);
	T_TRUE(exact_sum(odd, 2) == 0x1p53 + 4);
	T_TRUE(exact_sum(sticky, 3) == 0x1p53 + 2);
	T_TRUE(isinf(exact_sum(overflow, 2)));
	T_TRUE(signbit(exact_sum(zeros, 2)) && !signbit(exact_sum(mixed, 2)));
	T_TRUE(isnan(exact_sum(infs, 2)));
	T_TRUE(exact_sum(minus, 3) == -0x1p53 - 2);
}

static void exact_sums_do_not_depend_on_order(void **state)
{
	double x[64], want = 0;
	struct weft_rng r;

	weft_rng_init(&r, 11, 0);
	for (int i = 0; i < 64; i++)
		x[i] = ldexp(weft_rng_unit(&r) - 0.5,
			     (int)weft_rng_below(&r, 2000) - 1000);
	for (int round = 0; round < 1000; round++) {
		double sum = exact_sum(x, 64);

		if (round == 0)
			want = sum;
		T_MEM(&sum, &want, sizeof(sum));
		for (int i = 63; i > 0; i--) {
			int j = (int)weft_rng_below(&r, (uint64_t)i + 1);
			double t = x[i];

			x[i] = x[j];
			x[j] = t;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(integer_operations_respect_the_sign),
		T_CASE(integer_overflow_sets_the_flag),
		T_CASE(nan_propagates_and_sets_the_flag),
		T_CASE(payloads_may_be_unaligned),
		T_CASE(unsupported_operations_are_reported),
		T_CASE(every_double_survives_widening),
		T_CASE(exact_sums_round_once),
		T_CASE(exact_sums_do_not_depend_on_order),
	};

	return T_RUN(tests);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of changes of elements: for every operation on every type the result is
 * that of its kernel, with and without atomics, at any alignment; concurrent
 * threads lose no update.
 */
#include "src/win/win_elem.h"

#include "test/t.h"

#include <stdalign.h>
#include <string.h>

/* elements: several words of 8 bytes, and partial words at both ends */
#define N    21
#define ROOM 1024

static const MPI_Op ops[] = {
	MPI_SUM,    MPI_PROD,	MPI_MIN,     MPI_MAX,	MPI_LAND,
	MPI_LOR,    MPI_LXOR,	MPI_BAND,    MPI_BOR,	MPI_BXOR,
	MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP,
};

static bool is_used(const struct weft_dt *dt, const struct weft_op *op)
{
	MPI_Op h = weft_op_handle(op);

	return dt->obj.predefined && dt->size > 0 &&
	       (h == MPI_REPLACE || h == MPI_NO_OP || weft_op_allows(op, dt));
}

/* Computes the expected result in the array `target`, by the kernel alone. */
static void expect(const struct weft_dt *dt, const struct weft_op *op,
		   const char *in, char *target)
{
	size_t bytes = (size_t)(N * dt->extent);

	if (weft_op_handle(op) == MPI_REPLACE)
		memcpy(target, in, bytes);
	else if (weft_op_handle(op) != MPI_NO_OP)
		weft_op_apply(op, in, target, N, dt);
}

/* Compares only the elements, not the gaps between them. */
static void check_same_elements(const struct weft_dt *dt, const char *a,
				const char *b)
{
	for (int i = 0; i < N; i++)
		T_MEM(a + i * dt->extent, b + i * dt->extent,
		      (size_t)dt->true_extent);
}

static void check_change(const struct weft_dt *dt, const struct weft_op *op,
			 size_t shift, bool plain, bool fetch)
{
	alignas(64) char mem[ROOM] = { 0 }, in[ROOM] = { 0 },
			 want[ROOM] = { 0 };
	alignas(64) char old[ROOM] = { 0 }, first[ROOM] = { 0 };
	struct win_elem e = win_elem_of(dt, op, false);
	struct win_elem_arrays r = { in, NULL, fetch ? old : NULL };

	/* small even bytes are a valid number in every type */
	for (size_t i = 0; i < (size_t)(N * dt->extent); i++) {
		first[i] = (char)(i % 7 ? 0 : 2);
		in[i] = (char)(i % 5 ? 0 : 4);
	}
	memcpy(want, first, sizeof(want));
	memcpy(mem + shift, first, (size_t)(N * dt->extent));
	expect(dt, op, in, want);
	win_elem_apply(&e, mem + shift, &r, N, plain);
	check_same_elements(dt, mem + shift, want);
	if (fetch)
		check_same_elements(dt, old, first);
	for (size_t i = 0; i < shift; i++)
		T_IS(mem[i], 0);
	T_IS(mem[shift + (size_t)(N * dt->extent)], 0);
}

static void element_changes_match_the_kernel(void **state)
{
	for (int t = 0; t < 256; t++)
		for (size_t o = 0; o < WEFT_COUNT_OF(ops); o++) {
			const struct weft_dt *dt = &weft_dt_predef[t];
			const struct weft_op *op = weft_op_of(ops[o]);

			if (!is_used(dt, op))
				continue;
			for (int fetch = 0; fetch < 2; fetch++) {
				check_change(dt, op, 0, false, fetch);
				check_change(dt, op, 0, true, fetch);
				check_change(dt, op, 3, false, fetch);
				check_change(dt, op, (size_t)dt->true_extent,
					     false, fetch);
			}
		}
}

static void compare_and_swap_compares_bits(void **state)
{
	static const MPI_Datatype types[] = { MPI_INT8_T, MPI_INT16_T,
					      MPI_INT32_T, MPI_INT64_T };

	for (size_t t = 0; t < WEFT_COUNT_OF(types); t++)
		for (int plain = 0; plain < 2; plain++) {
			struct win_elem e =
				win_elem_of(weft_dt_of(types[t]), NULL, true);
			uint64_t is = 5, want = 9, other = 6, old = 0;
			struct win_elem_arrays r = { (char *)&want,
						     (char *)&other,
						     (char *)&old };

			win_elem_apply(&e, (char *)&is, &r, 1, plain);
			T_IS(is, 5);
			T_IS(old, 5);
			other = 5;
			win_elem_apply(&e, (char *)&is, &r, 1, plain);
			T_IS(is, 9);
			T_IS(old, 5);
		}
}

/* The method is an atomic instruction or a lock. */
static void size_and_alignment_determine_the_method(void **state)
{
	const struct weft_op *sum = weft_op_of(MPI_SUM);
	struct win_elem i4 = win_elem_of(weft_dt_of(MPI_INT), sum, false);
	struct win_elem ld =
		win_elem_of(weft_dt_of(MPI_LONG_DOUBLE), sum, false);
	struct win_elem pair = win_elem_of(weft_dt_of(MPI_SHORT_INT),
					   weft_op_of(MPI_MAXLOC), false);

	T_TRUE(win_elem_is_atomic(&i4, 64));
	T_FALSE(win_elem_is_atomic(&i4, 66));
	T_FALSE(win_elem_is_atomic(&ld, 64));
	T_FALSE(win_elem_is_atomic(&pair, 64));
}

static void *add_doubles(void *arg)
{
	struct win_elem e =
		win_elem_of(weft_dt_of(MPI_DOUBLE), weft_op_of(MPI_SUM), false);
	double ones[4] = { 1, 1, 1, 1 };
	struct win_elem_arrays r = { (char *)ones, NULL, NULL };

	for (int i = 0; i < t_scale(5000); i++)
		win_elem_apply(&e, arg, &r, 4, false);
	return NULL;
}

static void concurrent_additions_are_not_lost(void **state)
{
	alignas(64) double sum[4] = { 0 };

	t_threads(4, add_doubles, sum, 0);
	for (int i = 0; i < 4; i++)
		T_TRUE(sum[i] == 4 * t_scale(5000));
}

/* Adds one to four floats by words, then to the middle two one by one. */
static void *add_floats(void *arg)
{
	struct win_elem e =
		win_elem_of(weft_dt_of(MPI_FLOAT), weft_op_of(MPI_SUM), false);
	float ones[4] = { 1, 1, 1, 1 };
	struct win_elem_arrays r = { (char *)ones, NULL, NULL };

	for (int i = 0; i < t_scale(5000); i++) {
		win_elem_apply(&e, arg, &r, 4, false);
		win_elem_apply(&e, (char *)arg + 4, &r, 1, false);
		win_elem_apply(&e, (char *)arg + 8, &r, 1, false);
	}
	return NULL;
}

static void word_and_element_additions_are_not_lost(void **state)
{
	alignas(64) float sum[4] = { 0 };
	int all = 4 * t_scale(5000);

	t_threads(4, add_floats, sum, 0);
	for (int i = 0; i < 4; i++)
		T_IS((int)sum[i], i == 1 || i == 2 ? 2 * all : all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(element_changes_match_the_kernel),
		T_CASE(compare_and_swap_compares_bits),
		T_CASE(size_and_alignment_determine_the_method),
		T_CASE(concurrent_additions_are_not_lost),
		T_CASE(word_and_element_additions_are_not_lost),
	};

	return T_RUN(tests);
}

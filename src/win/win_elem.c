/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic on the elements of a target, see win_elem.h. */
#include "src/win/win_elem.h"

#include <string.h>

/* at least the size of the longest predefined type, bytes */
#define ELEM_MAX 64

static bool is_int(const struct weft_dt *unit, size_t bytes)
{
	bool whole =
		(unit->basic >= WEFT_BASIC_I8 &&
		 unit->basic <= WEFT_BASIC_I64) ||
		(unit->basic >= WEFT_BASIC_U8 && unit->basic <= WEFT_BASIC_U64);

	return whole && (size_t)unit->size == bytes;
}

static enum win_elem_what what_of(const struct weft_dt *unit, MPI_Op op)
{
	if (op == MPI_REPLACE)
		return WIN_ELEM_REPLACE;
	if (op == MPI_NO_OP)
		return WIN_ELEM_KEEP;
	if (op == MPI_SUM && is_int(unit, 4))
		return WIN_ELEM_SUM32;
	if (op == MPI_SUM && is_int(unit, 8))
		return WIN_ELEM_SUM64;
	return WIN_ELEM_OP;
}

struct win_elem win_elem_of(const struct weft_dt *unit,
			    const struct weft_op *op, bool compares)
{
	size_t n = (size_t)unit->true_extent;
	struct win_elem e = { .what = WIN_ELEM_CAS,
			      .bytes = n,
			      .step = (size_t)unit->extent };

	e.can_swap = n == e.step && (size_t)unit->size == n && n <= 8 && n &&
		     !(n & (n - 1));
	if (compares)
		return e;
	e.what = what_of(unit, weft_op_handle(op));
	if (e.what <= WIN_ELEM_SUM64)
		e.fn = op->row[unit->basic];
	return e;
}

/* ---- changes by atomic instructions -------------------------------------- */

/* Atomic load, store and compare-and-swap of words of each size. */

static uint64_t word_load(const void *at, size_t bytes)
{
	switch (bytes) {
	case 8:
		return atomic_load_explicit((const weft_au64 *)at,
					    memory_order_acquire);
	case 4:
		return atomic_load_explicit((const weft_au32 *)at,
					    memory_order_acquire);
	case 2:
		return atomic_load_explicit((const _Atomic uint16_t *)at,
					    memory_order_acquire);
	default:
		return atomic_load_explicit((const _Atomic uint8_t *)at,
					    memory_order_acquire);
	}
}

static void word_store(void *at, uint64_t v, size_t bytes)
{
	/*
	 * relaxed: readers synchronize first, which orders all earlier stores
	 */
	switch (bytes) {
	case 8:
		atomic_store_explicit((weft_au64 *)at, v, memory_order_relaxed);
		break;
	case 4:
		atomic_store_explicit((weft_au32 *)at, (uint32_t)v,
				      memory_order_relaxed);
		break;
	case 2:
		atomic_store_explicit((_Atomic uint16_t *)at, (uint16_t)v,
				      memory_order_relaxed);
		break;
	default:
		atomic_store_explicit((_Atomic uint8_t *)at, (uint8_t)v,
				      memory_order_relaxed);
	}
}

/*
 * Compare-and-swap. Returns false and sets *expect_p to the current value if
 * the values differ.
 */
static bool word_swap(void *at, size_t bytes, uint64_t *expect_p, uint64_t want)
{
	uint32_t e32 = (uint32_t)*expect_p;
	uint16_t e16 = (uint16_t)*expect_p;
	uint8_t e8 = (uint8_t)*expect_p;
	bool done;

	if (bytes == 8)
		return weft_cas64(at, expect_p, want);
	if (bytes == 4) {
		done = weft_cas32(at, &e32, (uint32_t)want);
		*expect_p = e32;
	} else if (bytes == 2) {
		done = atomic_compare_exchange_strong((_Atomic uint16_t *)at,
						      &e16, (uint16_t)want);
		*expect_p = e16;
	} else {
		done = atomic_compare_exchange_strong((_Atomic uint8_t *)at,
						      &e8, (uint8_t)want);
		*expect_p = e8;
	}
	return done;
}

/*
 * Returns the new value of a word whose value is old. All supported processors
 * are little-endian.
 */
static uint64_t word_next(const struct win_elem *e, uint64_t old, uint64_t in,
			  uint64_t compare)
{
	uint64_t next = old;

	switch (e->what) {
	case WIN_ELEM_REPLACE:
		return in;
	case WIN_ELEM_KEEP:
		return old;
	case WIN_ELEM_CAS:
		return old == compare ? in : old;
	case WIN_ELEM_SUM32:
		return (uint32_t)(old + in);
	case WIN_ELEM_SUM64:
		return old + in;
	default:
		e->fn(&in, &next, 1);
		return next;
	}
}

/* Changes an element; returns its old value. */
static uint64_t word_change(const struct win_elem *e, void *at, uint64_t in,
			    uint64_t compare)
{
	uint64_t old, next;

	if (e->what == WIN_ELEM_SUM64)
		return weft_add64(at, in);
	if (e->what == WIN_ELEM_SUM32)
		return weft_add32(at, (uint32_t)in);
	old = word_load(at, e->bytes);
	do {
		next = word_next(e, old, in, compare);
		if (next == old && e->what != WIN_ELEM_REPLACE)
			return old;
	} while (!word_swap(at, e->bytes, &old, next));
	return old;
}

static uint64_t word_get(const char *row, size_t bytes)
{
	uint64_t v = 0;

	if (bytes == 8)
		memcpy(&v, row, 8);
	else if (bytes == 4)
		memcpy(&v, row, 4);
	else
		memcpy(&v, row, bytes);
	return v;
}

static void word_put(char *row, uint64_t v, size_t bytes)
{
	if (bytes == 8)
		memcpy(row, &v, 8);
	else if (bytes == 4)
		memcpy(row, &v, 4);
	else
		memcpy(row, &v, bytes);
}

/*
 * Returns the number of bytes changed by one compare-and-swap. Short elements
 * that fill an aligned 8-byte word are changed together, at the cost of one.
 */
static size_t bytes_at_once(const struct win_elem *e, const char *at,
			    size_t left)
{
	bool whole =
		left >= 8 && !((uintptr_t)at & 7) && e->what != WIN_ELEM_CAS;

	return whole ? 8 : e->bytes;
}

/* Changes all elements of an 8-byte word; returns the old value. */
static uint64_t words_change(const struct win_elem *e, void *at, uint64_t in)
{
	uint64_t old = word_load(at, 8), next;

	do {
		next = e->what == WIN_ELEM_REPLACE ? in : old;
		if (e->what <= WIN_ELEM_SUM64)
			e->fn(&in, &next, 8 / e->bytes);
		if (next == old && e->what != WIN_ELEM_REPLACE)
			return old;
	} while (!word_swap(at, 8, &old, next));
	return old;
}

/* Replaces elements by stores, for calls that do not fetch the old values. */
static void apply_stores(const struct win_elem *e, char *at, const char *in,
			 size_t n)
{
	size_t len = n * e->bytes, b;

	for (size_t i = 0; i < len; i += b) {
		b = bytes_at_once(e, at + i, len - i);
		word_store(at + i, word_get(in + i, b), b);
	}
}

static void apply_words(const struct win_elem *e, char *at,
			const struct win_elem_arrays *r, size_t n)
{
	size_t len = n * e->bytes, b;

	for (size_t i = 0; i < len; i += b) {
		uint64_t in, cmp, old;

		b = bytes_at_once(e, at + i, len - i);
		in = r->in ? word_get(r->in + i, b) : 0;
		cmp = r->compare ? word_get(r->compare + i, b) : 0;
		old = b > e->bytes ? words_change(e, at + i, in)
				   : word_change(e, at + i, in, cmp);
		if (r->old)
			word_put(r->old + i, old, b);
	}
}

/* ---- changes without atomic instructions --------------------------------- */

static void change_plain(const struct win_elem *e, char *at, const char *in,
			 const char *compare)
{
	_Alignas(16) char a[ELEM_MAX], b[ELEM_MAX];

	switch (e->what) {
	case WIN_ELEM_KEEP:
		return;
	case WIN_ELEM_REPLACE:
		memcpy(at, in, e->bytes);
		return;
	case WIN_ELEM_CAS:
		if (!memcmp(at, compare, e->bytes))
			memcpy(at, in, e->bytes);
		return;
	default:
		/* the kernels (weft_op_fn) need aligned elements */
		memcpy(a, in, e->bytes);
		memcpy(b, at, e->bytes);
		e->fn(a, b, 1);
		memcpy(at, b, e->bytes);
	}
}

static void apply_plain(const struct win_elem *e, char *at,
			const struct win_elem_arrays *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t off = i * e->step;

		if (r->old)
			memcpy(r->old + off, at + off, e->bytes);
		change_plain(e, at + off, r->in ? r->in + off : NULL,
			     r->compare ? r->compare + off : NULL);
	}
}

/*
 * Copies arrays without gaps if no arithmetic is needed. Returns false
 * otherwise.
 */
static bool apply_move(const struct win_elem *e, char *at,
		       const struct win_elem_arrays *r, size_t n)
{
	size_t len = n * e->step;

	if (e->bytes != e->step ||
	    (e->what != WIN_ELEM_REPLACE && e->what != WIN_ELEM_KEEP))
		return false;
	if (r->old)
		memcpy(r->old, at, len);
	if (e->what == WIN_ELEM_REPLACE)
		memcpy(at, r->in, len);
	return true;
}

/*
 * Returns whether `at` is aligned as the kernels require: by the largest power
 * of two that divides the element size, at most 16.
 */
static bool is_aligned(const struct win_elem *e, const void *at)
{
	size_t align = e->bytes & -e->bytes;

	return !((uintptr_t)at % (align < 16 ? align : 16));
}

/* Changes arrays without gaps by one kernel call. Returns false otherwise. */
static bool apply_arrays(const struct win_elem *e, char *at,
			 const struct win_elem_arrays *r, size_t n)
{
	if (e->bytes != e->step || e->what > WIN_ELEM_SUM64 ||
	    !is_aligned(e, at) || !is_aligned(e, r->in))
		return false;
	if (r->old)
		memcpy(r->old, at, n * e->bytes);
	e->fn(r->in, at, n);
	return true;
}

void win_elem_apply(const struct win_elem *e, char *at,
		    const struct win_elem_arrays *r, size_t n, bool plain)
{
	bool quick = !plain && win_elem_is_atomic(e, (uintptr_t)at);

	if (quick && e->what == WIN_ELEM_REPLACE && !r->old)
		apply_stores(e, at, r->in, n);
	else if (quick)
		apply_words(e, at, r, n);
	else if (!apply_move(e, at, r, n) && !apply_arrays(e, at, r, n))
		apply_plain(e, at, r, n);
}

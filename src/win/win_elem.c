/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic on the elements of a target, see win_elem.h. */
#include "src/win/win_elem.h"

#include "src/base/word.h"

static enum win_elem_what what_of(const struct weft_dt *unit, MPI_Op op)
{
	if (op == MPI_REPLACE)
		return WIN_ELEM_REPLACE;
	if (op == MPI_NO_OP)
		return WIN_ELEM_KEEP;
	if (op == MPI_SUM &&
	    (unit->basic == WEFT_NUM_I32 || unit->basic == WEFT_NUM_U32))
		return WIN_ELEM_SUM32;
	if (op == MPI_SUM &&
	    (unit->basic == WEFT_NUM_I64 || unit->basic == WEFT_NUM_U64))
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

/* Returns the new value of a word whose old value is `old`. */
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

/* Updates an element; returns its old value. */
static uint64_t word_change(const struct win_elem *e, void *at, uint64_t in,
			    uint64_t compare)
{
	uint64_t old, next;

	if (e->what == WIN_ELEM_SUM64)
		return weft_add64(at, in);
	if (e->what == WIN_ELEM_SUM32)
		return weft_add32(at, (uint32_t)in);
	old = weft_word_load(at, e->bytes);
	do {
		next = word_next(e, old, in, compare);
		if (next == old && e->what != WIN_ELEM_REPLACE)
			return old;
	} while (!weft_word_cas(at, e->bytes, &old, next));
	return old;
}

/*
 * Returns the number of bytes updated by one compare-and-swap. Short elements
 * that fill an aligned 8-byte word are updated together.
 */
static size_t bytes_at_once(const struct win_elem *e, const char *at,
			    size_t left)
{
	bool whole =
		left >= 8 && !((uintptr_t)at & 7) && e->what != WIN_ELEM_CAS;

	return whole ? 8 : e->bytes;
}

/* Updates all elements of an 8-byte word; returns the old value. */
static uint64_t words_change(const struct win_elem *e, void *at, uint64_t in)
{
	uint64_t old = weft_word_load(at, 8), next;

	do {
		next = e->what == WIN_ELEM_REPLACE ? in : old;
		if (e->what <= WIN_ELEM_SUM64)
			e->fn(&in, &next, 8 / e->bytes);
		if (next == old && e->what != WIN_ELEM_REPLACE)
			return old;
	} while (!weft_word_cas(at, 8, &old, next));
	return old;
}

/* Replaces elements by stores, for calls that do not fetch the old values. */
static void apply_stores(const struct win_elem *e, char *at, const char *in,
			 size_t n)
{
	size_t len = n * e->bytes, b;

	for (size_t i = 0; i < len; i += b) {
		b = bytes_at_once(e, at + i, len - i);
		/* relaxed: readers synchronize before they read */
		weft_word_store_relaxed(at + i, weft_word_get(in + i, b), b);
	}
}

static void apply_words(const struct win_elem *e, char *at,
			const struct win_elem_arrays *r, size_t n)
{
	size_t len = n * e->bytes, b;

	for (size_t i = 0; i < len; i += b) {
		uint64_t in, cmp, old;

		b = bytes_at_once(e, at + i, len - i);
		in = r->in ? weft_word_get(r->in + i, b) : 0;
		cmp = r->compare ? weft_word_get(r->compare + i, b) : 0;
		old = b > e->bytes ? words_change(e, at + i, in)
				   : word_change(e, at + i, in, cmp);
		if (r->old)
			weft_word_put(r->old + i, old, b);
	}
}

/* ---- changes without atomic instructions --------------------------------- */

static void change_plain(const struct win_elem *e, char *at, const char *in,
			 const char *compare)
{
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
		e->fn(in, at, 1);
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

/* Copies arrays without gaps; returns false if arithmetic is needed. */
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
 * Updates arrays without gaps by one call of the operation's vector function.
 * Returns false if there are gaps.
 */
static bool apply_arrays(const struct win_elem *e, char *at,
			 const struct win_elem_arrays *r, size_t n)
{
	if (e->bytes != e->step || e->what > WIN_ELEM_SUM64)
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

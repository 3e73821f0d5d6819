/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of atomic operations. Elements are loaded as 64-bit numbers of one
 * of three classes (signed, unsigned, floating), computed, and stored with
 * their own width by compare-and-swap. Sums and products of integers are
 * correct modulo their width. A float result is computed as double and rounded
 * once.
 */
#include "prov/nic/nic_atomic_exec.h"

#include "prov/nic/nic.h"
#include "src/base/atomic.h"

#include <string.h>

enum class { SIGNED, UNSIGNED, FLOATING };

union value {
	int64_t i;
	uint64_t u;
	double d;
};

static const uint8_t class_of[WEFT_ATOMIC_TYPES] = {
	SIGNED,	  UNSIGNED, SIGNED,   UNSIGNED, SIGNED,
	UNSIGNED, SIGNED,   UNSIGNED, FLOATING, FLOATING,
};

/* Converts the bits of an element to a value of its class. */
static union value value_of(unsigned type, uint64_t bits)
{
	union value v = { .u = bits };
	unsigned spare = 64 - 8 * (unsigned)weft_atomic_type_bytes(type);
	uint32_t low = (uint32_t)bits;
	float f;

	if (type == WEFT_ATOMIC_FLOAT) {
		memcpy(&f, &low, sizeof(f));
		v.d = (double)f;
	} else if (class_of[type] == SIGNED) {
		v.i = (int64_t)(bits << spare) >> spare;
	}
	return v;
}

static uint64_t bits_of(unsigned type, union value v)
{
	float f = 0;
	uint32_t low;

	if (type != WEFT_ATOMIC_FLOAT)
		return v.u;
	f = (float)v.d;
	memcpy(&low, &f, sizeof(low));
	return low;
}

/* Returns -1, 0 or 1; 2: unordered (a NaN). */
static int compare(unsigned class, union value a, union value b)
{
	if (class == SIGNED)
		return (a.i > b.i) - (a.i < b.i);
	if (class == UNSIGNED)
		return (a.u > b.u) - (a.u < b.u);
	if (a.d != a.d || b.d != b.d)
		return 2;
	return (a.d > b.d) - (a.d < b.d);
}

static union value arith(unsigned class, unsigned op, union value t,
			 union value o)
{
	union value r = t;

	if (class == FLOATING)
		r.d = op == WEFT_ATOMIC_SUM ? t.d + o.d : t.d * o.d;
	else
		r.u = op == WEFT_ATOMIC_SUM ? t.u + o.u : t.u * o.u;
	return r;
}

static union value logic(unsigned class, unsigned op, union value t,
			 union value o)
{
	bool a = class == FLOATING ? t.d != 0 : t.u != 0;
	bool b = class == FLOATING ? o.d != 0 : o.u != 0;
	bool r = op == WEFT_ATOMIC_LOR	  ? a || b
		 : op == WEFT_ATOMIC_LAND ? a && b
					  : a != b;
	union value v = { .u = r };

	if (class == FLOATING)
		v.d = r;
	return v;
}

/* Returns whether the comparison of this compare-and-swap succeeds. */
static bool swap_condition(unsigned class, unsigned op, union value c,
			   union value t)
{
	int order = compare(class, c, t);

	switch (op) {
	case WEFT_ATOMIC_CSWAP:
		return order == 0;
	case WEFT_ATOMIC_CSWAP_NE:
		return order != 0;
	case WEFT_ATOMIC_CSWAP_LE:
		return order == -1 || order == 0;
	case WEFT_ATOMIC_CSWAP_LT:
		return order == -1;
	case WEFT_ATOMIC_CSWAP_GE:
		return order == 1 || order == 0;
	default:
		return order == 1;
	}
}

/* Returns the new value of target t for operand o and comparand c. */
static union value new_value(unsigned class, unsigned op, union value t,
			     union value o, union value c)
{
	switch (op) {
	case WEFT_ATOMIC_MIN:
		return compare(class, o, t) == -1 ? o : t;
	case WEFT_ATOMIC_MAX:
		return compare(class, o, t) == 1 ? o : t;
	case WEFT_ATOMIC_SUM:
	case WEFT_ATOMIC_PROD:
		return arith(class, op, t, o);
	case WEFT_ATOMIC_LOR:
	case WEFT_ATOMIC_LAND:
	case WEFT_ATOMIC_LXOR:
		return logic(class, op, t, o);
	case WEFT_ATOMIC_BOR:
		return (union value){ .u = t.u | o.u };
	case WEFT_ATOMIC_BAND:
		return (union value){ .u = t.u & o.u };
	case WEFT_ATOMIC_BXOR:
		return (union value){ .u = t.u ^ o.u };
	case WEFT_ATOMIC_READ:
		return t;
	case WEFT_ATOMIC_WRITE:
		return o;
	case WEFT_ATOMIC_MSWAP:
		return (union value){ .u = (o.u & c.u) | (t.u & ~c.u) };
	default:
		return swap_condition(class, op, c, t) ? o : t;
	}
}

static uint64_t bits_load(const void *p, size_t bytes)
{
	uint64_t v = 0;

	/* little-endian: the low bytes of v */
	memcpy(&v, p, bytes);
	return v;
}

/*
 * Stores want if the memory holds *expect_p; otherwise sets *expect_p to the
 * value found.
 */
static bool bits_swap(void *p, size_t bytes, uint64_t *expect_p, uint64_t want)
{
	uint8_t e8 = (uint8_t)*expect_p;
	uint16_t e16 = (uint16_t)*expect_p;
	uint32_t e32 = (uint32_t)*expect_p;
	bool done;

	if ((uintptr_t)p % bytes) {
		memcpy(p, &want, bytes);
		return true;
	}
	if (bytes == 8)
		return weft_cas64(p, expect_p, want);
	if (bytes == 4) {
		done = weft_cas32(p, &e32, (uint32_t)want);
		*expect_p = e32;
	} else if (bytes == 2) {
		done = atomic_compare_exchange_strong((_Atomic uint16_t *)p,
						      &e16, (uint16_t)want);
		*expect_p = e16;
	} else {
		done = atomic_compare_exchange_strong((_Atomic uint8_t *)p, &e8,
						      (uint8_t)want);
		*expect_p = e8;
	}
	return done;
}

void nic_atomic_exec(const struct nic_atomic_call *c)
{
	size_t bytes = weft_atomic_type_bytes(c->type), at;
	unsigned class = class_of[c->type];
	union value o = { 0 }, cmp = { 0 }, r;
	uint64_t old, want;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		at = i * bytes;
		if (c->op != WEFT_ATOMIC_READ)
			o = value_of(c->type,
				     bits_load((const char *)c->operand + at,
					       bytes));
		if (c->op >= WEFT_ATOMIC_CSWAP)
			cmp = value_of(c->type,
				       bits_load((const char *)c->compare + at,
						 bytes));
		old = bits_load((char *)c->target + at, bytes);
		do {
			r = new_value(class, c->op, value_of(c->type, old), o,
				      cmp);
			want = bits_of(c->type, r);
		} while (!bits_swap((char *)c->target + at, bytes, &old, want));
		if (c->old)
			memcpy((char *)c->old + at, &old, bytes);
	}
}

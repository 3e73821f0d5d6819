/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reed-Solomon: error locations and error values.
 *
 * The received word is a codeword plus an error polynomial e(x). The syndromes
 * s[j] = e(a^j) follow from the remainder. The locator is the shortest
 * recurrence that generates them (Berlekamp and Massey). It has a root a^-p for
 * each wrong symbol, at x^p; the roots are found by trial (Chien). The error
 * values follow from the evaluator, syndromes times locator (Forney). With at
 * most checks/2 wrong symbols the solution is unique.
 */
#include "prov/code/code_rs_field.h"

#include <errno.h>
#include <string.h>

enum { MOST = WEFT_CODE_RS_CHECKS / 2 };

struct errors {
	int count;
	unsigned power[MOST]; /* powers of x: positions of the wrong symbols */
	uint16_t value[MOST]; /* values to be added to the wrong symbols */
};

/* Returns p(y) for the n terms of p, the lowest first. */
static uint16_t polynomial_value(const struct weft_code_rs *rs,
				 const uint16_t *p, unsigned n, uint16_t y)
{
	uint16_t sum = 0;

	while (n--)
		sum = rs_mul(rs, sum, y) ^ p[n];
	return sum;
}

/* Computes s[j] from the remainder r. Returns false if all are zero. */
static bool syndromes(const struct weft_code_rs *rs,
		      const struct weft_code_rs_checks *r, uint16_t *s)
{
	uint16_t term[WEFT_CODE_RS_CHECKS];
	unsigned c = rs->checks;
	uint16_t any = 0;

	for (unsigned k = 0; k < c; k++)
		term[k] = rs_symbol(r, c - 1 - k);
	for (unsigned j = 0; j < c; j++) {
		s[j] = polynomial_value(rs, term, c, rs->exp[j]);
		any |= s[j];
	}
	return any;
}

/* Computes to(x) += f * x^shift * from(x), truncated. */
static void add_shifted(const struct weft_code_rs *rs, uint16_t *to, uint16_t f,
			const uint16_t *from, unsigned shift)
{
	for (unsigned k = shift; k <= WEFT_CODE_RS_CHECKS; k++)
		to[k] ^= rs_mul(rs, f, from[k - shift]);
}

/* Computes the locator, lowest term first. Returns the recurrence length. */
static unsigned locator(const struct weft_code_rs *rs, const uint16_t *s,
			uint16_t *l)
{
	uint16_t before[WEFT_CODE_RS_CHECKS + 1] = { 1 }, was = 1;
	uint16_t keep[WEFT_CODE_RS_CHECKS + 1];
	unsigned len = 0, shift = 1;

	memset(l, 0, sizeof(keep));
	l[0] = 1;
	for (unsigned n = 0; n < rs->checks; n++, shift++) {
		uint16_t miss = 0;

		for (unsigned i = 0; i <= len; i++)
			miss ^= rs_mul(rs, l[i], s[n - i]);
		if (!miss)
			continue;
		memcpy(keep, l, sizeof(keep));
		add_shifted(rs, l, rs_div(rs, miss, was), before, shift);
		if (2 * len > n)
			continue;
		len = n + 1 - len;
		memcpy(before, keep, sizeof(keep));
		was = miss;
		shift = 0;
	}
	return len;
}

/* Finds the symbols below x^n at which the locator is zero. */
static void roots(const struct weft_code_rs *rs, const uint16_t *l,
		  unsigned len, unsigned n, struct errors *e)
{
	e->count = 0;
	for (unsigned p = 0; p < n && e->count < (int)len; p++) {
		uint16_t y = rs->exp[WEFT_CODE_RS_LENGTH - p];

		if (!polynomial_value(rs, l, len + 1, y))
			e->power[e->count++] = p;
	}
}

static void error_values(const struct weft_code_rs *rs, const uint16_t *s,
			 const uint16_t *l, struct errors *e)
{
	uint16_t eval[MOST] = { 0 }, slope[MOST + 1] = { 0 };
	unsigned len = (unsigned)e->count;

	for (unsigned k = 0; k < len; k++)
		for (unsigned i = 0; i <= k; i++)
			eval[k] ^= rs_mul(rs, l[i], s[k - i]);
	/* Even terms have no derivative in characteristic 2. */
	for (unsigned k = 1; k <= len; k += 2)
		slope[k - 1] = l[k];
	for (unsigned i = 0; i < len; i++) {
		unsigned p = e->power[i];
		uint16_t y = rs->exp[WEFT_CODE_RS_LENGTH - p];

		e->value[i] =
			rs_mul(rs, rs->exp[p],
			       rs_div(rs, polynomial_value(rs, eval, len, y),
				      polynomial_value(rs, slope, len + 1, y)));
	}
}

/* Returns false if the error would be in bits that were not sent. */
static bool errors_in_sent_bits(const struct weft_code_rs *rs,
				const struct errors *e, unsigned bits)
{
	unsigned short_by = (bits + 9) / 10 * 10 - bits;

	for (int i = 0; i < e->count; i++)
		if (e->power[i] == rs->checks && e->value[i] >> (10 - short_by))
			return false;
	return true;
}

/* Adds x to symbol i of the data, which may span two bytes. */
static void data_add(unsigned char *data, unsigned i, uint16_t x)
{
	for (unsigned b = 0; b < 10; b++)
		if (x >> b & 1)
			data[(10 * i + b) / 8] ^=
				(unsigned char)(1u << (10 * i + b) % 8);
}

static void errors_apply(const struct weft_code_rs *rs, const struct errors *e,
			 void *data, unsigned n,
			 struct weft_code_rs_checks *checks)
{
	for (int i = 0; i < e->count; i++) {
		unsigned at = n - 1 - e->power[i];

		if (e->power[i] < rs->checks)
			rs_symbol_add(checks, rs->checks - 1 - e->power[i],
				      e->value[i]);
		else
			data_add(data, at, e->value[i]);
	}
}

int weft_code_rs_correct(const struct weft_code_rs *rs, void *data,
			 unsigned bits, struct weft_code_rs_checks *checks)
{
	struct weft_code_rs_checks r = weft_code_rs_encode(rs, data, bits);
	uint16_t s[WEFT_CODE_RS_CHECKS], l[WEFT_CODE_RS_CHECKS + 1];
	unsigned n = (bits + 9) / 10 + rs->checks, len;
	struct errors e;

	for (int i = 0; i < 3; i++)
		r.w[i] ^= checks->w[i];
	if (!syndromes(rs, &r, s))
		return 0;
	len = locator(rs, s, l);
	if (len > rs->checks / 2)
		return -EBADMSG;
	roots(rs, l, len, n, &e);
	if (e.count != (int)len)
		return -EBADMSG;
	error_values(rs, s, l, &e);
	if (!errors_in_sent_bits(rs, &e, bits))
		return -EBADMSG;
	errors_apply(rs, &e, data, n, checks);
	return e.count;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reed-Solomon: the published generator, roots checked with OpenSSL's
 * arithmetic, errors that must be detected or corrected, and the rate of
 * undetected errors.
 */
#include "test/t.h"
#include "test/support/code_reference.h"
#include "prov/code/code_rs.h"
#include "src/base/rng.h"

#include <string.h>

enum {
	SUNWAY = 20 * 257,	    /* bits of a block: 514 symbols */
	BGQ = 8 * (32 + 512) + 10,  /* packet and its end-to-end symbol */
	ROOM = WEFT_CODE_RS_LENGTH, /* largest number of symbols in a test */
};

/* A codeword with packed data. */
struct word {
	unsigned char data[ROOM * 10 / 8 + 2];
	struct weft_code_rs_checks checks;
	unsigned bits;
};

static struct weft_code_rs codes[WEFT_CODE_RS_CHECKS + 1];

static int open_all(void **state)
{
	for (unsigned c = 1; c <= WEFT_CODE_RS_CHECKS; c++)
		weft_code_rs_init(&codes[c], c);
	return 0;
}

static void random_word(struct weft_rng *r, const struct weft_code_rs *rs,
			unsigned bits, struct word *w)
{
	weft_rng_fill(r, w->data, sizeof(w->data));
	w->bits = bits;
	w->checks = weft_code_rs_encode(rs, w->data, bits);
}

static unsigned symbols(const struct weft_code_rs *rs, const struct word *w)
{
	return (w->bits + 9) / 10 + rs->checks;
}

/* Returns the byte of bit b of symbol i (data, then checks), or NULL. */
static unsigned char *byte_of_bit(struct word *w, unsigned i, unsigned b,
				  unsigned *k_p)
{
	unsigned data = (w->bits + 9) / 10, k = 10 * i + b;
	unsigned char *p = w->data;

	if (i >= data) {
		k -= 10 * data;
		p = (unsigned char *)&w->checks;
	} else if (k >= w->bits) {
		return NULL;
	}
	*k_p = k % 8;
	return p + k / 8;
}

static unsigned symbol(struct word *w, unsigned i)
{
	unsigned x = 0, k;

	for (unsigned b = 0; b < 10; b++) {
		unsigned char *p = byte_of_bit(w, i, b, &k);

		x |= p && *p >> k & 1 ? 1u << b : 0;
	}
	return x;
}

static void add_error(struct word *w, unsigned i, unsigned x)
{
	unsigned k;

	for (unsigned b = 0; b < 10; b++) {
		unsigned char *p = byte_of_bit(w, i, b, &k);

		if (p && x >> b & 1)
			*p ^= (unsigned char)(1u << k);
	}
}

/* Adds errors to count different symbols, except to a partial symbol. */
static void add_errors(struct weft_rng *r, const struct weft_code_rs *rs,
		       struct word *w, int count)
{
	int order[ROOM], n = (int)symbols(rs, w);
	unsigned partial = w->bits % 10 ? w->bits / 10 : UINT32_MAX;

	weft_rng_shuffle(r, order, n);
	for (int i = 0; count; i++)
		if ((unsigned)order[i] != partial) {
			add_error(w, (unsigned)order[i],
				  1 + (unsigned)weft_rng_below(r, 1023));
			count--;
		}
}

static bool same(const struct word *a, const struct word *b)
{
	return !memcmp(a->data, b->data, sizeof(a->data)) &&
	       !memcmp(&a->checks, &b->checks, sizeof(a->checks));
}

static int differ(const struct weft_code_rs *rs, struct word *a, struct word *b)
{
	int n = 0;

	for (unsigned i = 0; i < symbols(rs, a); i++)
		n += symbol(a, i) != symbol(b, i);
	return n;
}

static void field_arithmetic_matches_openssl(void **state)
{
	const struct weft_code_rs *rs = &codes[1];
	struct weft_rng r;

	for (unsigned i = 0; i + 1 < 2 * ROOM; i++)
		T_IS(rs->exp[i + 1], code_reference_mul(rs->exp[i], 2));
	T_IS(rs->exp[ROOM], 1);
	weft_rng_init(&r, 1, 0);
	for (int i = 0; i < 5000; i++) {
		unsigned a = 1 + (unsigned)weft_rng_below(&r, 1023);
		unsigned b = 1 + (unsigned)weft_rng_below(&r, 1023);

		T_IS(rs->exp[rs->log[a] + rs->log[b]],
		     code_reference_mul(a, b));
	}
}

/* IEEE 802.3, table 91-1: coefficients from x^13 down. */
static void generator_matches_ieee_802_3(void **state)
{
	static const unsigned published[14] = { 904, 6,	  701, 32,  656,
						925, 900, 614, 391, 592,
						265, 945, 290, 432 };
	struct word w = { .data = { 1 }, .bits = 10 };

	w.checks = weft_code_rs_encode(&codes[14], w.data, w.bits);
	for (unsigned i = 0; i < 14; i++)
		T_IS(symbol(&w, 1 + i), published[i]);
}

/* Evaluates by Horner's rule, with the reference arithmetic only. */
static void check_roots(const struct weft_code_rs *rs, struct word *w)
{
	unsigned root = 1;

	for (unsigned j = 0; j < rs->checks; j++) {
		unsigned sum = 0;

		for (unsigned i = 0; i < symbols(rs, w); i++)
			sum = code_reference_mul(sum, root) ^ symbol(w, i);
		T_IS(sum, 0);
		root = code_reference_mul(root, 2);
	}
}

static void codewords_have_the_required_roots(void **state)
{
	struct weft_rng r;
	struct word w;

	weft_rng_init(&r, 2, 0);
	for (unsigned c = 1; c <= WEFT_CODE_RS_CHECKS; c++) {
		for (unsigned bits = 1; bits < 90; bits += 7) {
			random_word(&r, &codes[c], bits, &w);
			check_roots(&codes[c], &w);
		}
	}
	random_word(&r, &codes[14], SUNWAY, &w);
	check_roots(&codes[14], &w);
	random_word(&r, &codes[5], BGQ, &w);
	check_roots(&codes[5], &w);
	random_word(&r, &codes[14], (ROOM - 14) * 10, &w);
	check_roots(&codes[14], &w);
}

/* Bits of the last byte beyond the data are ignored. */
static void bits_after_the_data_are_ignored(void **state)
{
	struct weft_rng r;
	struct word w;

	weft_rng_init(&r, 3, 0);
	for (unsigned bits = 1; bits < 200; bits++) {
		random_word(&r, &codes[5], bits, &w);
		for (unsigned k = bits; k < 8 * sizeof(w.data); k++)
			w.data[k / 8] ^= (unsigned char)(1u << k % 8);
		T_TRUE(weft_code_rs_check(&codes[5], w.data, bits, &w.checks));
	}
}

/*
 * The only codeword within the correction distance has a one where no bit was
 * sent: bit 15 of 12 bits.
 */
static void an_error_in_bits_not_sent_is_refused(void **state)
{
	unsigned char data[3] = { 0x12, 0x83, 0 };
	struct weft_code_rs_checks c;

	c = weft_code_rs_encode(&codes[14], data, 20);
	T_IS(weft_code_rs_correct(&codes[14], data, 12, &c), -EBADMSG);
	T_IS(data[1], 0x83);
	T_IS(weft_code_rs_correct(&codes[14], data, 16, &c), 0);
}

static void up_to_seven_wrong_symbols_are_corrected(void **state)
{
	struct word good, w;
	struct weft_rng r;

	weft_rng_init(&r, 4, 0);
	for (int i = 0; i < t_scale(8000); i++) {
		int count = i % 8;

		random_word(&r, &codes[14], SUNWAY, &good);
		w = good;
		add_errors(&r, &codes[14], &w, count);
		T_IS(differ(&codes[14], &w, &good), count);
		T_IS(weft_code_rs_correct(&codes[14], w.data, w.bits,
					  &w.checks),
		     count);
		T_TRUE(same(&w, &good));
	}
}

static void every_code_corrects_half_its_number_of_checks(void **state)
{
	struct word good, w;
	struct weft_rng r;

	weft_rng_init(&r, 5, 0);
	for (int i = 0; i < t_scale(14000); i++) {
		const struct weft_code_rs *rs = &codes[1 + i % 14];
		unsigned room = (ROOM - rs->checks) * 10;
		unsigned bits = 80 + (unsigned)weft_rng_below(&r, room - 79);
		int count = (int)weft_rng_below(&r, rs->checks / 2 + 1);

		random_word(&r, rs, bits, &good);
		w = good;
		add_errors(&r, rs, &w, count);
		T_IS(weft_code_rs_correct(rs, w.data, bits, &w.checks), count);
		T_TRUE(same(&w, &good));
	}
}

/*
 * With an odd number of checks, one more error may have a solution, but not a
 * unique one.
 */
static void errors_beyond_half_the_checks_are_refused(void **state)
{
	struct weft_rng r;
	struct word w;

	weft_rng_init(&r, 13, 0);
	for (int i = 0; i < t_scale(4000); i++) {
		const struct weft_code_rs *rs = &codes[3 + i % 5];
		int most = (int)rs->checks / 2;

		random_word(&r, rs, 4000, &w);
		add_errors(&r, rs, &w, most + 1);
		T_TRUE(weft_code_rs_correct(rs, w.data, w.bits, &w.checks) <=
		       most);
	}
}

static void every_single_bit_error_is_corrected(void **state)
{
	struct word good, w;
	struct weft_rng r;

	weft_rng_init(&r, 6, 0);
	random_word(&r, &codes[14], SUNWAY, &good);
	for (unsigned k = 0; k < SUNWAY + 140; k++) {
		w = good;
		add_error(&w, k / 10, 1u << k % 10);
		T_IS(weft_code_rs_correct(&codes[14], w.data, w.bits,
					  &w.checks),
		     1);
		T_TRUE(same(&w, &good));
	}
}

/*
 * A burst of 61 bits anywhere, or of 70 bits from a symbol boundary, affects
 * seven symbols.
 */
static void bursts_of_seven_symbols_are_corrected(void **state)
{
	struct word good, w;
	struct weft_rng r;

	weft_rng_init(&r, 7, 0);
	random_word(&r, &codes[14], SUNWAY, &good);
	for (unsigned k = 0; k < SUNWAY + 140; k++) {
		unsigned end = k + (k % 10 ? 61 : 70);

		w = good;
		for (unsigned b = k; b < end && b < SUNWAY + 140; b++)
			if (b == k || weft_rng_below(&r, 2))
				add_error(&w, b / 10, 1u << b % 10);
		T_TRUE(weft_code_rs_correct(&codes[14], w.data, w.bits,
					    &w.checks) > 0);
		T_TRUE(same(&w, &good));
	}
}

/*
 * Tries to correct eight wrong symbols. Returns 0 if the word was refused and
 * is unchanged, 1 if it was changed to another codeword.
 */
static int eight_errors(struct weft_rng *r)
{
	const struct weft_code_rs *rs = &codes[14];
	struct word good, received, w;
	int n;

	random_word(r, rs, SUNWAY, &good);
	received = good;
	add_errors(r, rs, &received, 8);
	w = received;
	n = weft_code_rs_correct(rs, w.data, w.bits, &w.checks);
	if (n == -EBADMSG) {
		T_TRUE(same(&w, &received));
		return 0;
	}
	T_IS(n, differ(rs, &w, &received));
	T_TRUE(n <= 7 && !same(&w, &good));
	T_TRUE(weft_code_rs_check(rs, w.data, w.bits, &w.checks));
	return 1;
}

static void eight_wrong_symbols_are_refused(void **state)
{
	struct weft_rng r;
	int wrong = 0;

	weft_rng_init(&r, 8, 0);
	for (int i = 0; i < t_scale(20000); i++)
		wrong += eight_errors(&r);
	T_IS(wrong, 0); /* expected: 2 in a million are miscorrected */
}

/*
 * Miscorrection rate of a small code: of the 2^40 syndromes a known number
 * belongs to one or two wrong symbols; five wrong symbols produce a random
 * syndrome.
 */
static void miscorrection_rate_matches_theory(void **state)
{
	const struct weft_code_rs *rs = &codes[4];
	int rounds = t_scale(20000), wrong = 0;
	struct weft_rng r;
	struct word w;
	double n, mean;

	weft_rng_init(&r, 9, 0);
	for (int i = 0; i < rounds; i++) {
		random_word(&r, rs, 4380, &w);
		add_errors(&r, rs, &w, 5);
		wrong +=
			weft_code_rs_correct(rs, w.data, w.bits, &w.checks) > 0;
	}
	n = (double)symbols(rs, &w);
	mean = rounds * (n * (n - 1) / 2 * 1023 * 1023 + n * 1023) * 0x1p-40;
	T_TRUE((wrong - mean) * (wrong - mean) < 36 * mean);
}

static void five_checks_detect_any_five_wrong_symbols(void **state)
{
	struct word good, w;
	struct weft_rng r;

	weft_rng_init(&r, 10, 0);
	random_word(&r, &codes[5], BGQ, &good);
	for (int i = 0; i < t_scale(50000); i++) {
		w = good;
		add_errors(&r, &codes[5], &w, 1 + i % 5);
		T_FALSE(weft_code_rs_check(&codes[5], w.data, BGQ, &w.checks));
	}
}

/*
 * Reduces x by the stored vectors, one for each highest bit, and stores the
 * remainder. Returns false if the remainder is zero.
 */
static bool reduce(struct weft_code_rs_checks *base, bool *have,
		   struct weft_code_rs_checks x)
{
	for (int b = 139; b >= 0; b--) {
		if (!(x.w[b / 64] >> b % 64 & 1))
			continue;
		if (!have[b]) {
			have[b] = true;
			base[b] = x;
			return true;
		}
		for (int i = 0; i < 3; i++)
			x.w[i] ^= base[b].w[i];
	}
	return false;
}

/* Returns the number of independent remainders of these symbols' bits. */
static int rank(const struct weft_code_rs *rs, const int *place, unsigned bits)
{
	struct weft_code_rs_checks base[140];
	bool have[140] = { 0 };
	int found = 0;

	for (unsigned s = 0; s < rs->checks; s++) {
		for (unsigned b = 0; b < 10; b++) {
			struct word w = { .bits = bits };
			struct weft_code_rs_checks x;

			add_error(&w, (unsigned)place[s], 1u << b);
			x = weft_code_rs_encode(rs, w.data, bits);
			for (int i = 0; i < 3; i++)
				x.w[i] ^= w.checks.w[i];
			found += reduce(base, have, x);
		}
	}
	return found;
}

/* Full rank: no error in these positions has a zero remainder. */
static void errors_in_as_many_symbols_as_checks_are_detected(void **state)
{
	int place[ROOM];
	struct weft_rng r;

	weft_rng_init(&r, 11, 0);
	for (int i = 0; i < t_scale(300); i++) {
		weft_rng_shuffle(&r, place, 436 + 5);
		T_IS(rank(&codes[5], place, 4360), 50);
	}
	for (int i = 0; i < t_scale(60); i++) {
		weft_rng_shuffle(&r, place, 528);
		T_IS(rank(&codes[14], place, SUNWAY), 140);
	}
}

static void random_words_pass_one_check_once_in_1024(void **state)
{
	int rounds = t_scale(400000), passed = 0;
	double mean = rounds / 1024.0;
	struct weft_rng r;

	weft_rng_init(&r, 12, 0);
	for (int i = 0; i < rounds; i++) {
		uint64_t x[2] = { weft_rng_u64(&r), weft_rng_u64(&r) };
		struct weft_code_rs_checks c = { { x[1] & 1023 } };

		passed += weft_code_rs_check(&codes[1], x, 64, &c);
	}
	T_TRUE((passed - mean) * (passed - mean) < 36 * mean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(field_arithmetic_matches_openssl),
		T_CASE(generator_matches_ieee_802_3),
		T_CASE(codewords_have_the_required_roots),
		T_CASE(bits_after_the_data_are_ignored),
		T_CASE(an_error_in_bits_not_sent_is_refused),
		T_CASE(up_to_seven_wrong_symbols_are_corrected),
		T_CASE(every_code_corrects_half_its_number_of_checks),
		T_CASE(errors_beyond_half_the_checks_are_refused),
		T_CASE(every_single_bit_error_is_corrected),
		T_CASE(bursts_of_seven_symbols_are_corrected),
		T_CASE(eight_wrong_symbols_are_refused),
		T_CASE(miscorrection_rate_matches_theory),
		T_CASE(five_checks_detect_any_five_wrong_symbols),
		T_CASE(errors_in_as_many_symbols_as_checks_are_detected),
		T_CASE(random_words_pass_one_check_once_in_1024),
	};

	return cmocka_run_group_tests(tests, open_all, NULL);
}

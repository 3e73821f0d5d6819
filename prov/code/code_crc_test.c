/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRCs: published values, comparison with division by OpenSSL, and errors that
 * must be detected. An error is undetected if the syndromes of its bits add to
 * zero, and the syndrome of a bit depends only on its distance from the end; so
 * the syndromes cover all errors of a kind.
 */
#include "test/t.h"
#include "prov/code/code_crc.h"
#include "test/support/code_reference.h"
#include "src/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, BYTES = 700, BITS = BYTES * 8 };

static const struct kind {
	unsigned width;
	int exponents[20];
	uint32_t check; /* CRC of the text "123456789" */
} kinds[KINDS] = {
	[WEFT_CODE_CRC16] = { 16, { 16, 12, 5, 0, -1 }, 0x906e },
	[WEFT_CODE_CRC32] = { 32,
			      { 32, 26, 23, 22, 16, 12, 11, 10, 8, 7, 5, 4, 2,
				1, 0, -1 },
			      0xcbf43926 },
	[WEFT_CODE_CRC32C] = { 32,
			       { 32, 28, 27, 26, 25, 23, 22, 20, 19, 18, 14, 13,
				 11, 10, 9, 8, 6, 0, -1 },
			       0xe3069283 },
};

static struct weft_code_crc fast[KINDS], plain[KINDS];

static int open_all(void **state)
{
	for (int k = 0; k < KINDS; k++) {
		weft_code_crc_init(&fast[k], (enum weft_code_crc_kind)k);
		weft_code_crc_init_tables(&plain[k],
					  (enum weft_code_crc_kind)k);
	}
	return 0;
}

static void check_values_match_publications(void **state)
{
	for (int k = 0; k < KINDS; k++) {
		T_IS(weft_code_crc(&fast[k], 0, "123456789", 9),
		     kinds[k].check);
		T_IS(weft_code_crc(&plain[k], 0, "123456789", 9),
		     kinds[k].check);
		T_IS(code_reference_crc(kinds[k].exponents, "123456789", 9),
		     kinds[k].check);
	}
}

/* Test vectors of RFC 3720, B.4. */
static void crc32c_matches_the_iscsi_test_vectors(void **state)
{
	const struct weft_code_crc *c = &fast[WEFT_CODE_CRC32C];
	unsigned char b[32];

	memset(b, 0, 32);
	T_IS(weft_code_crc(c, 0, b, 32), 0x8a9136aa);
	memset(b, 0xff, 32);
	T_IS(weft_code_crc(c, 0, b, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		b[i] = (unsigned char)i;
	T_IS(weft_code_crc(c, 0, b, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		b[i] = (unsigned char)(31 - i);
	T_IS(weft_code_crc(c, 0, b, 32), 0x113fdb5c);
}

static void every_length_matches_polynomial_division(void **state)
{
	unsigned char buf[BYTES];
	struct weft_rng r;

	weft_rng_init(&r, 20, 0);
	weft_rng_fill(&r, buf, sizeof(buf));
	for (int k = 0; k < KINDS; k++) {
		for (size_t len = 0; len <= 600; len++) {
			const unsigned char *p = buf + len % 16;
			uint32_t x =
				code_reference_crc(kinds[k].exponents, p, len);

			T_IS(weft_code_crc(&fast[k], 0, p, len), x);
			T_IS(weft_code_crc(&plain[k], 0, p, len), x);
		}
	}
}

static void crc_of_parts_equals_crc_of_the_whole(void **state)
{
	static unsigned char buf[5000];
	struct weft_rng r;

	weft_rng_init(&r, 21, 0);
	weft_rng_fill(&r, buf, sizeof(buf));
	for (int i = 0; i < t_scale(3000); i++) {
		const struct weft_code_crc *c = &fast[i % KINDS];
		size_t len = weft_rng_below(&r, sizeof(buf)), at = 0;
		uint32_t whole = weft_code_crc(&plain[i % KINDS], 0, buf, len);
		uint32_t crc = 0;

		while (at < len) {
			size_t n = weft_rng_below(&r, len - at) + 1;

			crc = weft_code_crc(c, crc, buf + at, n);
			at += n;
		}
		T_IS(crc, whole);
	}
}

/*
 * Computes the syndrome of every bit of a packet and its CRC, the last bit
 * first: the difference between the computed and the received CRC.
 */
static void syndromes(int k, uint32_t *s)
{
	static unsigned char buf[BYTES];
	unsigned w = kinds[k].width;
	uint32_t good;

	t_fill(buf, BYTES, 7);
	good = weft_code_crc(&fast[k], 0, buf, BYTES);
	for (unsigned i = 0; i < w; i++)
		s[i] = 1u << (w - 1 - i);
	for (unsigned i = 0; i < BITS; i++) {
		unsigned char *byte = &buf[BYTES - 1 - i / 8];
		unsigned char bit = (unsigned char)(128 >> i % 8);

		*byte ^= bit;
		s[w + i] = weft_code_crc(&fast[k], 0, buf, BYTES) ^ good;
		*byte ^= bit;
	}
}

static unsigned rank(const uint32_t *s, unsigned n)
{
	uint32_t base[32] = { 0 };
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t x = s[i];

		for (int b = 31; x && b >= 0; b--) {
			if (!(x >> b & 1))
				continue;
			if (!base[b]) {
				base[b] = x;
				found++;
				break;
			}
			x ^= base[b];
		}
	}
	return found;
}

/* In any w consecutive bits no combination of errors has syndrome zero. */
static void bursts_up_to_the_crc_width_are_detected(void **state)
{
	static uint32_t s[BITS + 32];

	for (int k = 0; k < KINDS; k++) {
		unsigned w = kinds[k].width;

		syndromes(k, s);
		for (unsigned at = 0; at <= BITS; at++)
			T_IS(rank(s + at, w), w);
		T_IS(rank(s, w + 1), w);
	}
}

/* Injects random error bursts into packets; the CRC must differ. */
static void injected_bursts_are_detected(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 22, 0);
	for (int i = 0; i < t_scale(200000); i++) {
		const struct weft_code_crc *c = &fast[i % KINDS];
		unsigned w = kinds[i % KINDS].width;
		size_t len = 1 + weft_rng_below(&r, 96);
		unsigned char p[104];
		uint64_t burst = (weft_rng_u64(&r) & ((1ull << w) - 1)) | 1;
		unsigned at = (unsigned)weft_rng_below(&r, len * 8 + w);
		uint32_t crc;

		weft_rng_fill(&r, p, len);
		crc = weft_code_crc(c, 0, p, len);
		memcpy(p + len, &crc, w / 8);
		for (unsigned b = 0; b < w && at + b < len * 8 + w; b++)
			if (burst >> b & 1)
				p[(at + b) / 8] ^=
					(unsigned char)(1u << (at + b) % 8);
		crc = 0;
		memcpy(&crc, p + len, w / 8);
		T_TRUE(weft_code_crc(c, 0, p, len) != crc);
	}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* One pass of a radix sort, by eleven bits. */
static void sort_by(const uint32_t *from, uint32_t *to, size_t n, int shift)
{
	size_t at[2048] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & 2047]++;
	for (int b = 0; b < 2048; b++) {
		size_t count = at[b];

		at[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & 2047]++] = from[i];
}

/*
 * Returns the sorted sums of the syndromes of all pairs of the last n bits;
 * freed by the caller.
 */
static uint32_t *pairs(const uint32_t *s, size_t n, size_t *count_p)
{
	size_t count = n * (n - 1) / 2, m = 0;
	uint32_t *a = calloc(count, 4), *b = calloc(count, 4);

	T_TRUE(a && b);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			a[m++] = s[i] ^ s[j];
	sort_by(a, b, count, 0);
	sort_by(b, a, count, 11);
	sort_by(a, b, count, 22);
	free(a);
	*count_p = count;
	return b;
}

/*
 * Returns the smallest number of errors, up to 4, that can remain undetected in
 * data_bits; 5: all are detected.
 */
static int fewest_that_pass(int k, size_t data_bits)
{
	static uint32_t s[BITS + 32], one[BITS + 32];
	size_t n = data_bits + kinds[k].width, count;
	uint32_t *two;
	int fewest = 5;

	syndromes(k, s);
	two = pairs(s, n, &count);
	memcpy(one, s, n * 4);
	qsort(one, n, 4, by_value);
	for (size_t i = 0; i + 1 < count; i++)
		if (two[i] == two[i + 1])
			fewest = 4;
	for (size_t i = 0, j = 0; i < n && j < count;) {
		if (one[i] == two[j])
			fewest = 3;
		if (one[i] < two[j])
			i++;
		else
			j++;
	}
	fewest = two[0] ? fewest : 2;
	fewest = one[0] ? fewest : 1;
	free(two);
	return fewest;
}

static void crc32_detects_four_errors_up_to_2974_bits(void **state)
{
	T_IS(fewest_that_pass(WEFT_CODE_CRC32, 2974), 5);
	T_IS(fewest_that_pass(WEFT_CODE_CRC32, 2975), 4);
}

static void crc32c_detects_four_errors_up_to_5243_bits(void **state)
{
	T_IS(fewest_that_pass(WEFT_CODE_CRC32C, 5243), 5);
	T_IS(fewest_that_pass(WEFT_CODE_CRC32C, 5244), 4);
}

static void crc16_detects_three_errors_in_768_bits(void **state)
{
	T_IS(fewest_that_pass(WEFT_CODE_CRC16, 768), 4);
}

/* Both generators have the factor x + 1: every bit's syndrome is odd. */
static void odd_numbers_of_errors_are_detected(void **state)
{
	static uint32_t s[BITS + 32];
	const int odd[] = { WEFT_CODE_CRC16, WEFT_CODE_CRC32C };

	for (int i = 0; i < 2; i++) {
		syndromes(odd[i], s);
		for (unsigned b = 0; b < BITS + kinds[odd[i]].width; b++)
			T_TRUE(__builtin_parity(s[b]));
	}
}

/* A random packet is undetected with probability 2^-16. */
static void crc16_misses_one_random_packet_in_65536(void **state)
{
	int rounds = t_scale(4000000), passed = 0;
	double expected = rounds / 65536.0;
	struct weft_rng r;

	weft_rng_init(&r, 23, 0);
	for (int i = 0; i < rounds; i++) {
		uint64_t w[2] = { weft_rng_u64(&r), weft_rng_u64(&r) };

		passed += weft_code_crc(&fast[WEFT_CODE_CRC16], 0, w, 14) ==
			  w[1] >> 48;
	}
	/* six sigma; the random stream is deterministic */
	T_TRUE((passed - expected) * (passed - expected) < 36 * expected + 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(check_values_match_publications),
		T_CASE(crc32c_matches_the_iscsi_test_vectors),
		T_CASE(every_length_matches_polynomial_division),
		T_CASE(crc_of_parts_equals_crc_of_the_whole),
		T_CASE(bursts_up_to_the_crc_width_are_detected),
		T_CASE(injected_bursts_are_detected),
		T_CASE(crc32_detects_four_errors_up_to_2974_bits),
		T_CASE(crc32c_detects_four_errors_up_to_5243_bits),
		T_CASE(crc16_detects_three_errors_in_768_bits),
		T_CASE(odd_numbers_of_errors_are_detected),
		T_CASE(crc16_misses_one_random_packet_in_65536),
	};

	return cmocka_run_group_tests(tests, open_all, NULL);
}

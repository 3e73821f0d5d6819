/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH compared with OpenSSL's GMAC, for every length up to several strides
 * and every alignment, with every implementation that this processor supports;
 * and the division into strides, on every processor, with an implementation
 * that multiplies bit by bit.
 */
#include "test/t.h"
#include "prov/code/code_ghash_step.h"
#include "src/base/rng.h"

#include <openssl/evp.h>
#include <string.h>

enum { BYTES = 5 * 16 * WEFT_GHASH_STRIDE, ROOM = BYTES + 64 };

static uint8_t data[ROOM];
static const uint8_t nonce[12] = { 7, 1 };

/* Encrypts one block. */
static void encrypt(const uint8_t key[16], const uint8_t in[16],
		    uint8_t out[16])
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	T_TRUE(EVP_EncryptInit_ex(c, EVP_aes_128_ecb(), NULL, key, NULL));
	T_TRUE(EVP_EncryptUpdate(c, out, &n, in, 16));
	EVP_CIPHER_CTX_free(c);
}

static void their_tag(EVP_CIPHER_CTX *c, const uint8_t *from, size_t len,
		      uint8_t tag[16])
{
	uint8_t end[16];
	int n;

	T_TRUE(EVP_EncryptInit_ex(c, NULL, NULL, NULL, nonce));
	if (len)
		T_TRUE(EVP_EncryptUpdate(c, NULL, &n, from, (int)len));
	T_TRUE(EVP_EncryptFinal_ex(c, end, &n));
	T_TRUE(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, 16, tag));
}

static void our_tag(const struct weft_code_ghash *g, const uint8_t mask[16],
		    const uint8_t *from, size_t len, uint8_t tag[16])
{
	weft_code_ghash(g, from, len, tag);
	for (int i = 0; i < 16; i++)
		tag[i] ^= mask[i];
}

/* sum = (sum + block) * h, bit by bit, as in NIST SP 800-38D, 6.3. */
static void reference_block(const uint8_t h[16], const uint8_t block[16],
			    uint8_t sum[16])
{
	uint8_t v[16], z[16] = { 0 };

	memcpy(v, h, 16);
	for (int bit = 0; bit < 128; bit++) {
		int in = (sum[bit / 8] ^ block[bit / 8]) >> (7 - bit % 8) & 1;
		int out = v[15] & 1;

		for (int i = 15; i >= 0; i--) {
			z[i] ^= in ? v[i] : 0;
			v[i] = (uint8_t)(v[i] >> 1 | (i ? v[i - 1] << 7 : 0));
		}
		v[0] ^= out ? 0xe1 : 0;
	}
	memcpy(sum, z, 16);
}

static bool reference_is_supported(void)
{
	return true;
}

static void reference_stride(const struct weft_code_ghash *g,
			     const uint8_t *from, uint8_t sum[16])
{
	for (size_t at = 0; at < CODE_GHASH_BYTES; at += 16)
		reference_block(g->power[0], from + at, sum);
}

static void reference_last(const struct weft_code_ghash *g, const uint8_t *from,
			   size_t len, size_t all, uint8_t sum[16])
{
	uint8_t block[16];

	T_TRUE(len <= CODE_GHASH_BYTES - 16);
	for (size_t at = 0; at < len; at += 16) {
		memset(block, 0, 16);
		memcpy(block, from + at, len - at < 16 ? len - at : 16);
		reference_block(g->power[0], block, sum);
	}
	memset(block, 0, 16);
	for (int i = 0; i < 8; i++)
		block[i] = (uint8_t)((uint64_t)all * 8 >> (56 - 8 * i));
	reference_block(g->power[0], block, sum);
}

static const struct code_ghash_unit reference = { reference_is_supported,
						  reference_stride,
						  reference_last };

static void keyed(struct weft_rng *r, EVP_CIPHER_CTX *c,
		  struct weft_code_ghash *g, uint8_t mask[16])
{
	uint64_t key[2] = { weft_rng_u64(r), weft_rng_u64(r) };
	uint8_t block[16] = { 0 };
	uint8_t h[16];

	encrypt((uint8_t *)key, block, h);
	memcpy(block, nonce, sizeof(nonce));
	block[15] = 1;
	encrypt((uint8_t *)key, block, mask);
	if (g->unit == &reference)
		memcpy(g->power[0], h, 16);
	else
		T_TRUE(weft_code_ghash_init(g, h));
	T_TRUE(EVP_EncryptInit_ex(c, EVP_aes_128_gcm(), NULL, (uint8_t *)key,
				  nonce));
}

/* Tests every length with an implementation; NULL: with the selected one. */
static void every_length(const struct code_ghash_unit *unit)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t mask[16], ours[16], theirs[16];
	struct weft_code_ghash g = { .unit = unit };
	struct weft_rng r;

	weft_rng_init(&r, 5, 0);
	for (int i = 0; i < ROOM; i++)
		data[i] = (uint8_t)weft_rng_u64(&r);
	for (size_t len = 0; len <= BYTES; len++) {
		if (len % 64 == 0)
			keyed(&r, c, &g, mask);
		if (unit)
			g.unit = unit;
		/* The slow reference: lengths at the ends of strides. */
		if (unit == &reference && (len + 32) % CODE_GHASH_BYTES >= 64 &&
		    len % 31)
			continue;
		their_tag(c, data + len % 61, len, theirs);
		our_tag(&g, mask, data + len % 61, len, ours);
		T_TRUE(!memcmp(ours, theirs, 16));
	}
	EVP_CIPHER_CTX_free(c);
}

static void strides_match_openssl_gmac(void **state)
{
	every_length(&reference);
}

static void every_length_matches_openssl_gmac(void **state)
{
	const uint8_t h[16] = { 0 };
	struct weft_code_ghash g;

	if (!weft_code_ghash_init(&g, h))
		skip();
	every_length(NULL);
}

#ifdef __x86_64__

static void ghash_narrow_matches_openssl_gmac(void **state)
{
	if (!code_ghash_narrow.is_supported())
		skip();
	every_length(&code_ghash_narrow);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(strides_match_openssl_gmac),
		T_CASE(every_length_matches_openssl_gmac),
#ifdef __x86_64__
		T_CASE(ghash_narrow_matches_openssl_gmac),
#endif
	};

	return T_RUN(tests);
}

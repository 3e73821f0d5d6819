/* SPDX-License-Identifier: BSD-3-Clause */
/* Polynomials over GF(2), divided by OpenSSL. */
#include "test/support/code_reference.h"

#include <openssl/bn.h>

#include <stdlib.h>

static void need(int ok)
{
	if (!ok)
		abort();
}

static unsigned char reversed(unsigned char x)
{
	unsigned char y = 0;

	for (int i = 0; i < 8; i++)
		y = (unsigned char)(y << 1 | (x >> i & 1));
	return y;
}

/*
 * Converts a message to a polynomial: the first bit on the wire is the highest
 * power.
 */
static BIGNUM *message(const unsigned char *p, size_t len)
{
	unsigned char *t = malloc(len + 1);
	BIGNUM *m;

	need(t != NULL);
	for (size_t i = 0; i < len; i++)
		t[i] = reversed(p[i]);
	m = BN_bin2bn(t, (int)len, NULL);
	need(m != NULL);
	free(t);
	return m;
}

uint32_t code_reference_crc(const int *exponents, const void *buf, size_t len)
{
	int w = exponents[0];
	BIGNUM *m = message(buf, len), *ones = BN_new();
	uint32_t crc = 0;

	need(ones != NULL);
	for (int i = 0; i < w; i++)
		need(BN_set_bit(ones, (int)len * 8 + i));
	need(BN_lshift(m, m, w) && BN_GF2m_add(m, m, ones));
	need(BN_GF2m_mod_arr(m, m, exponents));
	for (int i = 0; i < w; i++)
		crc |= (uint32_t)!BN_is_bit_set(m, w - 1 - i) << i;
	BN_free(m);
	BN_free(ones);
	return crc;
}

unsigned code_reference_mul(unsigned a, unsigned b)
{
	static const int field[] = { 10, 3, 0, -1 };
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *x = BN_new(), *y = BN_new();
	unsigned r;

	need(ctx && x && y && BN_set_word(x, a) && BN_set_word(y, b));
	need(BN_GF2m_mod_mul_arr(x, x, y, field, ctx));
	r = (unsigned)BN_get_word(x);
	BN_free(x);
	BN_free(y);
	BN_CTX_free(ctx);
	return r;
}

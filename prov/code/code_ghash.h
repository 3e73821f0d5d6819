/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH, the sum behind AES-GMAC (NIST SP 800-38D), by the processor's
 * carry-less multiplication, reduced once for a whole datagram, where the
 * library of ciphers reduces every few blocks. Blocks X of 16 bytes, the last
 * filled up with zeros, and one with the length of them all in bits:
 *
 *   X1 * H^n + X2 * H^(n-1) + ... + Xn * H          in GF(2^128)
 *
 * H is secret, so nothing here branches or looks up by it or by X.
 */
#ifndef WEFT_CODE_GHASH_H
#define WEFT_CODE_GHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks between two reductions: a datagram of an Ethernet has only one. */
#define WEFT_GHASH_STRIDE 96

struct code_ghash_unit;

struct weft_code_ghash {
	const struct code_ghash_unit *unit;
	/* H^96 ... H, each times x; and zeros to read beyond. */
	uint8_t power[WEFT_GHASH_STRIDE + 3][16];
	/* The two halves of each, added. */
	uint64_t halves[WEFT_GHASH_STRIDE];
};

/* false: this processor has no such multiplication, and g is not filled. */
bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16]);

/* The sum of len bytes that are only signed, and none that are encrypted. */
void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
		     size_t len, uint8_t sum[16]);

#endif

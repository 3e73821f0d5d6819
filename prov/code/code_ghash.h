/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH, the universal hash of AES-GMAC (NIST SP 800-38D), by the processor's
 * carry-less multiplication, with one reduction for a whole datagram, where the
 * crypto library reduces every few blocks. Blocks X of 16 bytes, the last
 * padded with zeros, and one with the total length in bits:
 *
 *   X1 * H^n + X2 * H^(n-1) + ... + Xn * H          in GF(2^128)
 *
 * H is secret, so no branch and no table index depends on H or X.
 */
#ifndef WEFT_CODE_GHASH_H
#define WEFT_CODE_GHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks between two reductions: an Ethernet datagram has only one. */
#define WEFT_GHASH_STRIDE 96

struct code_ghash_unit;

struct weft_code_ghash {
	const struct code_ghash_unit *unit;
	/* H^96 ... H, each times x; and zeros for reads beyond the end. */
	uint8_t power[WEFT_GHASH_STRIDE + 3][16];
	/* XOR of the two halves of each power. */
	uint64_t halves[WEFT_GHASH_STRIDE];
};

/* false: this processor has no carry-less multiplication; g is not filled. */
bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16]);

/* Hash of len bytes of additional authenticated data, without ciphertext. */
void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
		     size_t len, uint8_t sum[16]);

#endif

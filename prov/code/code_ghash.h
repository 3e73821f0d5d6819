/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GHASH, the universal hash of AES-GMAC (NIST SP 800-38D), by the processor's
 * carry-less multiplication, with one reduction for a whole datagram (crypto
 * libraries reduce every few blocks). The input is blocks X of 16 bytes, the
 * last one padded with zeros, and a block with the length in bits; the hash is
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

/*
 * Blocks between two reductions; an Ethernet datagram needs only one reduction.
 */
#define WEFT_GHASH_STRIDE 96

struct code_ghash_unit;

struct weft_code_ghash {
	const struct code_ghash_unit *unit;
	/*
	 * H^96 ... H, each multiplied by x, followed by zeros for reads beyond
	 * the end
	 */
	uint8_t power[WEFT_GHASH_STRIDE + 3][16];
	/* XOR of the two halves of each power */
	uint64_t halves[WEFT_GHASH_STRIDE];
};

/*
 * Initialises g for the hash key h. Returns false, without filling g, if this
 * processor has no carry-less multiplication.
 */
bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16]);

/* Hashes len bytes of additional authenticated data, without ciphertext. */
void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
		     size_t len, uint8_t sum[16]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: the arithmetic of OpenSSL (BN_GF2m) as an independent reference.
 * It divides polynomials of any length and uses no table of prov/code.
 */
#ifndef WEFT_CODE_REFERENCE_H
#define WEFT_CODE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the remainder of len bytes, reflected, modulo the polynomial with
 * these exponents (the first one is the width, -1 ends the list); the register
 * starts with all ones and is inverted at the end.
 */
uint32_t code_reference_crc(const int *exponents, const void *buf, size_t len);

/* Returns a times b in GF(2^10) with x^10+x^3+1. */
unsigned code_reference_mul(unsigned a, unsigned b);

#endif

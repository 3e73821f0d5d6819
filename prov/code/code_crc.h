/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cyclic redundancy checks: a packet is a polynomial over GF(2), its check is
 * the remainder modulo a generator P of degree w. An error is undetected if and
 * only if P divides the error polynomial, regardless of the packet:
 *
 *   any burst of at most w bits       detected: its degree is below that of P
 *   any other error, equally likely   undetected with probability 2^-w
 *
 *   kind     w  generator           detects all errors of this number of bits
 *   CRC-16  16  x^16+x^12+x^5+1     3, and any odd number, up to 32751 bits
 *   CRC-32  32  IEEE 802.3          4 up to 2974 bits, 3 up to 91607
 *   CRC-32C 32  Castagnoli, iSCSI   5 up to 5243 bits, and any odd number
 *
 * (data bits; P. Koopman, 32-bit cyclic redundancy codes for Internet
 * applications, DSN 2002.) All are reflected: the first bit on the wire is the
 * least significant of a byte and the highest power of x. The register starts
 * with all ones and is inverted at the end, so that leading and trailing zeros
 * are detected. CRC-16 in this form is the X.25 frame check.
 *
 * weft_code_crc_init fills tables that the caller owns; they are read-only
 * afterwards, and any number of threads may use them.
 */
#ifndef WEFT_CODE_CRC_H
#define WEFT_CODE_CRC_H

#include <stddef.h>
#include <stdint.h>

enum weft_code_crc_kind {
	WEFT_CODE_CRC16,
	WEFT_CODE_CRC32,
	WEFT_CODE_CRC32C,
};

struct weft_code_crc {
	/*
	 * Folding constants for 64 and for 16 bytes, each for the first and the
	 * second half of a block; see code_crc.c.
	 */
	uint64_t fold[2][2];
	/* row k: contribution of a byte that is followed by k more bytes */
	uint32_t table[16][256];
	/* Updates the register with len bytes. */
	uint32_t (*step)(const struct weft_code_crc *c, uint32_t reg,
			 const void *buf, size_t len);
	uint32_t poly;	 /* generator, reflected, without its highest term */
	uint32_t ones;	 /* initial value of the register, and final XOR */
	const char *how; /* step in use: "tables", "pclmul", "pmull" */
};

/* Initialises c with the fastest step of this processor. */
void weft_code_crc_init(struct weft_code_crc *c, enum weft_code_crc_kind kind);

/* Initialises c with the step by tables, which works on every processor. */
void weft_code_crc_init_tables(struct weft_code_crc *c,
			       enum weft_code_crc_kind kind);

/* Continues a CRC; crc: that of the previous parts, 0 for the first part. */
static inline uint32_t weft_code_crc(const struct weft_code_crc *c,
				     uint32_t crc, const void *buf, size_t len)
{
	return c->step(c, crc ^ c->ones, buf, len) ^ c->ones;
}

/*
 * Like weft_code_crc, but by the tables and without calling c->step, so c may
 * be in shared memory.
 */
uint32_t weft_code_crc_by_tables(const struct weft_code_crc *c, uint32_t crc,
				 const void *buf, size_t len);

#endif

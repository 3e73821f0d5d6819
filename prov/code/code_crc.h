/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cyclic redundancy checks: a packet is a polynomial over GF(2), its check is
 * the remainder by a generator P of degree w. An error passes if and only if
 * P divides the error itself, whatever the packet was:
 *
 *   any burst of at most w bits       found: its degree is below that of P
 *   any other error, all alike        passes with probability 2^-w
 *
 *   kind     w  generator           all errors of so many bits are found
 *   CRC-16  16  x^16+x^12+x^5+1     3, and any odd number, up to 32751 bits
 *   CRC-32  32  IEEE 802.3          4 up to 2974 bits, 3 up to 91607
 *   CRC-32C 32  Castagnoli, iSCSI   5 up to 5243 bits, and any odd number
 *
 * (data bits; P. Koopman, 32-bit cyclic redundancy codes for Internet
 * applications, DSN 2002.) All are of the reflected kind: the first bit on
 * the wire is the least significant of a byte and the highest power of x.
 * The register starts as ones and leaves inverted, so that zeros in front or
 * behind do not pass unseen. CRC-16 in this form is the X.25 frame check.
 *
 * weft_code_crc_init fills tables that the caller owns; after that nothing is
 * written, and any number of threads may use them.
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
	/* By 64 and by 16 bytes ahead; each for the first and the second half
	 * of a block: code_crc.c says how they are made. */
	uint64_t fold[2][2];
	/* What a byte leaves k bytes later, in row k. */
	uint32_t table[16][256];
	/* Moves the register over len bytes. */
	uint32_t (*step)(const struct weft_code_crc *c, uint32_t reg,
			 const void *buf, size_t len);
	uint32_t poly;	 /* reflected, without its highest term */
	uint32_t ones;	 /* what the register starts with, and is flipped by */
	const char *how; /* which step it is: "tables", "pclmul", "pmull" */
};

/* Takes the fastest way that this processor has. */
void weft_code_crc_init(struct weft_code_crc *c, enum weft_code_crc_kind kind);

/* Takes the tables, which every processor has. */
void weft_code_crc_init_tables(struct weft_code_crc *c,
			       enum weft_code_crc_kind kind);

/*
 * The check of a message of which all parts so far gave crc; 0: this is the
 * first part.
 */
static inline uint32_t weft_code_crc(const struct weft_code_crc *c,
				     uint32_t crc, const void *buf, size_t len)
{
	return c->step(c, crc ^ c->ones, buf, len) ^ c->ones;
}

/* The same by the tables, so that c may lie in memory of several processes. */
uint32_t weft_code_crc_by_tables(const struct weft_code_crc *c, uint32_t crc,
				 const void *buf, size_t len);

#endif

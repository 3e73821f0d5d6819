/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line codes: the bits on the wire for a number of data bits, in whole blocks,
 * for all codes; and the words of 4b/5b.
 *
 *   code        in    out      machine
 *   4b/5b       4     5        qsnet2: 1333 Mbit/s per wire carry 1066
 *   8b/10b      8     10       apenet lanes: 28 Gbit/s carry 2.8 GB/s
 *   64b/66b     64    66       sunway link, without correction
 *   256b/257b   256   257      four blocks of 64b/66b with one header bit
 *   RS(528,514) 5120  5280     sunway: 20 blocks of 257 bits are 514 symbols,
 *                              14 more correct 7; 64/66 in total, so the
 *                              correction costs no bandwidth
 *
 * Words of 4b/5b (FDDI, ISO 9314-1) have at least two ones, at most one
 * leading and two trailing zeros, so there are at most three zeros in a row.
 * Some errors give invalid words; detection is not guaranteed.
 */
#ifndef WEFT_CODE_LINE_H
#define WEFT_CODE_LINE_H

#include <stdint.h>

enum weft_code_line {
	WEFT_CODE_LINE_PLAIN,
	WEFT_CODE_LINE_4B5B,
	WEFT_CODE_LINE_8B10B,
	WEFT_CODE_LINE_64B66B,
	WEFT_CODE_LINE_256B257B,
	WEFT_CODE_LINE_RS528,
};

/*
 * Returns the number of bits on the wire for data_bits bits of data; the last
 * block is padded.
 */
uint64_t weft_code_line_bits(enum weft_code_line code, uint64_t data_bits);

/*
 * Returns the number of data bits in the whole blocks that wire_bits bits on
 * the wire contain.
 */
uint64_t weft_code_line_data(enum weft_code_line code, uint64_t wire_bits);

/*
 * Returns the five-bit word of a nibble; its first bit on the wire is highest.
 */
uint8_t weft_code_4b5b_encode(unsigned nibble);

/* Returns the nibble; -EBADMSG: not a data word. */
int weft_code_4b5b_decode(unsigned word);

#endif

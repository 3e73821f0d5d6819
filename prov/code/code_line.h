/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes over a wire for some bits of data. The sizes of all line codes,
 * in whole blocks; and 4b/5b itself.
 *
 *   code        in    out      machine
 *   4b/5b       4     5        qsnet2: 1333 Mbit/s a wire carry 1066
 *   8b/10b      8     10       apenet lanes: 28 Gbit/s carry 2.8 GB/s
 *   64b/66b     64    66       sunway link, without correction
 *   256b/257b   256   257      four blocks of 64b/66b with one header bit
 *   RS(528,514) 5120  5280     sunway: 20 blocks of 257 bits are 514 symbols,
 *                              14 more correct 7; 64/66 again, so that the
 *                              correction costs no bandwidth
 *
 * 4b/5b (FDDI, ISO 9314-1) has words with two ones at least, no zero but one
 * in front and no more than two behind, so that three zeros in a row are the
 * most. It finds some errors, by words that are not data, and promises none.
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

/* Bits on the wire for so many of data, the last block filled up. */
uint64_t weft_code_line_bits(enum weft_code_line code, uint64_t data_bits);

/* Bits of data in whole blocks of so many on the wire. */
uint64_t weft_code_line_data(enum weft_code_line code, uint64_t wire_bits);

/* The word of five bits of a nibble, its first bit highest. */
uint8_t weft_code_4b5b_encode(unsigned nibble);

/* The nibble, or -EBADMSG: not a word of data. */
int weft_code_4b5b_decode(unsigned word);

#endif

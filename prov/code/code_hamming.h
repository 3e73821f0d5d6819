/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codes with eight check bits and columns of odd weight (Hsiao, 1970). Each
 * bit, check bits included, flips a distinct set of checks, its column: a byte
 * with an odd number of ones. So
 *
 *   one error      gives its column, which is odd and locates the bit
 *   two errors     give the sum of two columns, which is even and not zero
 *   three errors   give an odd sum, so they are detected, but the sum may
 *                  be the column of a fourth bit
 *
 * and the distance is four. As a memory code it corrects one error and detects
 * two (SECDED); as a packet code it detects any three and corrects none. There
 * are 128 odd bytes, of which eight belong to the checks: 120 bits can be
 * protected.
 *
 * SECDED (72,64)   8 bits for a word of 64: buffers of bgq, SDRAM of qsnet2
 * header (96,88)   8 bits for 11 bytes: network header of bgq
 */
#ifndef WEFT_CODE_HAMMING_H
#define WEFT_CODE_HAMMING_H

#include <stdint.h>

#define WEFT_CODE_HEADER_BYTES 11

/* Returns the check bits of a word. */
uint8_t weft_code_secded(uint64_t word);

/*
 * Corrects a word. Returns 0: no error; 1: one bit was wrong, in the word or
 * its checks, and is corrected; -EBADMSG: two or more bits were wrong, and
 * nothing was changed.
 */
int weft_code_secded_correct(uint64_t *word, uint8_t *checks);

/* Returns the check bits of a header, for comparison at the receiver. */
uint8_t weft_code_header(const uint8_t header[WEFT_CODE_HEADER_BYTES]);

#endif

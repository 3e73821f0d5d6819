/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codes with eight check bits and columns of odd weight (Hsiao, 1970). Each
 * bit, check bits included, flips a set of checks of its own, its column: a
 * byte with an odd number of ones, no two alike. So
 *
 *   one error      shows its own column, which is odd and says where it is
 *   two errors     show the sum of two columns, which is even and not zero
 *   three errors   show an odd number of ones, so something, but perhaps the
 *                  column of a fourth bit
 *
 * and the distance is four. As a memory's code it corrects one and finds two
 * (SECDED); as a packet's it finds any three and corrects none. There are 128
 * odd bytes, of which eight are the checks' own: 120 bits can be protected.
 *
 * SECDED (72,64)   8 bits for a word of 64: buffers of bgq, SDRAM of qsnet2
 * header (96,88)   8 bits for 11 bytes: network header of bgq
 */
#ifndef WEFT_CODE_HAMMING_H
#define WEFT_CODE_HAMMING_H

#include <stdint.h>

#define WEFT_CODE_HEADER_BYTES 11

/* The check bits of a word. */
uint8_t weft_code_secded(uint64_t word);

/*
 * 0: as written; 1: one bit was wrong, in the word or its checks, and is
 * right again; -EBADMSG: two or more were, and nothing was changed.
 */
int weft_code_secded_correct(uint64_t *word, uint8_t *checks);

/* The check bits of a header; who receives it compares. */
uint8_t weft_code_header(const uint8_t header[WEFT_CODE_HEADER_BYTES]);

#endif

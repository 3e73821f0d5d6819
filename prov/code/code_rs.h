/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reed-Solomon codes over symbols of 10 bits, up to 14 check symbols.
 *
 * A codeword of n <= 1023 symbols is a polynomial over GF(2^10), made by
 * x^10+x^3+1, that has the roots a^0 ... a^(checks-1), where a is x. Data
 * comes first and stays as it is; the check symbols are the remainder. A
 * polynomial with so many roots in a row has more than checks terms or none
 * (BCH bound), so that two codewords differ in at least checks + 1 symbols:
 *
 *   any errors in up to checks symbols     found by weft_code_rs_check
 *   any errors in up to checks/2 symbols   put right by weft_code_rs_correct
 *   any other error, all alike             passes with 2^-(10 checks)
 *
 * A burst of 10 (s - 1) + 1 bits touches at most s symbols. What is found by
 * one may not be put right by the other: take one of them for a packet. More
 * errors than can be put right are mostly refused; they come out as a wrong
 * codeword with about n^t / (t! 1024^t) for t = checks/2, 2 in a million for
 * (528,514), and a CRC above has to find those.
 *
 *   checks  length         machine
 *   14      514 + 14       sunway: corrects 7 symbols of a block of 20*257
 *                          bits; the code of IEEE 802.3 clause 91
 *   5       packet         bgq: finds any 5 at every hop, escape 2^-50
 *   1       packet         bgq: end to end, over what no hop changes
 *
 * Symbols are packed, the first bit is the lowest of the first byte. A last
 * symbol that is not full is filled with zeros that are not sent.
 *
 * weft_code_rs_init fills tables that the caller owns; after that nothing is
 * written, and any number of threads may use them.
 */
#ifndef WEFT_CODE_RS_H
#define WEFT_CODE_RS_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_CODE_RS_CHECKS 14
#define WEFT_CODE_RS_LENGTH 1023 /* symbols of a codeword, checks included */

/* Check symbols, packed as the data are; the bits above them are zero. */
struct weft_code_rs_checks {
	uint64_t w[3];
};

struct weft_code_rs {
	/* What each byte of four symbols leaves behind them, in checks. */
	struct weft_code_rs_checks row[5][256];
	uint16_t exp[2 * WEFT_CODE_RS_LENGTH]; /* a^i, twice round */
	uint16_t log[1024];		       /* of 0: never asked */
	unsigned checks;
};

/* 1 to 14 check symbols. */
void weft_code_rs_init(struct weft_code_rs *rs, unsigned checks);

/* The checks of so many bits of data, at most 1023 symbols with them. */
struct weft_code_rs_checks weft_code_rs_encode(const struct weft_code_rs *rs,
					       const void *data, unsigned bits);

/* True: this is a codeword. */
bool weft_code_rs_check(const struct weft_code_rs *rs, const void *data,
			unsigned bits,
			const struct weft_code_rs_checks *checks);

/*
 * Makes a codeword of what came by changing as few symbols as possible.
 * Returns how many were wrong, in data and checks; -EBADMSG: more than
 * checks/2, and nothing was changed.
 */
int weft_code_rs_correct(const struct weft_code_rs *rs, void *data,
			 unsigned bits, struct weft_code_rs_checks *checks);

#endif

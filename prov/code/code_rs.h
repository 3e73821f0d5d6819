/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reed-Solomon codes over symbols of 10 bits, up to 14 check symbols.
 *
 * A codeword of n <= 1023 symbols is a polynomial over GF(2^10), defined by
 * x^10+x^3+1, that has the roots a^0 ... a^(checks-1), where a is x. Data comes
 * first and is unchanged; the check symbols are the remainder. A polynomial
 * with this number of consecutive roots has more than checks terms or none (BCH
 * bound), so two codewords differ in at least checks + 1 symbols:
 *
 *   any errors in up to checks symbols     detected by weft_code_rs_check
 *   any errors in up to checks/2 symbols   corrected by weft_code_rs_correct
 *   any other error, equally likely        undetected with 2^-(10 checks)
 *
 * A burst of 10 (s - 1) + 1 bits affects at most s symbols. Use only one of the
 * two functions for a packet: an error that weft_code_rs_check would detect may
 * be miscorrected by weft_code_rs_correct. More errors than can be corrected
 * are mostly refused; they give a wrong codeword with probability of about n^t
 * / (t! 1024^t) for t = checks/2, 2 in a million for (528,514), which a CRC of
 * the layer above has to detect.
 *
 *   checks  length         machine
 *   14      514 + 14       sunway: corrects 7 symbols of a block of 20*257
 *                          bits; the code of IEEE 802.3 clause 91
 *   5       packet         bgq: detects any 5 at every hop, escape 2^-50
 *   1       packet         bgq: end to end, over the bits that no hop changes
 *
 * Symbols are packed, the first bit is the lowest of the first byte. A last
 * symbol that is not full is padded with zeros that are not sent.
 *
 * weft_code_rs_init fills tables that the caller owns; they are read-only
 * afterwards, and any number of threads may use them.
 */
#ifndef WEFT_CODE_RS_H
#define WEFT_CODE_RS_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_CODE_RS_CHECKS 14
#define WEFT_CODE_RS_LENGTH 1023 /* symbols of a codeword, checks included */

/* Check symbols, packed like the data; the bits above them are zero. */
struct weft_code_rs_checks {
	uint64_t w[3];
};

struct weft_code_rs {
	/* row[i]: contribution of byte i of four symbols to the checks */
	struct weft_code_rs_checks row[5][256];
	uint16_t exp[2 * WEFT_CODE_RS_LENGTH]; /* a^i, stored twice */
	uint16_t log[1024];		       /* log[0] is not used */
	unsigned checks;
};

/* Initialises a code with 1 to 14 check symbols. */
void weft_code_rs_init(struct weft_code_rs *rs, unsigned checks);

/* Returns the checks of the data; together at most 1023 symbols. */
struct weft_code_rs_checks weft_code_rs_encode(const struct weft_code_rs *rs,
					       const void *data, unsigned bits);

/* Returns whether data and checks are a codeword. */
bool weft_code_rs_check(const struct weft_code_rs *rs, const void *data,
			unsigned bits,
			const struct weft_code_rs_checks *checks);

/*
 * Corrects the received word to a codeword by changing as few symbols as
 * possible. Returns the number of wrong symbols in data and checks; -EBADMSG:
 * more than checks/2 symbols are wrong, and nothing was changed.
 */
int weft_code_rs_correct(const struct weft_code_rs *rs, void *data,
			 unsigned bits, struct weft_code_rs_checks *checks);

#endif

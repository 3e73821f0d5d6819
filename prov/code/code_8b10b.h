/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 8b/10b (Widmer and Franaszek, 1983): a byte, or one of 12 control words,
 * becomes 10 bits with equal numbers of ones and zeros or two more of one kind.
 * The sender keeps the running disparity (which kind is in excess) and uses
 * the form that balances it, so that
 *
 *   there are never more than five equal bits in a row, and
 *   ones and zeros never differ by more than three at any bit.
 *
 * A single wrong bit changes the sum by two: it gives an invalid word, or a
 * word whose disparity is wrong, here or at the next word that is not balanced.
 * K28.5 is not balanced, so a K28.5 after a frame always exposes the error.
 *
 * Used on lanes of apenet, and by PCI Express up to its second generation.
 * 10-bit words are written as in the papers, the first bit on the wire highest:
 * abcdei fghj.
 */
#ifndef WEFT_CODE_8B10B_H
#define WEFT_CODE_8B10B_H

#include <stdbool.h>
#include <stdint.h>

/* Values to encode: data word D x.y and control word K x.y. */
#define WEFT_CODE_D(x, y) ((y) << 5 | (x))
#define WEFT_CODE_K(x, y) (256 | (y) << 5 | (x))

struct weft_code_8b10b {
	/* code word by running disparity and value; 0: no such value */
	uint16_t enc[2][512];
	/* value by running disparity and code word, or -EBADMSG */
	int16_t dec[2][1024];
	/* running disparity after any code word; true: ones in excess */
	bool ahead[2][1024];
};

void weft_code_8b10b_init(struct weft_code_8b10b *t);

/*
 * Encodes a value (WEFT_CODE_D or one of the 12 WEFT_CODE_K). *plus is the
 * running disparity, true if ones are in excess, initially false; it is
 * updated.
 */
uint16_t weft_code_8b10b_encode(const struct weft_code_8b10b *t, int value,
				bool *plus);

/*
 * Decodes a word. Returns the value; -EBADMSG: not valid, or not valid with
 * this disparity. *plus is updated in either case.
 */
int weft_code_8b10b_decode(const struct weft_code_8b10b *t, uint16_t word,
			   bool *plus);

#endif

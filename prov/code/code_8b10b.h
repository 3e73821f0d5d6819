/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 8b/10b (Widmer and Franaszek, 1983): a byte, or one of 12 control words,
 * becomes 10 bits with as many ones as zeros or two more of one kind. The
 * sender remembers which kind is ahead, the running disparity, and takes the
 * form that evens it out, so that
 *
 *   never more than five equal bits come in a row, and
 *   ones and zeros never differ by more than three at any bit.
 *
 * A single wrong bit changes the sum by two: it makes a word that is none, or
 * a word whose disparity does not fit, here or at the next one that is not
 * even. K28.5 is not even, so that one behind a frame ends all doubt.
 *
 * Lanes of apenet, and PCI Express up to its second generation. 10-bit words
 * are written as the papers do, the first bit on the wire highest: abcdei fghj.
 */
#ifndef WEFT_CODE_8B10B_H
#define WEFT_CODE_8B10B_H

#include <stdbool.h>
#include <stdint.h>

/* D x.y and K x.y, the values that are coded. */
#define WEFT_CODE_D(x, y) ((y) << 5 | (x))
#define WEFT_CODE_K(x, y) (256 | (y) << 5 | (x))

struct weft_code_8b10b {
	uint16_t enc[2][512]; /* by disparity; 0: there is no such word */
	int16_t dec[2][1024]; /* value, or -EBADMSG */
	bool ahead[2][1024];  /* whether ones are, after any word */
};

void weft_code_8b10b_init(struct weft_code_8b10b *t);

/*
 * The word of a value (WEFT_CODE_D or one of the 12 WEFT_CODE_K); *plus says
 * whether ones are ahead, false in the beginning, and is moved on.
 */
uint16_t weft_code_8b10b_encode(const struct weft_code_8b10b *t, int value,
				bool *plus);

/*
 * The value of a word, or -EBADMSG: it is none, or not with this disparity.
 * *plus is moved on by what came, right or wrong.
 */
int weft_code_8b10b_decode(const struct weft_code_8b10b *t, uint16_t word,
			   bool *plus);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of an aggregator's window that are to be written: a bit map with
 * one bit per grain. The size of a grain is the largest power of two, from 1 to
 * 4096 bytes, that divides all offsets.
 */
#ifndef WEFT_FILE_COVER_H
#define WEFT_FILE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_cover {
	uint64_t *bits;
	size_t grains;
	unsigned shift; /* a grain has 1 << shift bytes */
};

/*
 * Opens a cover of `bytes` bytes, none of them marked. boundaries: bitwise OR
 * of all offsets that are passed later. Returns 0 or -ENOMEM.
 */
int file_cover_open(struct file_cover *c, size_t bytes, uint64_t boundaries);
void file_cover_close(struct file_cover *c);

void file_cover_mark(struct file_cover *c, size_t offset, size_t bytes);

/*
 * Finds the first run of marked bytes at or after *offset_p, and stores its
 * offset and length. Returns false if there is none.
 */
bool file_cover_next(const struct file_cover *c, size_t *offset_p,
		     size_t *bytes_p);

#endif

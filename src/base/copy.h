/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of a few bytes to a few KiB, between buffers that do not overlap, by
 * an inline loop. If data consists of many short runs, a call of the C library
 * for each run takes as long as the copy itself. The instructions that
 * libraries choose for these lengths (wide registers, string instructions)
 * stall longer on cache lines of another processor.
 */
#ifndef WEFT_BASE_COPY_H
#define WEFT_BASE_COPY_H

#include "src/base/attr.h"

#include <stddef.h>
#include <string.h>

/* Copies fewer than 16 bytes, by two accesses that may overlap. */
WEFT_INLINE void weft_copy_under16(char *to, const char *from, size_t len)
{
	if (len >= 8) {
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	} else if (len >= 4) {
		memcpy(to, from, 4);
		memcpy(to + len - 4, from + len - 4, 4);
	} else {
		for (size_t i = 0; i < len; i++)
			to[i] = from[i];
	}
}

WEFT_INLINE void weft_copy(char *to, const char *from, size_t len)
{
	size_t pos = 0;

	if (len < 16) {
		weft_copy_under16(to, from, len);
		return;
	}
	for (; len - pos >= 64; pos += 64)
		memcpy(to + pos, from + pos, 64);
	for (; len - pos >= 16; pos += 16)
		memcpy(to + pos, from + pos, 16);
	if (pos < len)
		memcpy(to + len - 16, from + len - 16, 16);
}

/* Like weft_copy(), but not inlined. */
void weft_copy_loop(void *to, const void *from, size_t len);

/*
 * Smallest length that weft_copy_piece() may copy by the loop. Below this
 * length, memcpy() takes only a few instructions on every host.
 */
#define WEFT_COPY_LEAST ((size_t)512)

/*
 * Returns the `span` argument with which weft_copy_piece() copies lengths from
 * WEFT_COPY_LEAST to `most` by the loop, and all other lengths by memcpy(). On
 * some hosts the loop is faster than memcpy() (copy_calibrate.h).
 */
WEFT_INLINE size_t weft_copy_span(size_t most)
{
	return most < WEFT_COPY_LEAST ? 0 : most - WEFT_COPY_LEAST + 1;
}

WEFT_INLINE void weft_copy_piece(void *to, const void *from, size_t len,
				 size_t span)
{
	if (weft_unlikely(len - WEFT_COPY_LEAST < span))
		weft_copy_loop(to, from, len);
	else
		memcpy(to, from, len);
}

#endif

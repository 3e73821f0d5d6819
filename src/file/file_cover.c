/* SPDX-License-Identifier: BSD-3-Clause */
/* Marked bytes of a window (file_cover.h). */
#include "src/file/file_cover.h"

#include <errno.h>
#include <stdlib.h>

#define WORD	  64
#define SHIFT_MAX 12

int file_cover_open(struct file_cover *c, size_t bytes, uint64_t boundaries)
{
	c->shift = 0;
	while (c->shift < SHIFT_MAX && !(boundaries >> c->shift & 1))
		c->shift++;
	c->grains = (bytes + ((size_t)1 << c->shift) - 1) >> c->shift;
	c->bits = calloc(c->grains / WORD + 1, sizeof(*c->bits));
	return c->bits ? 0 : -ENOMEM;
}

void file_cover_close(struct file_cover *c)
{
	free(c->bits);
	c->bits = NULL;
}

/* Returns a word with the bits [from, to) set; to <= WORD. */
static uint64_t mask(size_t from, size_t to)
{
	uint64_t upper = to < WORD ? ~((uint64_t)0) << to : 0;

	return ~upper & ~((uint64_t)0) << from;
}

void file_cover_mark(struct file_cover *c, size_t offset, size_t bytes)
{
	size_t at = offset >> c->shift, end = (offset + bytes) >> c->shift;

	while (at < end) {
		size_t from = at % WORD, left = end - at;
		size_t to = left < WORD - from ? from + left : WORD;

		c->bits[at / WORD] |= mask(from, to);
		at += to - from;
	}
}

/*
 * Returns the first grain from `at` on whose bit equals `set`, or the number of
 * grains if there is none.
 */
static size_t find(const struct file_cover *c, size_t at, bool set)
{
	while (at < c->grains) {
		uint64_t w = c->bits[at / WORD];

		w = (set ? w : ~w) >> at % WORD;
		if (w) {
			while (!(w & 1)) {
				w >>= 1;
				at++;
			}
			/*
			 * at most the number of grains, because no bit beyond
			 * the end is set
			 */
			return at;
		}
		at += WORD - at % WORD;
	}
	return c->grains;
}

bool file_cover_next(const struct file_cover *c, size_t *offset_p,
		     size_t *bytes_p)
{
	size_t from = find(c, *offset_p >> c->shift, true), to;

	if (from == c->grains)
		return false;
	to = find(c, from, false);
	*offset_p = from << c->shift;
	*bytes_p = (to - from) << c->shift;
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structure-aware fuzzing: changes valid messages and texts in the places that
 * receivers must check. The same seed makes the same changes.
 *
 *   fuzz_init(&f, seed);
 *   for (int i = 0; i < fuzz_rounds(1000); i++) {
 *           len = build a valid message;
 *           len = fuzz_message(&f, buf, len, room, fields, count);
 *           pass it to the code under test;
 *   }
 */
#ifndef WEFT_TEST_FUZZ_H
#define WEFT_TEST_FUZZ_H

#include "src/base/rng.h"

#include <stddef.h>
#include <stdint.h>

struct fuzz {
	struct weft_rng rng;
};

void fuzz_init(struct fuzz *f, uint64_t seed);

/* Returns n, less under a sanitizer, or much more with LONG=1. */
int fuzz_rounds(int n);

/* Returns true once in n calls on average. */
int fuzz_chance(struct fuzz *f, unsigned n);

/*
 * Returns a number of `bytes` bytes close to a boundary that checks must
 * detect: the valid number, a neighbour or multiple of it, 0, a power of two or
 * its neighbour, the largest number, a small number, or any number.
 */
uint64_t fuzz_number(struct fuzz *f, uint64_t valid, unsigned bytes);

/* A number in a message: a length, count, offset, index or kind. */
struct fuzz_field {
	uint16_t at;
	uint8_t bytes; /* 1, 2, 4 or 8 */
};

#define FUZZ_FIELD(type, field, base)                                      \
	{                                                                  \
		(base) + offsetof(type, field), sizeof(((type *)0)->field) \
	}

/*
 * Changes one or two fields of a message, or a few bytes, or its length (up to
 * room). Fields beyond the message are left out. Returns the new length.
 */
size_t fuzz_message(struct fuzz *f, void *buf, size_t len, size_t room,
		    const struct fuzz_field *field, size_t fields);

/*
 * Returns a changed copy of a message without known fields, and its length. The
 * copy has no spare bytes, so that AddressSanitizer detects reads beyond the
 * end. Freed by the caller.
 */
void *fuzz_copy(struct fuzz *f, const void *msg, size_t len, size_t *len_p);

/*
 * Changes the order of a list of n messages: swaps, repeats or omits messages.
 * Returns the new number of messages, at most room.
 */
int fuzz_order(struct fuzz *f, int *order, int n, int room);

/*
 * Changes a text at one place: a number, a word, a line or a character is
 * replaced, repeated, swapped or removed. room: size of the text buffer.
 */
void fuzz_text(struct fuzz *f, char *text, size_t room);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Structure-aware fuzzing; see fuzz.h. */
#include "test/support/fuzz.h"
#include "test/t.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_init(struct fuzz *f, uint64_t seed)
{
	weft_rng_init(&f->rng, seed, 0);
}

int fuzz_rounds(int n)
{
	if (getenv("LONG"))
		return n * 200;
	return t_scale(100) < 100 ? n / 2 : n;
}

static uint64_t below(struct fuzz *f, uint64_t n)
{
	return n ? weft_rng_below(&f->rng, n) : 0;
}

int fuzz_chance(struct fuzz *f, unsigned n)
{
	return below(f, n) == 0;
}

/* ---- numbers ------------------------------------------------------------- */

static uint64_t any_number(struct fuzz *f, uint64_t valid, unsigned bytes)
{
	uint64_t power = UINT64_C(1) << below(f, 8 * bytes);

	switch (below(f, 10)) {
	case 0:
		return valid + 1;
	case 1:
		return valid - 1;
	case 2:
		return valid * 2;
	case 3:
		return valid + power;
	case 4:
		return 0;
	case 5:
		return UINT64_MAX - below(f, 2);
	case 6:
		return power - 1 + below(f, 3);
	case 7:
		return below(f, 256);
	case 8:
		return valid ^ power;
	default:
		return weft_rng_u64(&f->rng);
	}
}

uint64_t fuzz_number(struct fuzz *f, uint64_t valid, unsigned bytes)
{
	uint64_t v = any_number(f, valid, bytes);

	return bytes < 8 ? v & ((UINT64_C(1) << 8 * bytes) - 1) : v;
}

static void fuzz_field(struct fuzz *f, uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;
	/* offsets of the low bytes of v */
	size_t low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - bytes;

	memcpy((uint8_t *)&v + low, at, bytes);
	v = fuzz_number(f, v, bytes);
	memcpy(at, (uint8_t *)&v + low, bytes);
}

/* ---- messages ------------------------------------------------------------ */

static size_t fuzz_length(struct fuzz *f, uint8_t *buf, size_t len, size_t room)
{
	size_t more = fuzz_chance(f, 2) ? below(f, len + 1)
					: len + below(f, room - len + 1);

	if (more > len)
		weft_rng_fill(&f->rng, buf + len, more - len);
	return more;
}

size_t fuzz_message(struct fuzz *f, void *buf, size_t len, size_t room,
		    const struct fuzz_field *field, size_t fields)
{
	uint8_t *b = buf;
	uint64_t how = below(f, 10);

	for (uint64_t i = 0; i <= how / 4 && how < 8 && fields; i++) {
		const struct fuzz_field *g = &field[below(f, fields)];

		if (g->at + (size_t)g->bytes <= len)
			fuzz_field(f, b + g->at, g->bytes);
	}
	if (how == 8)
		return fuzz_length(f, b, len, room);
	for (int i = 0; how == 9 && len && i < 3; i++)
		b[below(f, len)] = (uint8_t)weft_rng_u64(&f->rng);
	return len;
}

void *fuzz_copy(struct fuzz *f, const void *msg, size_t len, size_t *len_p)
{
	char *copy = malloc(len + 64), *exact;

	T_NOT_NULL(copy);
	memcpy(copy, msg, len);
	*len_p = fuzz_message(f, copy, len, len + 64, NULL, 0);
	exact = realloc(copy, *len_p + !*len_p);
	T_NOT_NULL(exact);
	return exact;
}

int fuzz_order(struct fuzz *f, int *order, int n, int room)
{
	int i = (int)below(f, (uint64_t)n);
	int k = (int)below(f, (uint64_t)n);
	int was = order[i];

	switch (below(f, 4)) {
	case 0:
		order[i] = order[k];
		order[k] = was;
		return n;
	case 1:
		if (n == room)
			return n;
		memmove(order + i + 1, order + i,
			(size_t)(n - i) * sizeof(*order));
		order[i] = order[k];
		return n + 1;
	case 2:
		memmove(order + i, order + i + 1,
			(size_t)(n - i - 1) * sizeof(*order));
		return n - 1;
	default:
		return n;
	}
}

/* ---- texts --------------------------------------------------------------- */

/* Replaces `old` bytes at `at` by n bytes; truncates the text if needed. */
static void splice(char *text, size_t room, size_t at, size_t old,
		   const char *with, size_t n)
{
	size_t len = strlen(text);
	size_t rest = len - at - old;

	if (at + n >= room)
		return;
	if (at + n + rest >= room)
		rest = room - at - n - 1;
	memmove(text + at + n, text + at + old, rest);
	memcpy(text + at, with, n);
	text[at + n + rest] = 0;
}

/* Finds the word, or the line, at a random position. Returns its length. */
static size_t pick_part(struct fuzz *f, const char *text, bool line, size_t *at)
{
	const char *ends = line ? "\n" : " \t\n=,;:()";
	size_t len = strlen(text);
	size_t from = below(f, len);
	size_t to = from;

	while (from && !strchr(ends, text[from - 1]))
		from--;
	while (text[to] && !strchr(ends, text[to]))
		to++;
	*at = from;
	return to - from;
}

static void fuzz_text_number(struct fuzz *f, char *text, size_t room)
{
	static const char *const odd[] = { "-1",
					   "1e999",
					   "nan",
					   "0x7",
					   "1.5",
					   "",
					   "99999999999999999999999" };
	size_t at, n = pick_part(f, text, false, &at);
	char with[32];

	for (int tries = 0; tries < 50 && !isdigit((uint8_t)text[at]); tries++)
		n = pick_part(f, text, false, &at);
	snprintf(with, sizeof(with), "%" PRIu64,
		 fuzz_number(f, strtoull(text + at, NULL, 10), 4));
	if (fuzz_chance(f, 4))
		snprintf(with, sizeof(with), "%s",
			 odd[below(f, sizeof(odd) / sizeof(odd[0]))]);
	splice(text, room, at, n, with, strlen(with));
}

/* Replaces a part of the text by another part, repeats it, or removes it. */
static void fuzz_text_part(struct fuzz *f, char *text, size_t room, bool line)
{
	size_t at, from;
	size_t n = pick_part(f, text, line, &at);
	size_t m = pick_part(f, text, line, &from);
	char part[4096];

	if (m >= sizeof(part))
		return;
	memcpy(part, text + from, m);
	if (line)
		part[m++] = '\n';
	switch (below(f, 3)) {
	case 0:
		splice(text, room, at, n, part, m);
		break;
	case 1:
		splice(text, room, at, 0, part, m);
		break;
	default:
		splice(text, room, at, n, "", 0);
		break;
	}
}

void fuzz_text(struct fuzz *f, char *text, size_t room)
{
	static const char special[] = "=:;,.()[]{}*/-+#'\" \t\n%$\x01\xff";
	size_t len = strlen(text);

	if (!len)
		return;
	switch (below(f, 7)) {
	case 0:
	case 1:
		fuzz_text_number(f, text, room);
		break;
	case 2:
		fuzz_text_part(f, text, room, true);
		break;
	case 3:
	case 4:
		fuzz_text_part(f, text, room, false);
		break;
	case 5:
		text[below(f, len)] = special[below(f, sizeof(special) - 1)];
		break;
	default:
		if (fuzz_chance(f, 4))
			text[below(f, len)] = 0;
		else
			splice(text, room, below(f, len), 0,
			       special + below(f, sizeof(special) - 1), 1);
		break;
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A streaming JSON writer: objects and arrays are opened and closed, values are
 * written in between; commas are inserted automatically. A key is NULL inside
 * arrays. Text may contain any byte; bytes that are not UTF-8 become question
 * marks. The result can be embedded in an HTML script element: '<' is escaped.
 * Output to one file is from one thread only (unlocked stdio).
 */
#ifndef WEFT_PAGE_JSON_H
#define WEFT_PAGE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *f;
	unsigned depth;
	char end[JSON_DEPTH];  /* closing character of each level */
	bool some[JSON_DEPTH]; /* whether the level has an element already */
};

void json_begin(struct json *j, FILE *f);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_close(struct json *j);
void json_text(struct json *j, const char *key, const char *text);
void json_number(struct json *j, const char *key, double x);
void json_int(struct json *j, const char *key, int64_t x);
/* Writes 1 to 8 values of an array. */
void json_ints(struct json *j, const int64_t *x, unsigned n);
void json_bool(struct json *j, const char *key, bool x);

/*
 * Writes the decimal digits of x, at least `least` of them, so that they end
 * before `end`. Returns the address of the first digit. Most of the output is
 * numbers, for which printf() would be slower.
 */
enum { JSON_DIGITS = 24 };
char *json_digits(char *end, uint64_t x, unsigned least);

#endif

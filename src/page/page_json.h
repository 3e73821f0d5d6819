/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON, written as it comes: objects and arrays are opened and closed, values
 * stand between. Commas are put where they belong. A key is NULL inside arrays.
 * Text may hold anything; what is no UTF-8 becomes a question mark. The result
 * can stand inside an HTML script element: '<' is written as an escape. The
 * file is one thread's.
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
	char end[JSON_DEPTH];  /* what closes each level */
	bool some[JSON_DEPTH]; /* something stands before */
};

void json_begin(struct json *j, FILE *f);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_close(struct json *j);
void json_text(struct json *j, const char *key, const char *text);
void json_number(struct json *j, const char *key, double x);
void json_int(struct json *j, const char *key, int64_t x);
/* Up to 8 values of an array, at once. */
void json_ints(struct json *j, const int64_t *x, unsigned n);
void json_bool(struct json *j, const char *key, bool x);

/* At least so many digits, before end; where they begin. Files are mostly
 * numbers, and printf takes its time. */
enum { JSON_DIGITS = 24 };
char *json_digits(char *end, uint64_t x, unsigned least);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON writer, see page_json.h. */
#include "src/tools/page/page_json.h"

#include "src/base/must.h"

#include <math.h>
#include <string.h>

void json_begin(struct json *j, FILE *f)
{
	memset(j, 0, sizeof(*j));
	j->f = f;
}

/* Returns the length in bytes of the UTF-8 character at s; 0: not UTF-8. */
static unsigned utf8_length(const unsigned char *s)
{
	unsigned n = *s < 0x80		   ? 1
		     : (*s & 0xe0) == 0xc0 ? 2
		     : (*s & 0xf0) == 0xe0 ? 3
		     : (*s & 0xf8) == 0xf0 ? 4
					   : 0;

	for (unsigned i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void put_text(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc_unlocked('"', f);
	while (*s)
		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\' &&
		    *s != '<') {
			putc_unlocked(*s++, f);
		} else {
			unsigned n = utf8_length(s);

			if (!n)
				putc_unlocked('?', f);
			else if (*s == '"' || *s == '\\')
				fprintf(f, "\\%c", *s);
			else if (n == 1)
				fprintf(f, "\\u%04x", *s);
			else
				fwrite_unlocked(s, 1, n, f);
			s += n ? n : 1;
		}
	putc_unlocked('"', f);
}

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

/* Writes two digits before the address `end`. */
static inline char *put_pair(char *end, uint32_t x)
{
	memcpy(end - 2, pairs + 2 * x, 2);
	return end - 2;
}

/* Writes eight digits, with short dependency chains. */
static char *put_eight(char *end, uint32_t x)
{
	uint32_t high = x / 10000, low = x % 10000;

	put_pair(end, low % 100);
	put_pair(end - 2, low / 100);
	put_pair(end - 4, high % 100);
	return put_pair(end - 6, high / 100);
}

char *json_digits(char *end, uint64_t x, unsigned least)
{
	char *p = end;
	uint32_t rest;

	for (; x >= 100000000; x /= 100000000)
		p = put_eight(p, (uint32_t)(x % 100000000));
	for (rest = (uint32_t)x; rest >= 10; rest /= 100)
		p = put_pair(p, rest % 100);
	if (rest || p == end)
		*--p = (char)('0' + rest);
	while ((unsigned)(end - p) < least)
		*--p = '0';
	return p;
}

/* Writes the separating comma and the key, as needed. */
static void put_key(struct json *j, const char *key)
{
	if (j->depth && j->some[j->depth - 1])
		putc_unlocked(',', j->f);
	if (j->depth)
		j->some[j->depth - 1] = true;
	if (!key)
		return;
	put_text(j->f, key);
	putc_unlocked(':', j->f);
}

static void open_level(struct json *j, const char *key, char begin, char end)
{
	put_key(j, key);
	weft_must(j->depth < JSON_DEPTH);
	putc_unlocked(begin, j->f);
	j->end[j->depth] = end;
	j->some[j->depth++] = false;
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, '[', ']');
}

void json_close(struct json *j)
{
	weft_must(j->depth > 0);
	putc_unlocked(j->end[--j->depth], j->f);
	if (j->depth < 3)
		putc_unlocked('\n', j->f);
}

void json_text(struct json *j, const char *key, const char *text)
{
	put_key(j, key);
	put_text(j->f, text);
}

/* Writes a number; infinity and NaN, which JSON lacks, become null. */
void json_number(struct json *j, const char *key, double x)
{
	put_key(j, key);
	if (isfinite(x))
		fprintf(j->f, "%.9g", x);
	else
		fputs("null", j->f);
}

static char *put_int(char *end, int64_t x)
{
	char *p = json_digits(end, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, 1);

	if (x < 0)
		*--p = '-';
	return p;
}

void json_ints(struct json *j, const int64_t *x, unsigned n)
{
	char text[8 * JSON_DIGITS], *end = text + sizeof(text), *p = end;

	weft_must(n && n <= 8);
	put_key(j, NULL);
	for (p = put_int(end, x[--n]); n--;) {
		*--p = ',';
		p = put_int(p, x[n]);
	}
	fwrite_unlocked(p, 1, (size_t)(end - p), j->f);
}

void json_int(struct json *j, const char *key, int64_t x)
{
	char text[JSON_DIGITS], *end = text + sizeof(text);
	char *p = put_int(end, x);

	put_key(j, key);
	fwrite_unlocked(p, 1, (size_t)(end - p), j->f);
}

void json_bool(struct json *j, const char *key, bool x)
{
	put_key(j, key);
	fputs(x ? "true" : "false", j->f);
}

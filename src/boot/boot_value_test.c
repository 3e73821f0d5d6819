/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values from PMIx that no correct launcher stores: lists of ranks, addresses,
 * and records of versions.
 */
#include "src/boot/boot_value.h"

#include "src/base/log.h"
#include "src/boot/boot_format.h"
#include "src/boot/boot_secret.h"
#include "src/diag/diag_call.h"
#include "src/job/job_log.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 8, ADDRESS = 16 };

static bool signs;
static char logged[512];

bool weft_secret_signs(void)
{
	return signs;
}

/* In this test every byte of a tag is the rank number. */
bool weft_secret_verify(int rank, const void *bytes, size_t len,
			const uint8_t tag[WEFT_SECRET_TAG])
{
	for (int i = 0; i < WEFT_SECRET_TAG; i++)
		if (tag[i] != rank)
			return false;
	return true;
}

void weft_log_once(enum weft_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(logged, sizeof(logged), fmt, ap);
	va_end(ap);
}

uint32_t weft_call_refused_page(void)
{
	return 0;
}

/* ---- lists of ranks ------------------------------------------------------ */

static int ranks(const char *list, int room)
{
	int *out = malloc((size_t)room * sizeof(*out)), n;
	/* exact size: AddressSanitizer detects reads beyond the end */
	char *copy = strdup(list);

	T_NOT_NULL(out);
	T_NOT_NULL(copy);
	n = weft_value_ranks(copy, RANKS, out, room);
	T_TRUE(n == -EPROTO || (n >= 0 && n <= room));
	for (int i = 0; i < n; i++)
		T_TRUE(out[i] >= 0 && out[i] < RANKS);
	free(copy);
	free(out);
	return n;
}

static void lists_of_ranks_are_parsed(void **state)
{
	int out[RANKS] = { 0 };
	static const int want[] = { 0, 1, 4, 5, 6, 7 };

	T_IS(weft_value_ranks("0,1,4-7", RANKS, out, RANKS), 6);
	T_MEM(out, want, sizeof(want));
	T_IS(ranks("3", RANKS), 1);
	T_IS(ranks("0-7", RANKS), 8);
	T_IS(ranks("0-7", 3), 3);
	T_IS(ranks("0,1,2,3,4,5,6,7,0", RANKS), 8);
	T_IS(ranks("", RANKS), 0);
}

static void ranks_beyond_the_job_are_refused(void **state)
{
	static const char *const wrong[] = {
		"8",   "0-8", "-1",	    "0,99999",
		"7-3", "x",   "1x",	    "0 1",
		"0-",  ",",   "4294967296", "99999999999999999999",
		"0--1"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (ranks(wrong[i], RANKS) != -EPROTO)
			fail_msg("\"%s\" is accepted", wrong[i]);
}

static void changed_lists_are_refused_or_valid(void **state)
{
	int rounds = fuzz_rounds(4000), good = 0;
	struct fuzz f;

	fuzz_init(&f, 11);
	for (int i = 0; i < rounds; i++) {
		char list[64] = "0,1,4-7";

		do
			fuzz_text(&f, list, sizeof(list));
		while (fuzz_chance(&f, 2));
		good += ranks(list, 1 + i % RANKS) >= 0;
	}
	T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
}

/* ---- addresses ----------------------------------------------------------- */

static int name(int proc, const char *text, size_t len, size_t *len_p)
{
	char *copy = malloc(len + 1);
	int rc;

	T_NOT_NULL(copy);
	memcpy(copy, text, len);
	logged[0] = 0;
	*len_p = len;
	rc = weft_value_name(proc, copy, len_p, ADDRESS);
	free(copy);
	return rc;
}

static void short_addresses_are_refused(void **state)
{
	char text[ADDRESS + WEFT_SECRET_TAG] = { 0 };
	size_t len;

	signs = false;
	for (size_t n = 0; n < ADDRESS; n++) {
		T_IS(name(3, text, n, &len), -EPROTO);
		T_NOT_NULL(strstr(logged, "rank 3"));
	}
	T_OK(name(3, text, ADDRESS, &len));
	T_IS(len, ADDRESS);
	signs = true;
	memset(text + ADDRESS, 3, WEFT_SECRET_TAG);
	T_OK(name(3, text, sizeof(text), &len));
	T_IS(len, ADDRESS);
	T_IS(name(2, text, sizeof(text), &len), -EHOSTUNREACH);
	T_NOT_NULL(strstr(logged, "not signed"));
	for (size_t n = 0; n <= WEFT_SECRET_TAG; n++)
		T_IS(name(3, text + sizeof(text) - n, n, &len), -EHOSTUNREACH);
	/* signed, but too short */
	T_IS(name(3, text + 1, sizeof(text) - 1, &len), -EPROTO);
	signs = false;
}

/* ---- records of versions ------------------------------------------------- */

static void changed_records_are_refused_or_copied(void **state)
{
	char value[WEFT_FORMAT_RECORD + ADDRESS + 64];
	char why[WEFT_FORMAT_WHY];
	int rounds = fuzz_rounds(4000), good = 0;
	struct fuzz f;

	fuzz_init(&f, 12);
	for (int i = 0; i < rounds; i++) {
		size_t room = ADDRESS, n = WEFT_FORMAT_RECORD + ADDRESS;
		char *copy, *to;
		int rc;

		memset(value, 1, sizeof(value));
		weft_format_write(value);
		n = fuzz_message(&f, value, n, sizeof(value), NULL, 0);
		copy = malloc(n + 1);
		to = malloc(room);
		T_NOT_NULL(copy);
		T_NOT_NULL(to);
		memcpy(copy, value, n);
		memset(why, 'x', sizeof(why));
		rc = weft_format_strip(1, copy, n, to, &room, why);
		T_TRUE(!rc || rc == -EPROTO || rc == -EPROTOTYPE);
		T_TRUE(rc || room <= ADDRESS);
		T_TRUE(rc != -EPROTOTYPE ||
		       strnlen(why, sizeof(why)) < sizeof(why));
		good += !rc;
		free(copy);
		free(to);
	}
	T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(lists_of_ranks_are_parsed),
		T_CASE(ranks_beyond_the_job_are_refused),
		T_CASE(changed_lists_are_refused_or_valid),
		T_CASE(short_addresses_are_refused),
		T_CASE(changed_records_are_refused_or_copied),
	};

	return T_RUN(tests);
}

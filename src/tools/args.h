/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command-line options, for all programs. A program has a table whose entries
 * begin with a struct weft_arg, and iterates over the words:
 *
 *   struct weft_args a = { .program = "weft-sim", WEFT_ARGS_TABLE(rows),
 *                          .word = argv + 1 };
 *
 *   while ((found = weft_args_next(&a)) == WEFT_ARGS_OPTION) {
 *           const struct row *r = a.row;
 *           r->set(opts, &a);
 *   }
 *
 * A name is written with one dash or two, its value as "--name value" or
 * "--name=value". Errors are reported here, with the nearest name; --help is
 * printed from the table.
 */
#ifndef WEFT_ARGS_H
#define WEFT_ARGS_H

#include "src/base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WEFT_ARGS_PAIR = -1, /* key and value: "K V" or "K=V" */
	/* "=V" or nothing; value[0] is NULL without a value */
	WEFT_ARGS_MAYBE = -2,
};

struct weft_arg {
	const char *names; /* names, e.g. "machine|m" */
	/* number of words that follow, or WEFT_ARGS_PAIR, WEFT_ARGS_MAYBE */
	int nargs;
	const char *args; /* names of the values, for help */
	const char *help;
	int topic; /* index in weft_args.topic; 0 without topics */
};

struct weft_args_topic {
	const char *word; /* word of the topic in --help WORD */
	const char *title;
	bool hidden; /* omitted from the complete help */
};

enum weft_args_found {
	WEFT_ARGS_END,
	WEFT_ARGS_OPTION, /* an option; row, spelled and value are set */
	WEFT_ARGS_WORD,	  /* word is not an option; the caller advances it */
	WEFT_ARGS_HELP,	  /* help was printed; the program must exit */
	WEFT_ARGS_WRONG,  /* an error was reported */
};

struct weft_args {
	const char *program;
	const void *rows;
	size_t count;
	size_t stride;
	/* array that ends with a NULL word; or NULL */
	const struct weft_args_topic *topic;
	const char *before; /* text before and after the list of options */
	const char *after;
	bool attached; /* whether "-l0.5" is accepted for "-l 0.5" */

	char **word; /* next word of a list that ends with NULL */

	/* result of weft_args_next(): the option that was found */
	const void *row;
	const char *spelled;
	char **value;
	char *one; /* storage for the value of "=V" */
};

#define WEFT_ARGS_TABLE(table)                          \
	.rows = (table), .count = WEFT_COUNT_OF(table), \
	.stride = sizeof((table)[0])

enum weft_args_found weft_args_next(struct weft_args *a);

/* Prints "PROGRAM: text" to stderr, in one line; returns -EINVAL. */
int weft_args_error(const struct weft_args *a, const char *fmt, ...)
	WEFT_PRINTF(2, 3);

/*
 * Parses a whole number with an optional suffix k, M or G. Returns 0, or
 * -EINVAL after an error message.
 */
int weft_args_number(const struct weft_args *a, const char *text, uint64_t min,
		     uint64_t max, uint64_t *value_p);

#endif

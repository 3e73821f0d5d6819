/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options: each has a name, a type, a default and a help text. Tables of
 * options are constant data; values come from the environment and are checked
 * here.
 *
 *   static const struct weft_cfg_opt opts[] = {
 *           { "WEFT_SPIN", WEFT_CFG_SIZE, "2000", "polls before blocking" },
 *   };
 */
#ifndef WEFT_JOB_CFG_H
#define WEFT_JOB_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_cfg_type {
	WEFT_CFG_BOOL, /* 0, 1, no, yes, false, true, off or on */
	WEFT_CFG_INT,  /* decimal, or hexadecimal with 0x; may be negative */
	WEFT_CFG_SIZE, /* bytes or counts; suffixes k, M, G (powers of 1024) */
	WEFT_CFG_TEXT, /* one of "a|b|c" in .choices; NULL: any text */
};

struct weft_cfg_opt {
	const char *name;
	enum weft_cfg_type type;
	const char *fallback; /* the default, as text */
	const char *help;
	/* range of a number, e.g. "1..128"; NULL: any value */
	const char *choices;
};

union weft_cfg_value {
	bool b;
	int64_t i;
	uint64_t size;
	/* text of the value, owned by the environment or the table */
	const char *text;
};

/* Parses text as opt's type. Returns 0 or -EINVAL (value unchanged). */
int weft_cfg_parse(const struct weft_cfg_opt *opt, const char *text,
		   union weft_cfg_value *value_p);

/*
 * Returns the value of opt from the environment. If the value is invalid, the
 * default is returned, and one rank of the job prints a warning that names the
 * value.
 */
union weft_cfg_value weft_cfg_get(const struct weft_cfg_opt *opt);

/*
 * A table of options. weft_cfg_warn_unknown() warns about every environment
 * variable that begins with `prefix` and is in none of the n tables; the
 * warning names the nearest known option. It returns the number of these
 * variables.
 */
struct weft_cfg_table {
	const struct weft_cfg_opt *opt;
	size_t count;
};
int weft_cfg_warn_unknown(const char *prefix, const struct weft_cfg_table *t,
			  size_t n);

/*
 * Returns the edit distance between two words (between their first 64
 * characters).
 */
unsigned weft_cfg_distance(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Options set by environment variables, with names, types, ranges and help. */
#include "src/job/job_cfg.h"
#include "src/base/attr.h"
#include "src/job/job_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static int parse_bool(const char *s, bool *b_p)
{
	static const char *const no[] = { "0", "no", "false", "off" };
	static const char *const yes[] = { "1", "yes", "true", "on" };

	for (size_t i = 0; i < WEFT_COUNT_OF(no); i++) {
		if (!strcmp(s, no[i]) || !strcmp(s, yes[i])) {
			*b_p = !strcmp(s, yes[i]);
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_int(const char *s, int64_t *i_p)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 0);
	if (end == s || *end || errno)
		return -EINVAL;
	*i_p = v;
	return 0;
}

static int parse_size(const char *s, uint64_t *size_p)
{
	static const char suffix[] = "kKmMgG";
	unsigned shift = 0;
	const char *unit;
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (end == s || strchr(s, '-') || errno)
		return -EINVAL;
	if (*end) {
		unit = strchr(suffix, *end);
		if (!unit || end[1])
			return -EINVAL;
		shift = 10u * (unsigned)((unit - suffix) / 2 + 1);
	}
	if (v > UINT64_MAX >> shift)
		return -EINVAL;
	*size_p = (uint64_t)v << shift;
	return 0;
}

static int parse_text(const char *choices, const char *s, const char **text_p)
{
	size_t n = strlen(s);
	const char *c = choices;

	while (c && *c) {
		size_t len = strcspn(c, "|");

		if (len == n && !strncmp(c, s, n))
			break;
		c += len;
		if (*c)
			c++;
	}
	if (choices && !*c)
		return -EINVAL;
	*text_p = s;
	return 0;
}

static bool in_range(const struct weft_cfg_opt *opt,
		     const union weft_cfg_value *v)
{
	int64_t min, max;

	if (!opt->choices)
		return true;
	if (sscanf(opt->choices, "%" SCNd64 "..%" SCNd64, &min, &max) != 2)
		return false;
	if (opt->type == WEFT_CFG_SIZE)
		return v->size >= (uint64_t)min && v->size <= (uint64_t)max;
	return v->i >= min && v->i <= max;
}

int weft_cfg_parse(const struct weft_cfg_opt *opt, const char *text,
		   union weft_cfg_value *value_p)
{
	union weft_cfg_value v;
	int err;

	switch (opt->type) {
	case WEFT_CFG_BOOL:
		return parse_bool(text, &value_p->b);
	case WEFT_CFG_INT:
	case WEFT_CFG_SIZE:
		err = opt->type == WEFT_CFG_SIZE ? parse_size(text, &v.size)
						 : parse_int(text, &v.i);
		if (err || !in_range(opt, &v))
			return -EINVAL;
		*value_p = v;
		return 0;
	case WEFT_CFG_TEXT:
		return parse_text(opt->choices, text, &value_p->text);
	}
	return -EINVAL;
}

union weft_cfg_value weft_cfg_get(const struct weft_cfg_opt *opt)
{
	static const char *const kinds[] = { "yes or no", "a number",
					     "a size such as 4096 or 64k",
					     "one of" };
	union weft_cfg_value v = { 0 };
	const char *s = getenv(opt->name);

	if (s && !weft_cfg_parse(opt, s, &v))
		return v;
	if (s)
		weft_log_once(WEFT_LOG_WARN, "%s=%s is not %s%s%s; using %s",
			      opt->name, s, kinds[opt->type],
			      !opt->choices		   ? ""
			      : opt->type == WEFT_CFG_TEXT ? " "
							   : ", ",
			      opt->choices ? opt->choices : "", opt->fallback);
	weft_cfg_parse(opt, opt->fallback, &v);
	return v;
}

unsigned weft_cfg_distance(const char *a, const char *b)
{
	unsigned row[65];
	size_t la = strnlen(a, 64);
	size_t lb = strnlen(b, 64);

	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diag = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diag = row[j];
			row[j] = best;
		}
	}
	return row[lb];
}

/*
 * Returns the option with the least edit distance to name; *known_p: whether
 * the names are equal.
 */
static const char *nearest(const char *name, const struct weft_cfg_table *t,
			   size_t n, bool *known_p)
{
	const char *best = NULL;
	unsigned best_d = 1000;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < t[i].count; k++) {
			unsigned d = weft_cfg_distance(name, t[i].opt[k].name);

			if (d < best_d) {
				best_d = d;
				best = t[i].opt[k].name;
			}
		}
	}
	*known_p = best && !strcmp(best, name);
	return best;
}

int weft_cfg_warn_unknown(const char *prefix, const struct weft_cfg_table *t,
			  size_t n)
{
	int unknown = 0;

	for (char **e = environ; e && *e; e++) {
		char name[128];
		size_t len = strcspn(*e, "=");
		const char *guess;
		bool known;

		if (strncmp(*e, prefix, strlen(prefix)) || len >= sizeof(name))
			continue;
		memcpy(name, *e, len);
		name[len] = 0;
		guess = nearest(name, t, n, &known);
		if (known)
			continue;
		weft_log_once(WEFT_LOG_WARN,
			      "unknown variable %s is ignored%s%s%s", name,
			      guess ? "; did you mean " : "",
			      guess ? guess : "", guess ? "?" : "");
		unknown++;
	}
	return unknown;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault plans: a table of kinds, a parser, a list of faults. */
#include "src/job/fault_plan.h"

#include "src/base/attr.h"
#include "src/job/job_cfg.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16, LINE = 256, FILE_MAX = 1 << 20 };

/* Syntax of each kind: a target, a value and its range. */
static const struct kind {
	const char *word;
	const char *target; /* description of the target; NULL: no target */
	double min, max;    /* range of the value; both 0: no value */
	bool whole;
	bool by;
} kinds[WEFT_FAULT_KINDS] = {
	[WEFT_FAULT_ERRORS] = { "errors", "link class or *", 0, 1, 0, 0 },
	[WEFT_FAULT_BURST] = { "burst", "link class or *", 1, 4096, 1, 0 },
	[WEFT_FAULT_LANES] = { "lanes", "link", 1, 64, 1, 0 },
	[WEFT_FAULT_DEAD_LINK] = { "dead-link", "link", 0, 0, 0, 0 },
	[WEFT_FAULT_DEAD_NODE] = { "dead-node", "node", 0, 0, 0, 0 },
	[WEFT_FAULT_DEAD_SWITCH] = { "dead-switch", "switch", 0, 0, 0, 0 },
	[WEFT_FAULT_DEAD_RAIL] = { "dead-rail", "rail", 0, 0, 0, 0 },
	[WEFT_FAULT_SLOW_LINK] = { "slow-link", "link", 1, 1e6, 0, 0 },
	[WEFT_FAULT_SLOW_NODE] = { "slow-node", "node", 1, 1e6, 0, 0 },
	[WEFT_FAULT_MEMORY] = { "memory", "node or *", 0, 1, 0, 0 },
	[WEFT_FAULT_DEAD_PROCESSOR] = { "dead-processor", "node", 0, 0, 0, 0 },
	[WEFT_FAULT_DEAD_RANK] = { "dead-rank", "rank", 0, 0, 0, 0 },
	[WEFT_FAULT_DETECT] = { "detect", NULL, 0, 0, 0, 1 },
	[WEFT_FAULT_LOSS] = { "loss", NULL, 0, 1, 0, 0 },
	[WEFT_FAULT_DUPLICATE] = { "duplicate", NULL, 0, 1, 0, 0 },
	[WEFT_FAULT_REORDER] = { "reorder", NULL, 0, 1, 0, 0 },
	[WEFT_FAULT_CORRUPT] = { "corrupt", NULL, 0, 1, 0, 0 },
	[WEFT_FAULT_DELAY] = { "delay", NULL, 0, 1, 0, 1 },
	[WEFT_FAULT_PARTITION] = { "partition", "group|group", 0, 0, 0, 0 },
	[WEFT_FAULT_CUT] = { "cut", NULL, 1, 0x1p53, 1, 0 },
	[WEFT_FAULT_RAW] = { "raw", NULL, 0, 0, 0, 0 },
	[WEFT_FAULT_DIE] = { "die", NULL, 1, 0x1p53, 1, 0 },
};

/* Parser state: one line, split into words; next: index of the next word. */
struct reader {
	const char *name;
	unsigned line;
	char text[LINE];
	char *word[WORDS + 1]; /* NULL after the last word */
	unsigned next;
	unsigned seed_line; /* line number of the seed; 0: no seed yet */
	struct weft_fault_plan *plan;
	struct weft_fault_plan_why *why;
};

WEFT_PRINTF(2, 3) static int fail(struct reader *r, const char *form, ...)
{
	char *text = r->why->text;
	size_t len = sizeof(r->why->text);
	va_list args;
	int n;

	n = snprintf(text, len, "%.80s:%u: ", r->name, r->line);
	va_start(args, form);
	vsnprintf(text + n, len - (size_t)n, form, args);
	va_end(args);
	return -EINVAL;
}

static const char *peek(const struct reader *r)
{
	return r->word[r->next] ? r->word[r->next] : "";
}

static bool skip(struct reader *r, const char *word)
{
	bool matches = !strcmp(peek(r), word);

	r->next += matches;
	return matches;
}

/*
 * Parses digits with optional point and exponent. Returns the rest of the text,
 * or NULL if there are no digits.
 */
static const char *plan_number(const char *s, double *x_p)
{
	double x = 0, scale = 1;
	int digits = 0, power = 0, sign = 1;
	bool point = false;

	for (; isdigit((unsigned char)*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		x = x * 10 + (*s - '0');
		scale *= point ? 10 : 1;
		if (++digits > 15)
			return NULL;
	}
	if (!digits)
		return NULL;
	if (*s == 'e' && s[1] && strspn(s + 1 + (s[1] == '-'), "0123456789")) {
		sign = *++s == '-' ? -1 : 1;
		for (s += sign < 0; isdigit((unsigned char)*s); s++)
			power = power < 100 ? power * 10 + (*s - '0') : power;
	}
	for (; power > 0; power--)
		*(sign < 0 ? &scale : &x) *= 10;
	*x_p = x / scale;
	return s;
}

static int read_value(struct reader *r, const struct kind *k, double *x_p)
{
	const char *word = peek(r), *rest = plan_number(word, x_p);

	if (!rest || *rest)
		return fail(r, "%s: expected a number, not \"%s\"", k->word,
			    word);
	if (*x_p < k->min || *x_p > k->max)
		return fail(r, "%s: must be from %g to %g, not %s", k->word,
			    k->min, k->max, word);
	if (k->whole && *x_p != (double)(uint64_t)*x_p)
		return fail(r, "%s: must be a whole number, not %s", k->word,
			    word);
	r->next++;
	return 0;
}

/* Reads a time such as "10 us" or "10us". */
static int read_time(struct reader *r, const char *what, uint64_t *ps_p)
{
	static const struct {
		const char *name;
		double ps;
	} units[] = {
		{ "ps", 1 },   { "ns", 1e3 }, { "us", 1e6 },
		{ "ms", 1e9 }, { "s", 1e12 },
	};
	const char *word = peek(r), *unit;
	double x;

	unit = plan_number(word, &x);
	if (!unit)
		return fail(r, "%s: expected a time, not \"%s\"", what, word);
	r->next++;
	if (!*unit) {
		unit = peek(r);
		r->next += *unit != 0;
	}
	for (unsigned i = 0; i < WEFT_COUNT_OF(units); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		/* 2^63 ps are 106 days. */
		if (x * units[i].ps >= 0x1p63)
			return fail(r, "%s: %s %s is too long", what, word,
				    unit);
		*ps_p = (uint64_t)(x * units[i].ps + 0.5);
		return 0;
	}
	return fail(r,
		    "%s: expected the unit ps, ns, us, ms or s after %s, "
		    "not \"%s\"",
		    what, word, unit);
}

static int read_kind(struct reader *r, enum weft_fault_plan_kind *kind_p)
{
	const char *word = peek(r);
	unsigned best = UINT32_MAX, best_kind = 0;

	for (unsigned i = 0; i < WEFT_FAULT_KINDS; i++) {
		unsigned distance = weft_cfg_distance(word, kinds[i].word);

		if (!distance) {
			*kind_p = (enum weft_fault_plan_kind)i;
			r->next++;
			return 0;
		}
		best_kind = distance < best ? i : best_kind;
		best = distance < best ? distance : best;
	}
	return fail(r, "unknown fault \"%.40s\"; did you mean %s?", word,
		    kinds[best_kind].word);
}

static int read_target(struct reader *r, const struct kind *k, char *target)
{
	const char *word = peek(r);

	if (!*word || *word == '=')
		return fail(r, "%s: expected a %s", k->word, k->target);
	if (strlen(word) >= WEFT_FAULT_TARGET)
		return fail(r, "%s: \"%.40s...\" is too long", k->word, word);
	memcpy(target, word, strlen(word) + 1);
	r->next++;
	return 0;
}

static int read_times(struct reader *r, const struct kind *k,
		      struct weft_fault_entry *f)
{
	int rc = 0;

	if (k->by && !skip(r, "by"))
		return fail(r, "%s: expected \"by TIME\", not \"%s\"", k->word,
			    peek(r));
	if (k->by)
		rc = read_time(r, "by", &f->by_ps);
	if (!rc && skip(r, "at"))
		rc = read_time(r, "at", &f->at_ps);
	if (!rc && skip(r, "for"))
		rc = read_time(r, "for", &f->for_ps);
	if (!rc && *peek(r))
		rc = fail(r, "%s: unexpected \"%s\"", k->word, peek(r));
	return rc;
}

/* Adds a fault; refuses a second one of equal kind, target and start. */
static int plan_add(struct reader *r, const struct weft_fault_entry *f)
{
	struct weft_fault_plan *p = r->plan;
	struct weft_fault_entry *more;

	for (size_t i = 0; i < p->count; i++)
		if (p->fault[i].kind == f->kind &&
		    p->fault[i].at_ps == f->at_ps &&
		    !strcmp(p->fault[i].target, f->target))
			return fail(r, "%s%s%s: already in line %u",
				    kinds[f->kind].word, *f->target ? " " : "",
				    f->target, p->fault[i].line);
	more = realloc(p->fault, (p->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->fault = more;
	p->fault[p->count++] = *f;
	return 0;
}

static int read_fault(struct reader *r)
{
	struct weft_fault_entry f = { .line = r->line,
				      .for_ps = WEFT_FAULT_FOREVER };
	const struct kind *k;
	int rc = read_kind(r, &f.kind);

	if (rc)
		return rc;
	k = &kinds[f.kind];
	if (k->target)
		rc = read_target(r, k, f.target);
	if (!rc && k->max > 0) {
		if (!skip(r, "="))
			return fail(r, "%s: expected \"= VALUE\", not \"%s\"",
				    k->word, peek(r));
		rc = read_value(r, k, &f.value);
	}
	rc = rc ? rc : read_times(r, k, &f);
	return rc ? rc : plan_add(r, &f);
}

/* Reads the seed: a whole number up to 2^53, exact in a double. */
static int read_seed(struct reader *r)
{
	static const struct kind seed = { "seed", NULL, 0, 0x1p53, 1, 0 };
	double x;
	int rc;

	r->next++;
	if (!skip(r, "="))
		return fail(r, "seed: expected \"= NUMBER\"");
	rc = read_value(r, &seed, &x);
	if (rc)
		return rc;
	if (*peek(r))
		return fail(r, "seed: unexpected \"%s\"", peek(r));
	if (r->seed_line)
		return fail(r, "seed: already in line %u", r->seed_line);
	r->seed_line = r->line;
	r->plan->seed = (uint64_t)x;
	return 0;
}

/* Splits a line into words at blanks; "=" is always a word of its own. */
static int split(struct reader *r, const char *from, size_t len)
{
	unsigned n = 0, pos = 0;
	bool inside = false;

	r->next = 0;
	for (size_t i = 0; i < len && from[i] != '#'; i++) {
		bool sign = from[i] == '=';
		bool blank = isspace((unsigned char)from[i]);

		if (pos + 3 > LINE || n > WORDS - 1)
			return fail(r, "line too long: use at most 240 "
				       "characters and 15 words");
		if (inside && (blank || sign)) {
			r->text[pos++] = 0;
			inside = false;
		}
		if (blank)
			continue;
		if (!inside)
			r->word[n++] = &r->text[pos];
		r->text[pos++] = from[i];
		inside = !sign;
		if (sign)
			r->text[pos++] = 0;
	}
	r->text[pos] = 0;
	r->word[n] = NULL;
	return 0;
}

static int read_line(struct reader *r, const char *from, size_t len)
{
	int rc = split(r, from, len);

	if (rc || !r->word[0])
		return rc;
	return strcmp(r->word[0], "seed") ? read_fault(r) : read_seed(r);
}

/*
 * Returns the length of a statement. A comment extends to the end of its line,
 * semicolons included.
 */
static size_t statement_length(const char *text)
{
	size_t n = strcspn(text, ";\n#");

	return text[n] == '#' ? n + strcspn(text + n, "\n") : n;
}

int weft_fault_plan_parse(const char *name, const char *text,
			  struct weft_fault_plan *plan,
			  struct weft_fault_plan_why *why)
{
	struct reader r = { .name = name, .line = 1, .plan = plan, .why = why };
	int rc = 0;

	memset(plan, 0, sizeof(*plan));
	why->text[0] = 0;
	while (!rc && *text) {
		size_t len = statement_length(text);

		rc = read_line(&r, text, len);
		text += len;
		r.line += *text == '\n';
		text += *text != 0;
	}
	if (rc)
		weft_fault_plan_fini(plan);
	return rc;
}

static int file_error(const char *path, int rc, struct weft_fault_plan_why *why)
{
	snprintf(why->text, sizeof(why->text), "%.120s: %s", path,
		 strerror(-rc));
	return rc;
}

int weft_fault_plan_load(const char *given, struct weft_fault_plan *plan,
			 struct weft_fault_plan_why *why)
{
	FILE *f = fopen(given, "re");
	int rc = f ? 0 : -errno;
	char *text;
	size_t n;

	memset(plan, 0, sizeof(*plan));
	if (rc && (!*given || strpbrk(given, " =;")))
		return weft_fault_plan_parse("plan", given, plan, why);
	if (rc)
		return file_error(given, rc, why);
	text = malloc(FILE_MAX + 1);
	n = text ? fread(text, 1, FILE_MAX + 1, f) : 0;
	rc = !text		  ? -ENOMEM
	     : ferror(f)	  ? -errno
	     : n > FILE_MAX	  ? -EFBIG
	     : memchr(text, 0, n) ? -EILSEQ
				  : 0;
	fclose(f);
	if (rc) {
		free(text);
		return file_error(given, rc, why);
	}
	text[n] = 0;
	rc = weft_fault_plan_parse(given, text, plan, why);
	free(text);
	return rc;
}

void weft_fault_plan_fini(struct weft_fault_plan *plan)
{
	free(plan->fault);
	memset(plan, 0, sizeof(*plan));
}

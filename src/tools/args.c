/* SPDX-License-Identifier: BSD-3-Clause */
/* Command-line options (args.h): finding an option, printing help. */
#include "src/tools/args.h"
#include "src/job/job_cfg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HELP_COLUMN   22
#define HELP_WIDTH    55 /* width of the help text: 80 columns in total */
/* minimum edit distance at which no name is suggested */
#define SUGGEST_EDITS 3

static const struct weft_arg *arg_at(const struct weft_args *a, size_t i)
{
	return (const void *)((const char *)a->rows + i * a->stride);
}

int weft_args_error(const struct weft_args *a, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dprintf(STDERR_FILENO, "%s: %s\n", a->program, text);
	return -EINVAL;
}

int weft_args_number(const struct weft_args *a, const char *text, uint64_t min,
		     uint64_t max, uint64_t *value_p)
{
	const struct weft_cfg_opt opt = { .type = WEFT_CFG_SIZE };
	union weft_cfg_value v;

	if (weft_cfg_parse(&opt, text, &v) || v.size < min || v.size > max)
		return weft_args_error(a,
				       "%s %s: must be a whole number from "
				       "%llu to %llu",
				       a->spelled, text,
				       (unsigned long long)min,
				       (unsigned long long)max);
	*value_p = v.size;
	return 0;
}

/* ---- help ---------------------------------------------------------------- */

/*
 * Returns the first name of a list separated by '|', and its length; NULL: the
 * list is empty.
 */
static const char *each_name(const char *names, size_t *len_p)
{
	*len_p = strcspn(names, "|");
	return *len_p ? names : NULL;
}

static const char *after_name(const char *names, size_t len)
{
	return names + len + (names[len] == '|');
}

static const char *dashes(size_t len)
{
	return len > 1 ? "--" : "-";
}

/* Prints `text` wrapped at blanks, indented to the help column. */
static void print_wrapped(const char *text)
{
	size_t n = strlen(text);

	while (n > HELP_WIDTH) {
		n = HELP_WIDTH;
		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		printf("%.*s\n  %*s ", (int)n, text, HELP_COLUMN, "");
		text += n + 1;
		n = strlen(text);
	}
	printf("%s\n", text);
}

/* Writes the head of a help entry: "--machine NAME, -m". */
static size_t write_head(const struct weft_arg *r, char *head, size_t size)
{
	bool maybe = r->nargs == WEFT_ARGS_MAYBE;
	const char *name = r->names;
	size_t n = 0, len;

	for (; each_name(name, &len) && n < size; name = after_name(name, len))
		n += (size_t)snprintf(head + n, size - n, "%s%s%.*s%s%s%s",
				      n ? ", " : "", dashes(len), (int)len,
				      name,
				      n || !*r->args ? ""
				      : maybe	     ? "[="
						     : " ",
				      n ? "" : r->args, n || !maybe ? "" : "]");
	return n;
}

static void print_row(const struct weft_arg *r)
{
	char head[120];

	if (write_head(r, head, sizeof(head)) > HELP_COLUMN)
		printf("  %s\n  %*s ", head, HELP_COLUMN, "");
	else
		printf("  %-*s ", HELP_COLUMN, head);
	print_wrapped(r->help);
}

static void print_topic(const struct weft_args *a, int topic)
{
	if (a->topic)
		printf("%s (--help %s)\n", a->topic[topic].title,
		       a->topic[topic].word);
	for (size_t i = 0; i < a->count; i++)
		if (arg_at(a, i)->topic == topic)
			print_row(arg_at(a, i));
	printf("\n");
}

static const struct weft_arg *args_find(const struct weft_args *a,
					const char *word, size_t len)
{
	const char *name;
	size_t n;

	for (size_t i = 0; i < a->count; i++) {
		name = arg_at(a, i)->names;
		for (; each_name(name, &n); name = after_name(name, n))
			if (n == len && !strncmp(name, word, len))
				return arg_at(a, i);
	}
	return NULL;
}

/* Prints the help on a topic or option; `about` NULL or unknown: all help. */
static enum weft_args_found print_help(const struct weft_args *a,
				       const char *about)
{
	const struct weft_arg *r;

	for (int t = 0; about && a->topic && a->topic[t].word; t++)
		if (!strcmp(a->topic[t].word, about)) {
			print_topic(a, t);
			return WEFT_ARGS_HELP;
		}
	about = about ? about + strspn(about, "-") : "";
	r = args_find(a, about, strlen(about));
	if (r) {
		print_row(r);
	} else {
		printf("%s\n", a->before);
		if (!a->topic)
			print_topic(a, 0);
		for (int t = 0; a->topic && a->topic[t].word; t++)
			if (!a->topic[t].hidden)
				print_topic(a, t);
		printf("%s", a->after);
	}
	return WEFT_ARGS_HELP;
}

static bool is_help(const char *word)
{
	return word && (!strcmp(word, "-h") || !strcmp(word, "-help") ||
			!strcmp(word, "--help") || !strcmp(word, "-?"));
}

/* ---- options ------------------------------------------------------------- */

/*
 * Finds the known name with the smallest edit distance to `word`; "": none
 * below SUGGEST_EDITS.
 */
static void find_nearest(const struct weft_args *a, const char *word,
			 char guess[64])
{
	unsigned d, best = SUGGEST_EDITS;
	const char *name;
	char one[64];
	size_t n;

	guess[0] = 0;
	for (size_t i = 0; i < a->count; i++) {
		name = arg_at(a, i)->names;
		for (; each_name(name, &n); name = after_name(name, n)) {
			snprintf(one, sizeof(one), "%.*s", (int)n, name);
			d = weft_cfg_distance(one, word);
			if (d >= best || d >= n)
				continue;
			best = d;
			strcpy(guess, one);
		}
	}
}

static enum weft_args_found report_unknown(const struct weft_args *a)
{
	char guess[64];

	find_nearest(a, a->spelled + strspn(a->spelled, "-"), guess);
	if (guess[0])
		weft_args_error(a, "unknown option %s; did you mean %s%s?",
				a->spelled, dashes(strlen(guess)), guess);
	else
		weft_args_error(a, "unknown option %s; %s --help lists all",
				a->spelled, a->program);
	return WEFT_ARGS_WRONG;
}

/* Takes the words that follow the option as its values. */
static enum weft_args_found take_values(struct weft_args *a,
					const struct weft_arg *r)
{
	int i, n = r->nargs;

	a->value = a->word + 1;
	if (n == WEFT_ARGS_PAIR)
		n = a->value[0] && strchr(a->value[0], '=') ? 1 : 2;
	if (n == WEFT_ARGS_MAYBE) {
		a->one = NULL;
		a->value = &a->one;
		n = 0;
	}
	for (i = 0; i < n; i++)
		if (!a->value[i]) {
			weft_args_error(a, "%s: %s is missing", a->spelled,
					r->args);
			return WEFT_ARGS_WRONG;
		}
	a->word += n + 1;
	return WEFT_ARGS_OPTION;
}

/* Takes the value that is part of the option's word: "--name=V", "-xV". */
static enum weft_args_found take_attached(struct weft_args *a,
					  const struct weft_arg *r, char *rest)
{
	if (r->nargs != 1 && r->nargs != WEFT_ARGS_MAYBE)
		return report_unknown(a);
	a->one = rest;
	a->value = &a->one;
	a->word++;
	return WEFT_ARGS_OPTION;
}

static enum weft_args_found take_option(struct weft_args *a)
{
	char *name = a->word[0] + (a->word[0][1] == '-' ? 2 : 1);
	size_t len = strcspn(name, "=");
	const struct weft_arg *r = args_find(a, name, len);

	a->spelled = a->word[0];
	a->row = r;
	if (r && name[len] == '=')
		return take_attached(a, r, name + len + 1);
	if (r && r->nargs && is_help(a->word[1]))
		return print_help(a, name);
	if (r)
		return take_values(a, r);
	r = a->attached && a->word[0][1] != '-' ? args_find(a, name, 1) : NULL;
	a->row = r;
	return r ? take_attached(a, r, name + 1) : report_unknown(a);
}

enum weft_args_found weft_args_next(struct weft_args *a)
{
	const char *w = a->word[0];

	if (!w)
		return WEFT_ARGS_END;
	if (w[0] != '-' || !w[1])
		return WEFT_ARGS_WORD;
	if (!strcmp(w, "--")) {
		a->word++;
		return a->word[0] ? WEFT_ARGS_WORD : WEFT_ARGS_END;
	}
	if (is_help(w))
		return print_help(a, a->word[1]);
	return take_option(a);
}

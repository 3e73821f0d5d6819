/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line: contexts separated by ":", each with options, a program
 * and its arguments. Words of a file (-configfile, -app) are read the same
 * way. The options themselves are the table in run_flags.c.
 */
#include "src/run/run_opts.h"
#include "src/run/run_flags.h"
#include "src/run/run_model.h"
#include "src/run/run_say.h"
#include "src/run/run_words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse_words(struct run_parse *p, char **word);

static int say_unknown(const char *word)
{
	const char *near = run_flag_nearest(word + strspn(word, "-"));

	if (near)
		run_say("unknown option %s; did you mean %s%s?", word,
			strlen(near) > 1 ? "--" : "-", near);
	else
		run_say("unknown option %s; mpiexec --help lists all", word);
	return -EINVAL;
}

static bool is_help(const char *word)
{
	return word && (!strcmp(word, "-h") || !strcmp(word, "-help") ||
			!strcmp(word, "--help") || !strcmp(word, "-?"));
}

static int show_help(struct run_parse *p, const char *about)
{
	p->stop = true;
	if (about && !run_help_about(about))
		return 0;
	run_help();
	return 0;
}

/* Words this row takes, starting at arg; 0 when there are too few. */
static int take(const struct run_flag *f, char **arg)
{
	int i, n = f->nargs;

	if (n == RUN_ARGS_PAIR)
		n = arg[0] && strchr(arg[0], '=') ? 1 : 2;
	for (i = 0; i < n; i++)
		if (!arg[i])
			return -1;
	return n;
}

int run_set_file(struct run_parse *p, char **arg)
{
	int n = 0;
	char **word = run_words_of_file(arg[0], &n);

	if (word) {
		n = parse_words(p, word);
		p->from_file = true;
		return n;
	}
	run_say("cannot read %s: %s", arg[0], strerror(errno));
	return -EINVAL;
}

/* One option with its words; how many words it took, or -EINVAL. */
static int parse_flag(struct run_parse *p, char **word)
{
	char *name = word[0] + (word[0][1] == '-' ? 2 : 1), *eq, *one;
	size_t len = strcspn(name, "=");
	int n;

	if (is_help(word[0])) {
		show_help(p, word[1]);
		return 1;
	}
	p->flag = run_flag_find(name, len);
	p->spelled = word[0];
	if (!p->flag)
		return say_unknown(word[0]);
	if (p->flag->nargs && is_help(word[1])) {
		show_help(p, name);
		return 2;
	}
	eq = name[len] == '=' ? name + len : NULL;
	if (eq) {
		one = eq + 1;
		if (p->flag->nargs == 1)
			return p->flag->set(p, &one) ? -EINVAL : 1;
		return say_unknown(word[0]);
	}
	n = take(p->flag, word + 1);
	if (n < 0) {
		run_say("%s: %s is missing", word[0], p->flag->args);
		return -EINVAL;
	}
	return p->flag->set(p, word + 1) ? -EINVAL : n + 1;
}

/* Closes a context: words from the program to the colon or the end. */
static int add_app(struct run_parse *p, char **word, int n)
{
	struct run_opts *o = p->o;
	struct run_app *list;
	char **argv = calloc((size_t)n + 1, sizeof(*argv));

	list = realloc(o->app, ((size_t)o->napps + 1) * sizeof(*list));
	if (!argv || !list)
		return -ENOMEM;
	memcpy(argv, word, (size_t)n * sizeof(*argv));
	p->app->argv = argv;
	list[o->napps++] = *p->app;
	o->app = list;
	memset(p->app, 0, sizeof(*p->app));
	return 0;
}

static int parse_context(struct run_parse *p, char **word, int *used_p)
{
	int i = 0, n = 0, took;

	p->from_file = false;
	while (word[i] && word[i][0] == '-' && word[i][1]) {
		if (!strcmp(word[i], "--")) {
			i++;
			break;
		}
		took = parse_flag(p, word + i);
		if (took < 0)
			return took;
		i += took;
		if (p->stop)
			return 0;
	}
	while (word[i + n] && strcmp(word[i + n], ":"))
		n++;
	*used_p = i + n;
	if (n > 0)
		return add_app(p, word + i, n);
	if (p->from_file)
		return 0;
	run_say("no program is named; mpiexec --help shows how");
	return -EINVAL;
}

static int parse_words(struct run_parse *p, char **word)
{
	int used = 0, err;

	for (;;) {
		err = parse_context(p, word, &used);
		if (err || p->stop)
			return err;
		word += used;
		if (!*word)
			return 0;
		word++;
	}
}

static int read_timeout(struct run_parse *p)
{
	const char *text = getenv("MPIEXEC_TIMEOUT");
	char *end;

	if (!text || !*text || p->o->timeout_s > 0)
		return 0;
	p->o->timeout_s = strtod(text, &end);
	if (!*end && p->o->timeout_s >= 0)
		return 0;
	run_say("MPIEXEC_TIMEOUT=%s: seconds are needed", text);
	return -EINVAL;
}

/* As --report. */
static void read_report(struct run_model *m)
{
	const char *text = getenv("WEFT_REPORT");

	if (!m->report && text && *text && strcmp(text, "0"))
		m->report = "";
}

/* Ranks of contexts that do not say how many: one, or what hosts offer. */
static void number_ranks(struct run_opts *o)
{
	int i, next = 0;

	for (i = 0; i < o->napps; i++) {
		if (!o->app[i].n && o->napps == 1)
			o->app[i].n = o->model.ppn ? o->model.ppn : o->slots;
		if (!o->app[i].n)
			o->app[i].n = 1;
		o->app[i].first = next;
		next += o->app[i].n;
	}
}

/* Flags of the model that a live run does not use. */
static int note_model(struct run_parse *p)
{
	const struct run_model *m = &p->o->model;
	const struct {
		const char *flag;
		const char *value;
	} row[] = { { "--map", m->map }, { "--compute", m->compute } };
	int err = 0;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]) && !err; i++) {
		if (!row[i].value || run_model_virtual(m))
			continue;
		p->spelled = row[i].flag;
		err = run_flag_note(p, "it belongs to the virtual clock");
	}
	return err;
}

bool run_opts_parse(struct run_opts *o, char **argv, int *exit_p)
{
	char self[HOST_NAME_MAX + 1] = "localhost";
	struct run_app app;
	struct run_parse p = { .o = o, .app = &app, .self = self };
	int err;

	memset(o, 0, sizeof(*o));
	memset(&app, 0, sizeof(app));
	gethostname(self, sizeof(self) - 1);
	err = parse_words(&p, argv + 1);
	if (!err && p.stop) {
		*exit_p = fflush(stdout) ? RUN_EXIT_FAULT : 0;
		return false;
	}
	if (!err)
		err = read_timeout(&p);
	if (!err)
		err = note_model(&p);
	if (!err) {
		number_ranks(o);
		read_report(&o->model);
		err = run_model_check(&o->model, run_opts_ranks(o), o->quiet);
	}
	if (!err)
		return true;
	*exit_p = RUN_EXIT_FAULT;
	return false;
}

void run_opts_say_notes(const struct run_opts *o)
{
	int i;

	for (i = 0; i < o->nnotes && !o->quiet; i++)
		run_say("%s", o->note[i]);
}

int run_opts_ranks(const struct run_opts *o)
{
	int i, n = 0;

	for (i = 0; i < o->napps; i++)
		n += o->app[i].n;
	return n;
}

void run_opts_free(struct run_opts *o)
{
	int i;

	for (i = 0; i < o->napps; i++) {
		free(o->app[i].argv);
		free(o->app[i].env.edit);
	}
	for (i = 0; i < o->nnotes; i++)
		free(o->note[i]);
	run_model_free(&o->model);
	free(o->note);
	free(o->app);
	free(o->genv.edit);
	free(o->wrapper);
	memset(o, 0, sizeof(*o));
}

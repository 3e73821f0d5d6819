/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the command line: contexts separated by ":", each with options, a
 * program and its arguments. Words of a file (-configfile, -app) are parsed in
 * the same manner. The table of options is in run_flags.c.
 */
#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/opts/run_calls.h"
#include "src/tools/run/opts/run_flags.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/opts/run_parts.h"
#include "src/tools/run/run_message.h"
#include "src/tools/run/opts/run_words.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Default time limit for the connection of a rank, in seconds; MPI_Init takes
 * milliseconds.
 */
#define CONNECT_S 60

static int parse_words(struct run_parse *p, char **word);

int run_set_file(struct run_parse *p, char **arg)
{
	int n = 0;
	char **word = run_words_of_file(arg[0], &n);

	if (word) {
		n = parse_words(p, word);
		p->from_file = true;
		return n;
	}
	run_message("cannot read %s: %s", arg[0], strerror(errno));
	return -EINVAL;
}

/* Applies the options of a context, up to its program. */
static int parse_flags(struct run_parse *p)
{
	enum weft_args_found found;

	while ((found = weft_args_next(p->args)) == WEFT_ARGS_OPTION) {
		p->flag = p->args->row;
		p->spelled = p->args->spelled;
		if (p->flag->set(p, p->args->value))
			return -EINVAL;
		if (p->stop)
			return 0;
	}
	p->stop = found == WEFT_ARGS_HELP;
	return found == WEFT_ARGS_WRONG ? -EINVAL : 0;
}

/* Adds a context: the words from the program to the colon or the end. */
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

/* Adds a context whose ranks make recorded calls. */
static int add_calls(struct run_parse *p, int n)
{
	char *word[RUN_CALLS_WORDS];

	if (n) {
		run_message("%s: takes no program; another program of the job "
			    "follows a colon",
			    p->app->calls ? "--calls" : "--replay");
		return -EINVAL;
	}
	n = run_calls_words(p->app, word);
	return n < 0 ? n : add_app(p, word, n);
}

static int parse_context(struct run_parse *p)
{
	char **word;
	int n = 0, err;

	p->from_file = false;
	err = parse_flags(p);
	if (err || p->stop)
		return err;
	word = p->args->word;
	while (word[n] && strcmp(word[n], ":"))
		n++;
	p->args->word += n;
	if (run_calls_given(p->app))
		return add_calls(p, n);
	if (n > 0)
		return add_app(p, word, n);
	if (p->from_file)
		return 0;
	run_message("no program given; see mpiexec --help");
	return -EINVAL;
}

/* Parses the words of the command line, or of a file named there. */
static int parse_words(struct run_parse *p, char **word)
{
	struct weft_args args = run_args(word), *outer = p->args;
	int err;

	p->args = &args;
	for (;;) {
		err = parse_context(p);
		if (err || p->stop || !*args.word)
			break;
		args.word++;
	}
	p->args = outer;
	return err;
}

static int read_timeout(struct run_parse *p)
{
	const char *text = getenv("MPIEXEC_TIMEOUT");

	/* 0 means no timeout, as with other launchers */
	if (!text || !*text || p->o->timeout_s > 0 || !strcmp(text, "0"))
		return 0;
	return run_flag_seconds("MPIEXEC_TIMEOUT=", text, &p->o->timeout_s);
}

/* Reads the time limit of the connection to mpiexec in MPI_Init. */
static int read_connect(struct run_opts *o)
{
	const char *text = getenv("MPIEXEC_CONNECT_TIMEOUT");

	o->connect_s = CONNECT_S;
	if (!text || !*text)
		return 0;
	if (strcmp(text, "0"))
		return run_flag_seconds("MPIEXEC_CONNECT_TIMEOUT=", text,
					&o->connect_s);
	o->connect_s = 0;
	return 0;
}

static int env_number(const char *name)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : 0;

	return n > 0 && n <= 1000000 ? n : 0;
}

/* Returns the slots of a host list or a Slurm allocation; 0: none. */
static int64_t available_slots(const struct run_opts *o)
{
	const struct run_remote *w = &o->remote;
	int nodes = 1, tasks = run_hosts_slots(&w->hosts);

	if (w->wanted)
		nodes = w->hosts.count ? w->hosts.count
				       : env_number("SLURM_JOB_NUM_NODES");
	if (o->model.ppn)
		return (int64_t)o->model.ppn * (nodes ? nodes : 1);
	if (w->wanted && !tasks)
		tasks = env_number("SLURM_NTASKS");
	return w->wanted && !tasks ? nodes : tasks;
}

/*
 * Sets the number of ranks of contexts without -n: one, or the number of the
 * hosts' slots.
 */
static int number_ranks(struct run_opts *o, int on_host_ranks)
{
	int64_t n, next = 0;
	int i;

	for (i = 0; i < o->napps; i++) {
		n = o->app[i].n;
		if (!n && o->napps == 1)
			n = on_host_ranks ? on_host_ranks : available_slots(o);
		if (!n)
			n = 1;
		if (n > RUN_RANKS_MAX - next) {
			run_message(
				"the job has %lld ranks or more, the limit is "
				"%d; use a smaller -n",
				(long long)(next + n), RUN_RANKS_MAX);
			return -EINVAL;
		}
		o->app[i].n = (int)n;
		o->app[i].first = (int)next;
		next += n;
	}
	if (o->stdin_rank < next)
		return 0;
	run_message("-stdin %d: the job has ranks 0 to %lld", o->stdin_rank,
		    (long long)next - 1);
	return -EINVAL;
}

/* Records messages about options of the model that a live run does not use. */
static int note_model(struct run_parse *p)
{
	const struct run_model *m = &p->o->model;
	const struct {
		const char *flag;
		const char *value;
	} row[] = { { "--map", m->map },
		    { "--compute", m->compute },
		    { "--compute-table", m->regions },
		    { "--skeleton", m->skeleton ? "" : NULL },
		    { "--noise", m->noise } };
	int err = 0;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]) && !err; i++) {
		if (!row[i].value || run_model_virtual(m))
			continue;
		p->spelled = row[i].flag;
		err = run_flag_note(p, "it is an option of the virtual clock");
	}
	return err;
}

static bool parse(struct run_opts *o, char **argv, int on_host_ranks,
		  int *exit_p)
{
	char self[HOST_NAME_MAX + 1] = "localhost";
	struct run_app app;
	struct run_parse p = { .o = o,
			       .app = &app,
			       .self = self,
			       .on_host_ranks = on_host_ranks };
	int err;

	memset(o, 0, sizeof(*o));
	memset(&app, 0, sizeof(app));
	gethostname(self, sizeof(self));
	err = parse_words(&p, argv + 1);
	if (!err && p.stop) {
		*exit_p = fflush(stdout) ? RUN_EXIT_FAULT : 0;
		return false;
	}
	if (!err)
		err = read_timeout(&p);
	if (!err)
		err = read_connect(o);
	if (!err)
		err = note_model(&p);
	if (!err)
		err = run_remote_decide(&p);
	if (!err)
		err = number_ranks(o, on_host_ranks);
	if (!err)
		err = run_parts_open(o);
	if (!err) {
		const char *text = getenv("WEFT_REPORT");

		/* WEFT_REPORT has the same effect as --report */
		if (!o->model.report && text && *text && strcmp(text, "0"))
			o->model.report = "";
		err = run_parts_place(o);
	}
	if (!err)
		err = run_model_check(&o->model, run_opts_ranks(o), o->quiet);
	if (!err && o->survive)
		err = run_model_check_survive(&o->model);
	if (!err)
		return true;
	*exit_p = RUN_EXIT_FAULT;
	return false;
}

bool run_opts_parse(struct run_opts *o, char **argv, int *exit_p)
{
	return parse(o, argv, 0, exit_p);
}

bool run_opts_parse_on_host(struct run_opts *o, char **argv, int nranks,
			    int *exit_p)
{
	if (!parse(o, argv, nranks, exit_p))
		return false;
	if (run_opts_ranks(o) == nranks)
		return true;
	run_message("the command line gives %d ranks here and %d on the first "
		    "host; files that it names must be the same on all hosts",
		    run_opts_ranks(o), nranks);
	*exit_p = RUN_EXIT_FAULT;
	return false;
}

void run_opts_print_notes(const struct run_opts *o, enum run_note_where last)
{
	int i;

	for (i = 0; i < o->nnotes && !o->quiet; i++)
		if (o->note[i].where <= last)
			run_message("%s", o->note[i].text);
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
		free(o->note[i].text);
	for (i = 0; i < o->remote.npass; i++)
		free(o->remote.pass[i]);
	free(o->remote.pass);
	run_hosts_free(&o->remote.hosts);
	run_hosts_free(&o->remote.list);
	run_model_free(&o->model);
	free(o->note);
	free(o->part);
	free(o->app);
	free(o->genv.edit);
	free(o->wrapper);
	memset(o, 0, sizeof(*o));
}

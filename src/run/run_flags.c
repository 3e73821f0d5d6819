/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options people type by habit, from the MPI standard, Hydra and Open MPI.
 * The functions come first, the table is the summary at the end.
 */
#include "src/run/run_flags.h"
#include "src/base/attr.h"
#include "src/base/cfg.h"
#include "src/run/run_hosts.h"
#include "src/run/run_say.h"
#include "src/run/run_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_flag_note(struct run_parse *p, const char *why)
{
	char **list, *text = NULL;
	int i;

	if (asprintf(&text, "%s has no effect: %s", p->spelled, why) < 0)
		return -ENOMEM;
	for (i = 0; i < p->o->nnotes; i++) {
		if (strcmp(p->o->note[i], text))
			continue;
		free(text);
		return 0;
	}
	list = realloc(p->o->note, ((size_t)i + 1) * sizeof(*list));
	if (!list) {
		free(text);
		return -ENOMEM;
	}
	list[i] = text;
	p->o->note = list;
	p->o->nnotes = i + 1;
	return 0;
}

int run_flag_number(struct run_parse *p, const char *text, int *n_p)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 1000000) {
		run_say("%s %s: a number from 1 to 1000000 is needed",
			p->spelled, text);
		return -EINVAL;
	}
	*n_p = (int)n;
	return 0;
}

static int set_count(struct run_parse *p, char **arg)
{
	return run_flag_number(p, arg[0], &p->app->n);
}

static int set_ppn(struct run_parse *p, char **arg)
{
	return run_flag_number(p, arg[0], &p->o->model.ppn);
}

static int add_edit(struct run_edits *e, const char *name, const char *value)
{
	struct run_env_edit *list;

	list = realloc(e->edit, ((size_t)e->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	e->edit = list;
	list[e->count].name = name;
	list[e->count].value = value;
	e->count++;
	return 0;
}

/* Row value: 1 for the whole job, 0 for the context. */
static struct run_edits *edits(struct run_parse *p)
{
	return p->flag->value ? &p->o->genv : &p->app->env;
}

static int set_env(struct run_parse *p, char **arg)
{
	char *eq = strchr(arg[0], '=');

	if (!eq)
		return add_edit(edits(p), arg[0], arg[1]);
	return add_edit(edits(p), strndup(arg[0], (size_t)(eq - arg[0])),
			eq + 1);
}

static int set_export(struct run_parse *p, char **arg)
{
	char *eq = strchr(arg[0], '=');

	if (eq)
		return set_env(p, arg);
	return add_edit(edits(p), arg[0], NULL);
}

static int set_env_list(struct run_parse *p, char **arg)
{
	char *copy = strdup(arg[0]), *save = NULL, *name;
	int err = copy ? 0 : -ENOMEM;

	edits(p)->base = RUN_ENV_LIST;
	name = copy ? strtok_r(copy, ",", &save) : NULL;
	for (; name && !err; name = strtok_r(NULL, ",", &save))
		err = add_edit(edits(p), name, NULL);
	return err;
}

static int set_env_none(struct run_parse *p, char **arg)
{
	edits(p)->base = RUN_ENV_NONE;
	return 0;
}

static int set_env_all(struct run_parse *p, char **arg)
{
	edits(p)->base = RUN_ENV_ALL;
	return 0;
}

static int set_wdir(struct run_parse *p, char **arg)
{
	p->app->wdir = arg[0];
	return 0;
}

static int set_path(struct run_parse *p, char **arg)
{
	p->app->path = arg[0];
	return 0;
}

static int say_remote(const char *host)
{
	run_say("host %s is not this host; Weft has no network between hosts "
		"yet, so that all ranks of a job run here", host);
	return -EINVAL;
}

/* Row value: 1 when the argument is a file. */
static int set_hosts(struct run_parse *p, char **arg)
{
	char *other = NULL;
	int err;

	err = p->flag->value ? run_hosts_file(arg[0], p->self, &p->o->slots,
					      &other)
			     : run_hosts_list(arg[0], p->self, &p->o->slots,
					      &other);
	if (err == -EREMOTE)
		err = say_remote(other ? other : arg[0]);
	else if (err)
		run_say("cannot read %s: %s", arg[0], strerror(-err));
	free(other);
	return err;
}

static int set_tag(struct run_parse *p, char **arg)
{
	p->o->out.tag = (enum run_tag)p->flag->value;
	if (p->flag->nargs)
		p->o->out.pattern = arg[0];
	return 0;
}

static int set_timestamp(struct run_parse *p, char **arg)
{
	p->o->out.timestamp = true;
	return 0;
}

static int set_merge(struct run_parse *p, char **arg)
{
	p->o->out.merge = true;
	return 0;
}

static int set_outfile(struct run_parse *p, char **arg)
{
	p->o->out.outfile = arg[0];
	return 0;
}

static int set_errfile(struct run_parse *p, char **arg)
{
	p->o->out.errfile = arg[0];
	return 0;
}

static int set_report(struct run_parse *p, char **arg)
{
	p->o->place.report = true;
	return 0;
}

static int set_cpu_set(struct run_parse *p, char **arg)
{
	p->o->place.cpu_set = arg[0];
	return 0;
}

static int set_over(struct run_parse *p, char **arg)
{
	p->o->place.said_over = p->flag->value;
	p->o->place.no_over = !p->flag->value;
	return 0;
}

static int set_hwthreads(struct run_parse *p, char **arg)
{
	if (p->o->place.bind == RUN_UNIT_DEFAULT)
		p->o->place.bind = RUN_UNIT_HWTHREAD;
	return 0;
}

static int set_per_package(struct run_parse *p, char **arg)
{
	p->o->place.map = RUN_UNIT_PACKAGE;
	return run_flag_number(p, arg[0], &p->o->place.ppr);
}

static int set_timeout(struct run_parse *p, char **arg)
{
	char *end;

	p->o->timeout_s = strtod(arg[0], &end);
	if (end != arg[0] && !*end && p->o->timeout_s > 0 &&
	    p->o->timeout_s < 1e9)
		return 0;
	run_say("%s %s: seconds are needed", p->spelled, arg[0]);
	return -EINVAL;
}

static int set_stdin(struct run_parse *p, char **arg)
{
	char *end;
	long n;

	if (!strcmp(arg[0], "all")) {
		p->o->stdin_rank = RUN_STDIN_ALL;
		return 0;
	}
	if (!strcmp(arg[0], "none")) {
		p->o->stdin_rank = RUN_STDIN_NONE;
		return 0;
	}
	n = strtol(arg[0], &end, 10);
	if (end == arg[0] || *end || n < 0 || n > 1000000) {
		run_say("%s %s: all, none or a rank is needed", p->spelled,
			arg[0]);
		return -EINVAL;
	}
	p->o->stdin_rank = (int)n;
	return 0;
}

static int set_wrapper(struct run_parse *p, char **arg)
{
	int n;

	p->o->wrapper = run_words(arg[0], &n);
	if (p->o->wrapper && n > 0)
		return 0;
	run_say("%s: a command is needed", p->spelled);
	return -EINVAL;
}

/* Several debuggers cannot share one terminal: run, and show the place. */
static int set_gdb(struct run_parse *p, char **arg)
{
	char *cmd[] = { (char *)(uintptr_t)"gdb -q -batch -ex run -ex "
			"'thread apply all backtrace' --args" };

	return set_wrapper(p, cmd);
}

static int set_quiet(struct run_parse *p, char **arg)
{
	p->o->quiet = true;
	return 0;
}

static int set_verbose(struct run_parse *p, char **arg)
{
	p->o->verbose = true;
	return 0;
}

static int set_print_codes(struct run_parse *p, char **arg)
{
	p->o->print_codes = true;
	return 0;
}

static int set_version(struct run_parse *p, char **arg)
{
	run_version();
	p->stop = true;
	return 0;
}

static int set_machine(struct run_parse *p, char **arg)
{
	p->o->model.machine = arg[0];
	return 0;
}

static int set_clock(struct run_parse *p, char **arg)
{
	const char *clock = p->flag->nargs ? arg[0] : "virtual";

	if (strcmp(clock, "live") && strcmp(clock, "virtual")) {
		run_say("--clock %s: live or virtual is needed", clock);
		return -EINVAL;
	}
	p->o->model.clock = clock;
	return 0;
}

static int set_model_map(struct run_parse *p, char **arg)
{
	p->o->model.map = arg[0];
	return 0;
}

/* A run without the faults that were asked for would prove what it did not. */
static int set_faults(struct run_parse *p, char **arg)
{
	(void)p;
	run_say("--faults %s: no machine's links fail yet; run without it",
		arg[0]);
	return -EINVAL;
}

/* none, or how many seconds of the machine a second of ours is. */
static int set_compute(struct run_parse *p, char **arg)
{
	char *end;
	double factor;

	if (!strcmp(arg[0], "none"))
		return 0;
	factor = strtod(arg[0], &end);
	if (*end || end == arg[0] || !(factor > 0 && factor < 1e6)) {
		run_say("--compute %s: none is needed, or a factor for the "
			"processor's time, such as 1", arg[0]);
		return -EINVAL;
	}
	p->o->model.compute = arg[0];
	return 0;
}

static int set_model_report(struct run_parse *p, char **arg)
{
	p->o->model.report = p->flag->nargs ? arg[0] : "";
	return 0;
}

static int set_launcher(struct run_parse *p, char **arg)
{
	if (!strcmp(arg[0], "fork"))
		return 0;
	return run_flag_note(p, "ranks are started by fork on this host");
}

/* Row help says why nothing happens. */
static int set_nothing(struct run_parse *p, char **arg)
{
	return run_flag_note(p, p->flag->help);
}

/* Granted without asking: nothing to do and nothing to say. */
static int set_granted(struct run_parse *p, char **arg)
{
	return 0;
}

#define L RUN_TOPIC_LAUNCH
#define E RUN_TOPIC_ENV
#define B RUN_TOPIC_BIND
#define O RUN_TOPIC_OUTPUT
#define M RUN_TOPIC_MODEL
#define X RUN_TOPIC_OTHER
#define N RUN_TOPIC_NONE

static const char why_mca[] = "Open MPI's parameters mean nothing to Weft";
static const char why_ft[] = "a failed rank ends the job";
static const char why_one[] = "there is one host and nothing to log in to";

const struct run_flag run_flags[] = {
	{ "n", 1, set_count, 0, L, "N", "ranks of this program (default 1)" },
	{ "np", 1, set_count, 0, L, "N", NULL },
	{ "c", 1, set_count, 0, L, "N", NULL },
	{ "wdir", 1, set_wdir, 0, L, "DIR", "directory to start in" },
	{ "wd", 1, set_wdir, 0, L, "DIR", NULL },
	{ "path", 1, set_path, 0, L, "DIRS", "search the program there first" },
	{ "configfile", 1, run_set_file, 0, L, "FILE", "read contexts from a "
	  "file, one on each line" },
	{ "app", 1, run_set_file, 0, L, "FILE", NULL },
	{ "file", 1, run_set_file, 0, L, "FILE", NULL },
	{ "host", 1, set_hosts, 0, L, "LIST", "a:2,b: only this host will do" },
	{ "hosts", 1, set_hosts, 0, L, "LIST", NULL },
	{ "hostlist", 1, set_hosts, 0, L, "LIST", NULL },
	{ "H", 1, set_hosts, 0, L, "LIST", NULL },
	{ "hostfile", 1, set_hosts, 1, L, "FILE", "the same from a file, lines "
	  "\"a:2\" or \"a slots=2\"" },
	{ "machinefile", 1, set_hosts, 1, L, "FILE", NULL },
	{ "f", 1, set_hosts, 1, L, "FILE", NULL },
	{ "ppn", 1, set_ppn, 0, L, "N", "ranks to a node; the number of ranks "
	  "when -n is not given" },
	{ "N", 1, set_ppn, 0, L, "N", NULL },
	{ "npernode", 1, set_ppn, 0, L, "N", NULL },
	{ "perhost", 1, set_ppn, 0, L, "N", NULL },
	{ "ntasks-per-node", 1, set_ppn, 0, L, "N", NULL },
	{ "timeout", 1, set_timeout, 0, L, "S", "end the job after S seconds, "
	  "exit code 124 (also MPIEXEC_TIMEOUT)" },
	{ "maxtime", 1, set_timeout, 0, L, "S", NULL },
	{ "stdin", 1, set_stdin, 0, L, "WHO",
	  "all, none or a rank (default 0)" },
	{ "s", 1, set_stdin, 0, L, "WHO", NULL },
	{ "wrapper", 1, set_wrapper, 0, L, "CMD", "start every rank under CMD, "
	  "e.g. -wrapper \"valgrind -q\"" },
	{ "gdb", 0, set_gdb, 0, L, "", "run every rank in gdb, which prints a "
	  "backtrace where one dies" },
	{ "allow-run-as-root", 0, set_granted, 0, L, "", "always allowed" },
	{ "launcher", 1, set_launcher, 0, L, "NAME", "fork is the only one" },
	{ "bootstrap", 1, set_launcher, 0, L, "NAME", NULL },

	{ "x", 1, set_export, 1, E, "K[=V]", "set a variable, or pass it (all "
	  "are passed by default)" },
	{ "genv", RUN_ARGS_PAIR, set_env, 1, E, "K V", "set for all programs" },
	{ "env", RUN_ARGS_PAIR, set_env, 0, E, "K V", "set for this program" },
	{ "genvlist", 1, set_env_list, 1, E, "LIST", "pass these only" },
	{ "envlist", 1, set_env_list, 0, E, "LIST", NULL },
	{ "genvnone", 0, set_env_none, 1, E, "", "pass none" },
	{ "envnone", 0, set_env_none, 0, E, "", NULL },
	{ "genvall", 0, set_env_all, 1, E, "", "pass all (default)" },
	{ "envall", 0, set_env_all, 0, E, "", NULL },

	{ "bind-to", 1, run_set_bind, 0, B, "UNIT", "none, hwthread, core[:n], "
	  "l1cache, l2cache, l3cache, numa, package or socket" },
	{ "map-by", 1, run_set_map, 0, B, "UNIT[:MOD]", "how ranks follow each "
	  "other; slot, node, ppr:n:UNIT; PE=n, OVERSUBSCRIBE" },
	{ "report-bindings", 0, set_report, 0, B, "", "show where each rank "
	  "really is" },
	{ "display-map", 0, set_report, 0, B, "", NULL },
	{ "display", 1, set_report, 0, B, "WHAT", NULL },
	{ "cpu-set", 1, set_cpu_set, 0, B, "LIST",
	  "use these processors only" },
	{ "cpu-list", 1, set_cpu_set, 0, B, "LIST", NULL },
	{ "npersocket", 1, set_per_package, 0, B, "N", "ranks to a package" },
	{ "oversubscribe", 0, set_over, 1, B, "", "always allowed" },
	{ "nooversubscribe", 0, set_over, 0, B, "", "refuse more ranks than "
	  "processors" },
	{ "use-hwthread-cpus", 0, set_hwthreads, 0, B, "", "a hardware thread "
	  "is a processor" },
	{ "use-hwthreads", 0, set_hwthreads, 0, B, "", NULL },

	{ "l", 0, set_tag, RUN_TAG_RANK, O, "",
	  "\"[rank] \" before each line" },
	{ "prepend-rank", 0, set_tag, RUN_TAG_RANK, O, "", NULL },
	{ "label", 0, set_tag, RUN_TAG_RANK, O, "", NULL },
	{ "prepend-pattern", 1, set_tag, RUN_TAG_TEXT, O, "TEXT", "TEXT before "
	  "each line; %r rank, %h host" },
	{ "tag-output", 0, set_tag, RUN_TAG_STREAM, O, "",
	  "\"[1,rank]<stdout>: "
	  "\" before each line" },
	{ "timestamp-output", 0, set_timestamp, 0, O, "",
	  "the time before each "
	  "line" },
	{ "output", 1, run_set_output, 0, O, "LIST", "tag, timestamp, merge, "
	  "dir=D, file=F" },
	{ "merge-stderr-to-stdout", 0, set_merge, 0, O, "", "one stream" },
	{ "outfile-pattern", 1, set_outfile, 0, O, "FILE", "stdout into files; "
	  "%r rank, %h host" },
	{ "errfile-pattern", 1, set_errfile, 0, O, "FILE", "stderr likewise" },
	{ "output-filename", 1, run_set_dir, 0, O, "DIR", "both, into "
	  "DIR/1/rank.R/stdout and stderr" },
	{ "print-all-exitcodes", 0, set_print_codes, 0, O, "", "of each rank, "
	  "at the end" },

	{ "machine", 1, set_machine, 0, M, "NAME[:DIMS]", "run on the network "
	  "of this machine, or of a file that describes one" },
	{ "clock", 1, set_clock, 0, M, "WHICH", "live or virtual (default)" },
	{ "virtual", 0, set_clock, 0, M, "", "--clock virtual" },
	{ "map", 1, set_model_map, 0, M, "ORDER", "ranks to coordinates: "
	  "letters, the last one fastest (ABCDET), or a file" },
	{ "compute", 1, set_compute, 0, M, "FACTOR", "count the program's own "
	  "processor time so many times; none (default)" },
	{ "faults", 1, set_faults, 0, M, "FILE",
	  "fault plan; not there yet, an error" },
	{ "report", 0, set_model_report, 0, M, "", "times of MPI calls and "
	  "loads of links, at the end" },
	{ "report-file", 1, set_model_report, 0, M, "FILE",
	  "the same into a file" },

	{ "q", 0, set_quiet, 0, X, "", "no notes about flags" },
	{ "quiet", 0, set_quiet, 0, X, "", NULL },
	{ "v", 0, set_verbose, 0, X, "", "say what is done" },
	{ "verbose", 0, set_verbose, 0, X, "", NULL },
	{ "V", 0, set_version, 0, X, "", "version" },
	{ "version", 0, set_version, 0, X, "", NULL },
	{ "info", 0, set_version, 0, X, "", NULL },

	{ "mca", 2, set_nothing, 0, N, "K V", why_mca },
	{ "gmca", 2, set_nothing, 0, N, "K V", why_mca },
	{ "omca", 2, set_nothing, 0, N, "K V", why_mca },
	{ "prtemca", 2, set_nothing, 0, N, "K V", why_mca },
	{ "pmixmca", 2, set_nothing, 0, N, "K V", why_mca },
	{ "tune", 1, set_nothing, 0, N, "FILE", why_mca },
	{ "am", 1, set_nothing, 0, N, "FILE", why_mca },
	{ "personality", 1, set_nothing, 0, N, "NAME", why_mca },
	{ "prefix", 1, set_nothing, 0, N, "DIR", why_one },
	{ "noprefix", 0, set_nothing, 0, N, "", why_one },
	{ "launcher-exec", 1, set_nothing, 0, N, "FILE", why_one },
	{ "bootstrap-exec", 1, set_nothing, 0, N, "FILE", why_one },
	{ "rmk", 1, set_nothing, 0, N, "NAME", why_one },
	{ "iface", 1, set_nothing, 0, N, "NAME", why_one },
	{ "nolocal", 0, set_nothing, 0, N, "", why_one },
	{ "preload-binary", 0, set_nothing, 0, N, "", why_one },
	{ "preload-files", 1, set_nothing, 0, N, "LIST", why_one },
	{ "rank-by", 1, set_nothing, 0, N, "UNIT", "ranks are numbered in the "
	  "order of --map-by" },
	{ "membind", 1, set_nothing, 0, N, "POLICY", "memory follows the "
	  "processor" },
	{ "arch", 1, set_nothing, 0, N, "NAME", why_one },
	{ "soft", 1, set_nothing, 0, N, "SET", "exactly -n ranks are started" },
	{ "with-ft", 1, set_nothing, 0, N, "KIND", why_ft },
	{ "enable-recovery", 0, set_nothing, 0, N, "", why_ft },
	{ "continuous", 0, set_nothing, 0, N, "", why_ft },
	{ "disable-auto-cleanup", 0, set_nothing, 0, N, "", why_ft },
	{ "display-allocation", 0, set_nothing, 0, N, "", why_one },
	{ "get-stack-traces", 0, set_nothing, 0, N, "", "a time-out prints "
	  "where the ranks are in MPI" },
	{ "stream-buffering", 1, set_nothing, 0, N, "N",
	  "lines are kept whole" },
	{ "xterm", 1, set_nothing, 0, N, "RANKS", "no terminals are opened" },
	{ "gpus-per-proc", 1, set_nothing, 0, N, "N", "accelerators are not "
	  "assigned" },
	{ "report-uri", 1, set_nothing, 0, N, "FILE", "tools cannot attach" },
	{ "report-pid", 1, set_nothing, 0, N, "FILE", "tools cannot attach" },
	{ "usize", 1, set_nothing, 0, N, "N", "the universe is the job" },
};

const int run_flags_count = WEFT_COUNT_OF(run_flags);

const struct run_flag *run_flag_find(const char *word, size_t len)
{
	int i;

	for (i = 0; i < run_flags_count; i++)
		if (strlen(run_flags[i].name) == len &&
		    !strncmp(run_flags[i].name, word, len))
			return &run_flags[i];
	return NULL;
}

const char *run_flag_nearest(const char *word)
{
	unsigned d, best = 3;
	const char *name = NULL;
	int i;

	for (i = 0; i < run_flags_count; i++) {
		d = weft_cfg_distance(run_flags[i].name, word);
		if (d >= best || d >= strlen(run_flags[i].name))
			continue;
		best = d;
		name = run_flags[i].name;
	}
	return name;
}

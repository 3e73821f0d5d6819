/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the MPI standard, of Hydra and of Open MPI: first the functions,
 * then the table.
 */
#include "src/tools/run/opts/run_flags.h"
#include "config.h"
#include "prov/net/file/net_file.h"
#include "src/base/attr.h"
#include "src/job/job_cfg.h"
#include "src/job/job_noise.h"
#include "src/job/job_skeleton.h"
#include "src/tools/run/run_message.h"
#include "src/tools/run/opts/run_words.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_flag_note(struct run_parse *p, const char *why)
{
	return run_flag_note_where(p, why, RUN_NOTE_ALWAYS);
}

int run_flag_note_where(struct run_parse *p, const char *why,
			enum run_note_where where)
{
	struct run_note *list;
	char *text = NULL;
	int i;

	if (asprintf(&text, "%s has no effect: %s", p->spelled, why) < 0)
		return -ENOMEM;
	for (i = 0; i < p->o->nnotes; i++) {
		if (strcmp(p->o->note[i].text, text))
			continue;
		free(text);
		return 0;
	}
	list = realloc(p->o->note, ((size_t)i + 1) * sizeof(*list));
	if (!list) {
		free(text);
		return -ENOMEM;
	}
	list[i].text = text;
	list[i].where = where;
	p->o->note = list;
	p->o->nnotes = i + 1;
	return 0;
}

int run_flag_number(struct run_parse *p, const char *text, int *n_p)
{
	uint64_t n;

	if (weft_args_number(p->args, text, 1, RUN_RANKS_MAX, &n))
		return -EINVAL;
	*n_p = (int)n;
	return 0;
}

int run_flag_seconds(const char *spelled, const char *text, double *s_p)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s > 0 && s < 1e9)) {
		run_message(
			"%s%s: must be a number of seconds, more than 0 and "
			"less than 1e9",
			spelled, text);
		return -EINVAL;
	}
	*s_p = s;
	return 0;
}

/*
 * Sets a flag. The value of the table entry is the offset of the flag in struct
 * run_opts.
 */
static int set_flag(struct run_parse *p, char **arg)
{
	*(bool *)((char *)p->o + p->flag->value) = true;
	return 0;
}

/* Applies Open MPI's option that has the meaning of --survive. */
static int set_ft(struct run_parse *p, char **arg)
{
	bool on = !strcmp(arg[0], "ulfm") || !strcmp(arg[0], "mpi");

	if (!on && strcmp(arg[0], "none") && strcmp(arg[0], "no")) {
		run_message("--with-ft %s: must be ulfm, mpi or none", arg[0]);
		return -EINVAL;
	}
	p->o->survive = on;
	return 0;
}

static int set_text(struct run_parse *p, char **arg)
{
	*(const char **)((char *)p->o + p->flag->value) = arg[0];
	return 0;
}

/*
 * Sets a text. The value of the table entry is the offset of the text in struct
 * run_app.
 */
static int set_app_text(struct run_parse *p, char **arg)
{
	*(const char **)((char *)p->app + p->flag->value) = arg[0];
	return 0;
}

/*
 * Sets a flag. The value of the table entry is the offset of the flag in struct
 * run_app.
 */
static int set_app_flag(struct run_parse *p, char **arg)
{
	*(bool *)((char *)p->app + p->flag->value) = true;
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

static int set_universe(struct run_parse *p, char **arg)
{
	return run_flag_number(p, arg[0], &p->o->model.universe);
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

/*
 * Returns the settings that the option changes. The value of the table entry is
 * 1 for the whole job, 0 for the context.
 */
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

static int set_tag(struct run_parse *p, char **arg)
{
	p->o->out.tag = (enum run_tag)p->flag->value;
	if (p->flag->arg.nargs)
		p->o->out.pattern = arg[0];
	return 0;
}

static int set_oversubscribe(struct run_parse *p, char **arg)
{
	p->o->place.oversubscribe = p->flag->value;
	p->o->place.no_oversubscribe = !p->flag->value;
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
	char spelled[64];

	snprintf(spelled, sizeof(spelled), "%s ", p->spelled);
	return run_flag_seconds(spelled, arg[0], &p->o->timeout_s);
}

static int set_health(struct run_parse *p, char **arg)
{
	uint64_t ms;

	if (weft_args_number(p->args, arg[0], 1, 60000, &ms))
		return -EINVAL;
	return add_edit(&p->o->genv, "WEFT_HEALTH", arg[0]);
}

static int set_stdin(struct run_parse *p, char **arg)
{
	const struct weft_cfg_opt opt = { .type = WEFT_CFG_SIZE };
	union weft_cfg_value n;

	if (!strcmp(arg[0], "all")) {
		p->o->stdin_rank = RUN_STDIN_ALL;
		return 0;
	}
	if (!strcmp(arg[0], "none")) {
		p->o->stdin_rank = RUN_STDIN_NONE;
		return 0;
	}
	if (weft_cfg_parse(&opt, arg[0], &n) || n.size >= RUN_RANKS_MAX) {
		run_message("%s %s: must be all, none or a rank", p->spelled,
			    arg[0]);
		return -EINVAL;
	}
	p->o->stdin_rank = (int)n.size;
	return 0;
}

static int set_wrapper(struct run_parse *p, char **arg)
{
	int n;

	p->o->wrapper = run_words(arg[0], &n);
	if (p->o->wrapper && n > 0)
		return 0;
	run_message("%s: a command is needed", p->spelled);
	return -EINVAL;
}

/*
 * Runs the program in gdb in batch mode, since several debuggers cannot share
 * one terminal; if the program stops, gdb prints the stack. gdb exits with the
 * program's exit code, or with 128 plus the signal that stopped the program.
 */
static int set_gdb(struct run_parse *p, char **arg)
{
	static char text[] =
		"gdb -q -batch -ex 'set confirm off' -ex run "
		"-ex 'thread apply all backtrace' "
		"-ex 'quit $_isvoid($_exitcode) ? 128 + $_siginfo.si_signo : "
		"$_exitcode' --args";
	char *cmd[] = { text };

	p->o->gdb = true;
	return set_wrapper(p, cmd);
}

/*
 * Runs the program in valgrind; a rank in which valgrind finds errors exits
 * with code 99.
 */
static int set_valgrind(struct run_parse *p, char **arg)
{
	char file[PATH_MAX], text[PATH_MAX + 64];
	char *cmd[] = { text };
	bool found = !net_file_share("valgrind.supp", file, sizeof(file)) &&
		     !strpbrk(file, "'\\");

	snprintf(text, sizeof(text), "valgrind -q --error-exitcode=99%s%s%s",
		 found ? " '--suppressions=" : "", found ? file : "",
		 found ? "'" : "");
	return set_wrapper(p, cmd);
}

static int set_version(struct run_parse *p, char **arg)
{
	puts("mpiexec (Weft) " PACKAGE_VERSION);
	p->stop = true;
	return 0;
}

static int set_clock(struct run_parse *p, char **arg)
{
	const char *clock = p->flag->arg.nargs ? arg[0] : "virtual";

	if (strcmp(clock, "live") && strcmp(clock, "virtual")) {
		run_message("--clock %s: must be live or virtual", clock);
		return -EINVAL;
	}
	p->o->model.clock = clock;
	return 0;
}

static int set_noise(struct run_parse *p, char **arg)
{
	struct weft_noise n;

	p->o->model.noise = arg[0];
	if (*arg[0] && !weft_noise_parse(arg[0], &n))
		return 0;
	run_message("--noise %s: must be RATE,LENGTH[,fixed][,SEED] in 1/s and "
		    "us, such as 100,25",
		    arg[0]);
	return -EINVAL;
}

static int set_skeleton(struct run_parse *p, char **arg)
{
	p->o->model.skeleton = WEFT_SKELETON_MIN;
	return arg[0] ? weft_args_number(p->args, arg[0], 1, UINT32_MAX,
					 &p->o->model.skeleton)
		      : 0;
}

/*
 * Sets the scale of computing time: "none", or seconds of the machine per
 * second of the host.
 */
static int set_compute(struct run_parse *p, char **arg)
{
	const char *equals = strchr(arg[0], '=');
	size_t n = equals ? (size_t)(equals + 1 - arg[0]) : 0;
	bool rate = (n == 13 && !strncmp(arg[0], "instructions=", n)) ||
		    (n == 7 && !strncmp(arg[0], "blocks=", n));
	const char *number = arg[0] + (rate ? n : 0);
	char *end;
	double factor;

	if (!strcmp(arg[0], "none"))
		return 0;
	factor = strtod(number, &end);
	if (*end || end == number ||
	    !(factor > 0 && factor < (rate ? 1e15 : 1e6))) {
		run_message("--compute %s: must be none, a factor for the "
			    "processor time, such as 1, or instructions=N per "
			    "second, or blocks=N per second",
			    arg[0]);
		return -EINVAL;
	}
	p->o->model.compute = arg[0];
	return 0;
}

static int set_model_report(struct run_parse *p, char **arg)
{
	p->o->model.report = p->flag->arg.nargs ? arg[0] : "";
	p->o->model.report_named = p->flag->arg.nargs;
	return 0;
}

/*
 * Records that the option has no effect; the option's help text states the
 * reason.
 */
static int set_nothing(struct run_parse *p, char **arg)
{
	return run_flag_note(p, p->flag->arg.help);
}

/* Accepts an option that states the default; no effect, no message. */
static int set_default(struct run_parse *p, char **arg)
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

static const char why_mca[] = "Weft does not use Open MPI's parameters";
static const char why_ft[] = "a failed rank ends the job";
static const char why_one[] = "the job runs on one host";

static const struct run_flag run_flags[] = {
	{ { "n|np|c", 1, "N", "ranks of this program (default 1)", L },
	  set_count,
	  0 },
	{ { "wdir|wd", 1, "DIR", "directory to start in", L },
	  set_app_text,
	  offsetof(struct run_app, wdir) },
	{ { "path", 1, "DIRS", "search these for the program first", L },
	  set_app_text,
	  offsetof(struct run_app, path) },
	{ { "configfile|app|file", 1, "FILE",
	    "read programs and options from a file, one on each line", L },
	  run_set_file,
	  0 },
	{ { "host|hosts|hostlist|H", 1, "LIST",
	    "hosts a:2,b; others than this one: srun, mpirun or ssh", L },
	  run_set_hosts,
	  0 },
	{ { "hostfile|machinefile|f", 1, "FILE",
	    "hosts of a file, lines \"a:2\" or \"a slots=2\"", L },
	  run_set_hosts,
	  1 },
	{ { "ppn|N|npernode|perhost|ntasks-per-node", 1, "N",
	    "ranks per node; the number of ranks if -n is not given", L },
	  set_ppn,
	  0 },
	{ { "usize", 1, "N",
	    "MPI_UNIVERSE_SIZE: ranks with those that are spawned; with a "
	    "machine, reserves its places",
	    L },
	  set_universe,
	  0 },
	{ { "health", 1, "MS",
	    "ranks monitor each other with this period: weft-info --health",
	    L },
	  set_health,
	  0 },
	{ { "survive|enable-recovery", 0, "",
	    "the job continues after the failure of a rank: doc/failures.md",
	    L },
	  set_flag,
	  offsetof(struct run_opts, survive) },
	{ { "with-ft", 1, "TYPE", "ulfm, mpi: as --survive; none: the job ends",
	    L },
	  set_ft,
	  0 },
	{ { "timeout|maxtime", 1, "S",
	    "end the job after S seconds, exit code 124 (also "
	    "MPIEXEC_TIMEOUT)",
	    L },
	  set_timeout,
	  0 },
	{ { "stdin|s", 1, "RANK", "all, none or a rank (default 0)", L },
	  set_stdin,
	  0 },
	{ { "wrapper", 1, "CMD",
	    "start every rank under CMD, e.g. -wrapper \"valgrind -q\"", L },
	  set_wrapper,
	  0 },
	{ { "gdb", 0, "",
	    "run every rank in gdb, which prints a backtrace of a crash", L },
	  set_gdb,
	  0 },
	{ { "valgrind", 0, "",
	    "run every rank in valgrind, which prints errors of memory "
	    "accesses",
	    L },
	  set_valgrind,
	  0 },
	{ { "allow-run-as-root", 0, "", "always allowed", L }, set_default, 0 },
	{ { "launcher|bootstrap", 1, "NAME",
	    "launcher of the ranks: fork (this host), srun, mpirun, prterun,"
	    " ssh",
	    L },
	  run_set_launcher,
	  0 },
	{ { "launcher-exec|bootstrap-exec", 1, "CMD",
	    "remote shell for mpirun, prterun and ssh", L },
	  run_set_agent,
	  0 },
	{ { "iface", 1, "NAME", "interface for datagrams between hosts", L },
	  run_set_iface,
	  0 },

	{ { "x", 1, "K[=V]",
	    "set a variable, or pass it (all are passed by default)", E },
	  set_export,
	  1 },
	{ { "genv", WEFT_ARGS_PAIR, "K V", "set a variable for all programs",
	    E },
	  set_env,
	  1 },
	{ { "env", WEFT_ARGS_PAIR, "K V", "set a variable for this program",
	    E },
	  set_env,
	  0 },
	{ { "genvlist", 1, "LIST", "pass only these variables", E },
	  set_env_list,
	  1 },
	{ { "envlist", 1, "LIST", "pass only these variables to this program",
	    E },
	  set_env_list,
	  0 },
	{ { "genvnone", 0, "", "pass no variables", E }, set_env_none, 1 },
	{ { "envnone", 0, "", "pass no variables to this program", E },
	  set_env_none,
	  0 },
	{ { "genvall", 0, "", "pass all (default)", E }, set_env_all, 1 },
	{ { "envall", 0, "", "pass all to this program (default)", E },
	  set_env_all,
	  0 },

	{ { "bind-to", 1, "UNIT",
	    "none, hwthread, core[:n], l1cache, l2cache, l3cache, numa, "
	    "package or socket",
	    B },
	  run_set_bind,
	  0 },
	{ { "map-by", 1, "UNIT[:MOD]",
	    "order of ranks: UNIT, slot, node, ppr:n:UNIT; PE=n, "
	    "OVERSUBSCRIBE",
	    B },
	  run_set_map,
	  0 },
	{ { "report-bindings|display-map", 0, "",
	    "show the actual binding of each rank", B },
	  set_flag,
	  offsetof(struct run_opts, place.report) },
	{ { "display", 1, "WHAT", "as --report-bindings", B },
	  set_flag,
	  offsetof(struct run_opts, place.report) },
	{ { "cpu-set|cpu-list", 1, "LIST", "use these processors only", B },
	  set_text,
	  offsetof(struct run_opts, place.cpu_set) },
	{ { "npersocket", 1, "N", "ranks per package", B },
	  set_per_package,
	  0 },
	{ { "oversubscribe", 0, "", "always allowed", B },
	  set_oversubscribe,
	  1 },
	{ { "nooversubscribe", 0, "", "refuse more ranks than processors", B },
	  set_oversubscribe,
	  0 },
	{ { "use-hwthread-cpus|use-hwthreads", 0, "",
	    "a hardware thread is a processor", B },
	  set_hwthreads,
	  0 },

	{ { "l|prepend-rank|label", 0, "", "\"[rank] \" before each line", O },
	  set_tag,
	  RUN_TAG_RANK },
	{ { "prepend-pattern", 1, "TEXT",
	    "TEXT before each line; %r rank, %h host", O },
	  set_tag,
	  RUN_TAG_TEXT },
	{ { "tag-output", 0, "", "\"[1,rank]<stdout>: \" before each line", O },
	  set_tag,
	  RUN_TAG_STREAM },
	{ { "timestamp-output", 0, "", "the time before each line", O },
	  set_flag,
	  offsetof(struct run_opts, out.timestamp) },
	{ { "output", 1, "LIST", "tag, timestamp, merge, dir=D, file=F", O },
	  run_set_output,
	  0 },
	{ { "merge-stderr-to-stdout", 0, "", "stderr into stdout", O },
	  set_flag,
	  offsetof(struct run_opts, out.merge) },
	{ { "outfile-pattern", 1, "FILE", "stdout into files; %r rank, %h host",
	    O },
	  set_text,
	  offsetof(struct run_opts, out.outfile) },
	{ { "errfile-pattern", 1, "FILE", "stderr into files; %r rank, %h host",
	    O },
	  set_text,
	  offsetof(struct run_opts, out.errfile) },
	{ { "output-filename", 1, "DIR", "stdout and stderr into DIR/1/rank.R/",
	    O },
	  run_set_dir,
	  0 },
	{ { "print-all-exitcodes", 0, "",
	    "print the exit code of each rank at the end", O },
	  set_flag,
	  offsetof(struct run_opts, print_codes) },

	{ { "machine", 1, "NAME[:DIMS]",
	    "run on the network of this machine, or of a file that describes "
	    "one",
	    M },
	  set_text,
	  offsetof(struct run_opts, model.machine) },
	{ { "clock", 1, "WHICH", "live or virtual (default)", M },
	  set_clock,
	  0 },
	{ { "virtual", 0, "", "--clock virtual", M }, set_clock, 0 },
	{ { "map", 1, "ORDER",
	    "map of ranks to nodes: letters, fastest last (ABCDET), or "
	    "a file",
	    M },
	  set_text,
	  offsetof(struct run_opts, model.map) },
	{ { "job", 0, "",
	    "this program and the next ones are a job of their own on the "
	    "machine",
	    M },
	  set_app_flag,
	  offsetof(struct run_app, starts_job) },
	{ { "background", 0, "",
	    "with --job: this job ends when the other jobs have ended", M },
	  set_app_flag,
	  offsetof(struct run_app, background) },
	{ { "place", 1, "RULE",
	    "nodes of this job: contiguous, random, random=SEED, or a list "
	    "0-31,64",
	    M },
	  set_app_text,
	  offsetof(struct run_app, place) },
	{ { "replay", 1, "FILE",
	    "this job makes the calls of a recording: no program", M },
	  set_app_text,
	  offsetof(struct run_app, replay) },
	{ { "calls", 1, "PATTERN",
	    "this job makes the calls of a pattern, as weft-sim --calls", M },
	  set_app_text,
	  offsetof(struct run_app, calls) },
	{ { "compute", 1, "FACTOR",
	    "factor for the program's CPU time, or instructions=N or blocks=N "
	    "per second; "
	    "none (default)",
	    M },
	  set_compute,
	  0 },
	{ { "compute-table", 1, "FILE",
	    "times of the program's regions (weft/region.h)", M },
	  set_text,
	  offsetof(struct run_opts, model.regions) },
	{ { "noise", 1, "RATE,US",
	    "interruptions of computation: per second, length; ,fixed ,SEED",
	    M },
	  set_noise,
	  0 },
	{ { "skeleton", WEFT_ARGS_MAYBE, "BYTES",
	    "ranks share the memory of MPI_Alloc_mem (of BYTES or more: 64 "
	    "KiB), whose data is not copied",
	    M },
	  set_skeleton,
	  0 },
	{ { "faults", 1, "FILE|TEXT",
	    "fault plan, e.g. \"seed = 1; errors * = 1e-6\"", M },
	  set_text,
	  offsetof(struct run_opts, model.faults) },
	{ { "report", 0, "",
	    "times of MPI calls and loads of links, at the end", M },
	  set_model_report,
	  0 },
	{ { "report-file", 1, "FILE", "write the report to a file", M },
	  set_model_report,
	  0 },
	{ { "report-html", 1, "FILE",
	    "page with a timeline and charts of the run", M },
	  set_text,
	  offsetof(struct run_opts, model.page) },
	{ { "trace", 1, "FILE",
	    "events of the run for tools: FILE.json or FILE.otf2", M },
	  set_text,
	  offsetof(struct run_opts, model.trace) },
	{ { "stats", 1, "PREFIX",
	    "tables of links, nodes and messages: CSV and JSON lines", M },
	  set_text,
	  offsetof(struct run_opts, model.stats) },
	{ { "record", 1, "FILE",
	    "MPI calls of all ranks, for weft-sim --replay", M },
	  set_text,
	  offsetof(struct run_opts, model.record) },

	{ { "q|quiet", 0, "", "no messages about options without effect", X },
	  set_flag,
	  offsetof(struct run_opts, quiet) },
	{ { "v|verbose", 0, "", "print what mpiexec does", X },
	  set_flag,
	  offsetof(struct run_opts, verbose) },
	{ { "V|version|info", 0, "", "version", X }, set_version, 0 },

	{ { "mca", 2, "K V", why_mca, N }, run_set_pass_through, 0 },
	{ { "gmca", 2, "K V", why_mca, N }, run_set_pass_through, 0 },
	{ { "omca", 2, "K V", why_mca, N }, run_set_pass_through, 0 },
	{ { "prtemca", 2, "K V", why_mca, N }, run_set_pass_through, 0 },
	{ { "pmixmca", 2, "K V", why_mca, N }, run_set_pass_through, 0 },
	{ { "tune", 1, "FILE", why_mca, N }, run_set_pass_through, 0 },
	{ { "am", 1, "FILE", why_mca, N }, run_set_pass_through, 0 },
	{ { "personality", 1, "NAME", why_mca, N }, run_set_pass_through, 0 },
	{ { "prefix", 1, "DIR", why_one, N }, run_set_pass_through, 0 },
	{ { "noprefix", 0, "", why_one, N }, run_set_pass_through, 0 },
	{ { "rmk", 1, "NAME", why_one, N }, set_nothing, 0 },
	{ { "nolocal", 0, "", why_one, N }, run_set_pass_through, 0 },
	{ { "preload-binary", 0, "", why_one, N }, run_set_pass_through, 0 },
	{ { "preload-files", 1, "LIST", why_one, N }, run_set_pass_through, 0 },
	{ { "rank-by", 1, "UNIT", "ranks are numbered in the order of --map-by",
	    N },
	  set_nothing,
	  0 },
	{ { "membind", 1, "POLICY", "memory follows the processor", N },
	  set_nothing,
	  0 },
	{ { "arch", 1, "NAME", why_one, N }, set_nothing, 0 },
	{ { "soft", 1, "SET", "exactly -n ranks are started", N },
	  set_nothing,
	  0 },
	{ { "with-ft", 1, "KIND", why_ft, N }, set_nothing, 0 },
	{ { "enable-recovery", 0, "", why_ft, N }, set_nothing, 0 },
	{ { "continuous", 0, "", why_ft, N }, set_nothing, 0 },
	{ { "disable-auto-cleanup", 0, "", why_ft, N }, set_nothing, 0 },
	{ { "display-allocation", 0, "", why_one, N },
	  run_set_pass_through,
	  0 },
	{ { "get-stack-traces", 0, "",
	    "a timeout prints the MPI calls of the ranks", N },
	  set_nothing,
	  0 },
	{ { "stream-buffering", 1, "N", "lines are kept whole", N },
	  set_nothing,
	  0 },
	{ { "xterm", 1, "RANKS", "no terminals are opened", N },
	  set_nothing,
	  0 },
	{ { "gpus-per-proc", 1, "N", "accelerators are not assigned", N },
	  set_nothing,
	  0 },
	{ { "report-uri", 1, "FILE", "tools cannot attach", N },
	  set_nothing,
	  0 },
	{ { "report-pid", 1, "FILE", "tools cannot attach", N },
	  set_nothing,
	  0 },
};

static const struct weft_args_topic run_topics[] = {
	[RUN_TOPIC_LAUNCH] = { "launch", "What to start", false },
	[RUN_TOPIC_ENV] = { "env", "Environment of the ranks", false },
	[RUN_TOPIC_BIND] = { "bind", "Placement on processors", false },
	[RUN_TOPIC_OUTPUT] = { "output", "Output", false },
	[RUN_TOPIC_MODEL] = { "machine", "Emulated machines", false },
	[RUN_TOPIC_OTHER] = { "other", "Other", false },
	[RUN_TOPIC_NONE] = { "ignored", "Accepted, without effect", true },
	[RUN_TOPICS] = { NULL, NULL, false },
};

static const char before[] = "usage: mpiexec [options] program [arguments] [ : "
			     "[options] program ... ]\n"
			     "Starts the ranks of an MPI job on this host. "
			     "Options have one dash or two.\n";

static const char after[] =
	"Flags of other launchers are accepted: --help ignored\n"
	"Exit code: that of the first rank that failed; 128+signal; 123 a "
	"report or\n"
	"trace was not written; 124 timeout; 125 mpiexec failed; 126 program "
	"not\n"
	"executable; 127 program not found.\n";

struct weft_args run_args(char **word)
{
	return (struct weft_args){ .program = "mpiexec",
				   WEFT_ARGS_TABLE(run_flags),
				   .topic = run_topics,
				   .before = before,
				   .after = after,
				   .word = word };
}

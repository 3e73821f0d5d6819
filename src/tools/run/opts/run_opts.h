/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parsed command line. run_opts_parse() fills one struct run_opts; all other
 * code only reads it. Strings point into argv or are never freed, since a
 * launcher parses only once.
 */
#ifndef WEFT_RUN_OPTS_H
#define WEFT_RUN_OPTS_H

#include "src/tools/run/opts/run_hosts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of mpiexec itself, the same as those of timeout(1) and env(1). */
enum run_exit {
	/* the job succeeded, but a report or trace was not written */
	RUN_EXIT_REPORT = 123,
	RUN_EXIT_TIMEOUT = 124,
	RUN_EXIT_FAULT = 125,
	RUN_EXIT_NOEXEC = 126,
	RUN_EXIT_NOENT = 127,
};

enum run_tag {
	RUN_TAG_NONE,
	RUN_TAG_RANK,	/* -l: "[3] line" */
	RUN_TAG_STREAM, /* --tag-output: "[1,3]<stdout>: line" */
	RUN_TAG_TEXT,	/* -prepend-pattern: a text before each line */
};

enum run_unit {
	RUN_UNIT_DEFAULT,
	RUN_UNIT_NONE,
	RUN_UNIT_HWTHREAD,
	RUN_UNIT_CORE,
	RUN_UNIT_L1,
	RUN_UNIT_L2,
	RUN_UNIT_L3,
	RUN_UNIT_NUMA,
	RUN_UNIT_PACKAGE,
	RUN_UNIT_NODE,
};

enum { RUN_RANKS_MAX = 1000000 };

enum { RUN_STDIN_NONE = -1, RUN_STDIN_ALL = -2 };

/* Launcher that starts the ranks. */
enum run_launcher {
	RUN_LAUNCHER_ANY,
	RUN_LAUNCHER_FORK,    /* mpiexec itself, on this host */
	RUN_LAUNCHER_SRUN,    /* Slurm */
	RUN_LAUNCHER_MPIRUN,  /* Open MPI */
	RUN_LAUNCHER_PRTERUN, /* PRRTE */
	RUN_LAUNCHER_RSH,     /* "ssh", "rsh": daemons of mpiexec */
};

/* Initial environment of a context. */
enum run_env_base { RUN_ENV_ALL, RUN_ENV_NONE, RUN_ENV_LIST };

struct run_env_edit {
	const char *name;
	const char *value; /* value; NULL: the value in mpiexec's environment */
};

struct run_edits {
	struct run_env_edit *edit;
	int count;
	enum run_env_base base;
};

/* One context: a program, its arguments, the number of its ranks. */
struct run_app {
	char **argv; /* program and arguments; terminated by NULL */
	int n;	     /* number of ranks; 0: not given */
	int first;   /* rank of the first process; set after parsing */
	const char *wdir;
	const char *path;
	struct run_edits env;
	/* --job: the ranks have an MPI_COMM_WORLD of their own */
	bool starts_job;
	/* --background: the job ends when all other jobs have ended */
	bool background;
	const char *place; /* --place; NULL: not given */
	/* recorded calls, or a pattern, instead of a program; NULL: not given
	 */
	const char *replay, *calls;
	int part; /* index in run_opts.part; set after parsing */
};

/*
 * One of the jobs that share the machine: consecutive contexts, whose ranks
 * have one MPI_COMM_WORLD. Without --job there is only one such job.
 */
struct run_part {
	int first, n;	   /* first rank and number of ranks */
	int app;	   /* first context of the job */
	bool background;   /* the job ends when all other jobs have ended */
	const char *place; /* --place of the job; NULL: the default */
	int nodes; /* number of the job's nodes; 0: not placed by --place */
};

struct run_place {
	enum run_unit bind;
	int bind_count; /* number of units per rank, default 1 */
	enum run_unit map;
	int pe;	 /* --map-by ...:PE=n */
	int ppr; /* --map-by ppr:n:unit */
	bool report;
	bool no_oversubscribe;
	bool oversubscribe;
	const char *cpu_set;
	const char *bind_text; /* arguments as the user wrote them */
	const char *map_text;
};

struct run_output {
	enum run_tag tag;
	bool timestamp;
	bool merge;
	const char *pattern; /* -prepend-pattern */
	/* file name patterns with %r and %h; NULL: pipes */
	const char *outfile;
	const char *errfile;
	const char *dir; /* directory of --output-filename, if it names one */
};

struct run_model {
	const char *machine;
	const char *clock;
	const char *map;
	/* scale factor of CPU time; NULL: computing takes no virtual time */
	const char *compute;
	const char *regions; /* file of --compute-table; NULL: none */
	const char *noise;   /* text of --noise; NULL: none */
	const char *report; /* file name; "": standard error; NULL: no report */
	bool report_named;  /* whether --report-file has set `report` */
	const char *page;   /* file of --report-html; NULL: none */
	const char *trace;  /* file of --trace; NULL: none */
	const char *record; /* file of --record; NULL: none */
	const char *stats;  /* prefix of the files of --stats; NULL: none */
	/*
	 * minimum size of an allocation that --skeleton folds, bytes; 0: no
	 * --skeleton
	 */
	uint64_t skeleton;
	/* fault plan, or the name of its file; NULL: none */
	const char *faults;
	int ppn;
	/*
	 * --usize: maximum number of ranks, including spawned ones; 0: not
	 * given
	 */
	int universe;
	/* machine specification for the ranks; set by run_model_check() */
	char *spec;
	/* map of ranks to nodes; NULL: the default order of the machine */
	char *map_spec;
	/* a line of coordinates for each rank; NULL: ranks are not placed */
	char *table;
	char *faults_spec;
	/*
	 * minimum number of nodes for --job and --place; 0: computed from the
	 * ranks
	 */
	uint32_t nodes_least;
	/* number of nodes of the machine, and of nodes with ranks */
	unsigned nodes;
	unsigned nodes_used;
	/* energy: pJ per byte on a link, mW of a link and of a node */
	unsigned link_byte_pj, link_mw, node_mw;
	bool detours; /* packets are routed around dead nodes */
};

/*
 * Environment variable of an mpiexec that starts a spawned job on several
 * hosts: the list of hosts that the job may use.
 */
#define RUN_CHILDREN_VAR "WEFT_JOB_SPAWNED"

/* Options of a job on several hosts. */
struct run_remote {
	struct run_hosts hosts;
	enum run_launcher launcher;
	const char *agent; /* remote shell; NULL: the launcher's default */
	const char *iface;
	/* words that are passed unchanged to Open MPI's launcher */
	char **pass;
	int npass;
	/* whether the job runs on other hosts; set by run_opts_parse() */
	bool wanted;
	/* RUN_CHILDREN_VAR: whether it was set, and the list */
	bool spawned;
	struct run_hosts list;
};

/* Jobs in which an option has no effect. */
enum run_note_where {
	RUN_NOTE_ALWAYS,
	RUN_NOTE_NO_MPIRUN, /* jobs that Open MPI's launcher does not start */
	RUN_NOTE_NO_RSH,    /* jobs that no remote shell starts */
	RUN_NOTE_HERE,	    /* jobs on this host */
};

struct run_note {
	char *text;
	enum run_note_where where;
};

/* Returns whether MPI calls are counted and timed. */
static inline bool run_is_counted(const struct run_model *m)
{
	return m->report || m->page || m->trace || m->stats;
}

struct run_opts {
	struct run_app *app;
	int napps;
	struct run_part *part;
	int nparts;
	struct run_edits genv;
	struct run_place place;
	struct run_output out;
	struct run_model model;
	struct run_remote remote;
	int stdin_rank;
	double timeout_s;
	double connect_s; /* MPIEXEC_CONNECT_TIMEOUT in seconds; 0: no limit */
	bool quiet;
	bool verbose;
	bool print_codes;
	bool survive; /* the job continues after the failure of a rank */
	/*
	 * --gdb: exit code 128 + signal means that the rank died by this signal
	 */
	bool gdb;
	/* words of the wrapper, terminated by NULL; NULL: no wrapper */
	char **wrapper;
	struct run_note *note; /* messages about options without effect */
	int nnotes;
};

/*
 * Parses argv (argv[0] is skipped). Returns true if there is a job to run;
 * otherwise *exit_p is the exit code and all messages have been printed.
 */
bool run_opts_parse(struct run_opts *o, char **argv, int *exit_p);

/*
 * Parses the command line of a job on several hosts, on one of these hosts.
 * nranks: ranks of the whole job. Options that select hosts are ignored. Return
 * value and *exit_p are those of run_opts_parse().
 */
bool run_opts_parse_on_host(struct run_opts *o, char **argv, int nranks,
			    int *exit_p);

void run_opts_free(struct run_opts *o);

/*
 * Prints each message about an option without effect once, for the kinds of
 * jobs from RUN_NOTE_ALWAYS to `last`.
 */
void run_opts_print_notes(const struct run_opts *o, enum run_note_where last);

int run_opts_ranks(const struct run_opts *o);

#endif

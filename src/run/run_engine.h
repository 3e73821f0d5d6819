/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on other hosts. The site's own launcher starts them and serves them as
 * PMIx server: srun of Slurm inside an allocation, else mpirun of Open MPI, or
 * prterun of PRRTE. mpiexec finds it and translates its own options. It becomes
 * srun, and watches the other two: run_engine_watch.c.
 */
#ifndef WEFT_RUN_ENGINE_H
#define WEFT_RUN_ENGINE_H

#include "src/base/attr.h"
#include "src/run/run_opts.h"

enum run_engine_kind {
	RUN_ENGINE_SRUN,
	RUN_ENGINE_ORTE, /* Open MPI up to 4 */
	RUN_ENGINE_PRTE, /* PRRTE, and Open MPI from 5 on, which is the same */
};

struct run_engine {
	enum run_engine_kind kind;
	char *file;	  /* full path */
	const char *name; /* for people */
};

/* A command line that grows. */
struct run_cmd {
	char **word; /* ends with NULL */
	int count;
	bool lost;    /* no memory for some word */
	int renamed;  /* variables that have another name on the way */
	char *script; /* sets variables before the program; NULL: none */
};

void run_cmd_add(struct run_cmd *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
void run_cmd_free(struct run_cmd *c);

/* Finds who is there; false: nobody, which has been said. */
bool run_engine_find(const struct run_opts *o, struct run_engine *e);

/* The engine that calls itself so by --version; false: none of ours. */
bool run_engine_is(const char *version, struct run_engine *e);

/* The whole command, options translated. 0, or -EINVAL after saying why not. */
int run_engine_words(const struct run_opts *o, const struct run_engine *e,
		     struct run_cmd *c);

/* Its parts: run_engine_mpirun.c and run_engine_srun.c. */
int run_engine_mpirun(const struct run_opts *o, const struct run_engine *e,
		      struct run_cmd *c);
int run_engine_srun(const struct run_opts *o, const struct run_engine *e,
		    struct run_cmd *c);

/* The program of a context, after the wrapper, with its arguments. */
void run_engine_program(const struct run_opts *o, const struct run_app *a,
			struct run_cmd *c);

/* "FLAG has no effect: ENGINE ...", unless notes are not wanted. */
void run_engine_note(const struct run_opts *o, const struct run_engine *e,
		     const char *flag);

/*
 * Variables of the ranks of a context: set() gets those that are new or have
 * another value here, keep() the names of those that are passed as they are.
 * What belongs to this login, this launcher or this host is not passed unless
 * it was asked for by name. No value may become a word of the command, which
 * every user of the host can read.
 */
struct run_engine_env {
	/* alike: every context of the job has this value */
	void (*set)(struct run_cmd *c, const char *name, const char *value,
		    bool alike);
	void (*keep)(struct run_cmd *c, const char *name);
};
void run_engine_vars(const struct run_opts *o, int app,
		     const struct run_engine_env *to, struct run_cmd *c);

/* Runs the command of mpirun or prterun as a child; returns the exit code. */
int run_engine_watch(const struct run_opts *o, const struct run_engine *e,
		     const struct run_cmd *c);

/* Becomes srun, or runs another engine and returns its exit code. */
int run_engine_start(const struct run_opts *o);

#endif

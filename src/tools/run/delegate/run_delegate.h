/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on other hosts. The site's launcher starts the ranks and is their PMIx
 * server: srun of Slurm inside an allocation, else mpirun of Open MPI, or
 * prterun of PRRTE (called engine in the code). mpiexec finds the launcher and
 * translates the options of mpiexec for it. mpiexec replaces itself with srun
 * by exec(), and runs the other two as children: run_delegate_watch.c. Without
 * any of them, daemons of mpiexec start the ranks (src/tools/run/daemon).
 */
#ifndef WEFT_RUN_DELEGATE_H
#define WEFT_RUN_DELEGATE_H

#include "src/base/attr.h"
#include "src/tools/run/opts/run_opts.h"

enum run_delegate_kind {
	RUN_ENGINE_SRUN,
	RUN_ENGINE_ORTE, /* Open MPI up to version 4 */
	/* PRRTE, and Open MPI version 5 and later, which uses PRRTE */
	RUN_ENGINE_PRTE,
	RUN_ENGINE_OWN, /* daemons of mpiexec, through a remote shell */
};

struct run_delegate {
	enum run_delegate_kind kind;
	char *file;	  /* full path of the launcher */
	const char *name; /* name of the launcher in messages */
};

/* A command line to which words are added. */
struct run_cmd {
	char **word; /* words of the command line; terminated by NULL */
	int count;
	bool lost; /* whether a word is missing because memory was exhausted */
	/* number of variables that are passed under another name */
	int renamed;
	/* shell script that sets variables before the program; NULL: none */
	char *script;
};

void run_cmd_add(struct run_cmd *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
void run_cmd_free(struct run_cmd *c);

/* Finds a launcher. Returns false, after a message, if there is none. */
bool run_delegate_find(const struct run_opts *o, struct run_delegate *e);

/* Sets the kind of launcher by its --version text; false: not supported. */
bool run_delegate_identify(const char *version, struct run_delegate *e);

/*
 * Builds the whole command, with translated options. Returns 0, or -EINVAL and
 * reports the reason on stderr.
 */
int run_delegate_command(const struct run_opts *o, const struct run_delegate *e,
			 struct run_cmd *c);

/* Parts of run_delegate_command(), for the kinds of launcher. */
int run_delegate_mpirun(const struct run_opts *o, const struct run_delegate *e,
			struct run_cmd *c);
int run_delegate_srun(const struct run_opts *o, const struct run_delegate *e,
		      struct run_cmd *c);

/* Adds the wrapper, the program of an application context and its arguments. */
void run_delegate_program(const struct run_opts *o, const struct run_app *a,
			  struct run_cmd *c);

/* Prints "FLAG has no effect: ENGINE ...", unless -quiet is set. */
void run_delegate_note(const struct run_opts *o, const struct run_delegate *e,
		       const char *flag);

/*
 * Variables of the ranks of an application context: set() is called for
 * variables that are new or have another value than in mpiexec's environment,
 * keep() for the names of variables that are passed unchanged. Variables that
 * belong to this login, this launcher or this host are passed only if the user
 * named them. Values must not be in the command's arguments, which every user
 * of the host can read.
 */
struct run_delegate_env {
	/* alike: whether all contexts of the job have this value */
	void (*set)(struct run_cmd *c, const char *name, const char *value,
		    bool alike);
	void (*keep)(struct run_cmd *c, const char *name);
};
void run_delegate_vars(const struct run_opts *o, int app,
		       const struct run_delegate_env *to, struct run_cmd *c);

/* Runs mpirun or prterun as a child; returns the exit code. */
int run_delegate_watch(const struct run_opts *o, const struct run_delegate *e,
		       const struct run_cmd *c);

/*
 * Executes srun in place of mpiexec, or runs another launcher, or daemons of
 * mpiexec, and returns the exit code. words: command line of mpiexec.
 */
int run_delegate_start(const struct run_opts *o, char **words);

/*
 * Returns the variables of mpiexec that are passed to other hosts, NAME=VALUE,
 * terminated by NULL; NULL: no memory. The strings belong to environ and must
 * not be freed.
 */
char **run_delegate_env(const struct run_opts *o);

#endif

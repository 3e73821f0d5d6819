/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Environment of a rank: "NAME=value" strings that all ranks of a context
 * share, followed by the variables that contain the rank.
 */
#ifndef WEFT_RUN_ENV_H
#define WEFT_RUN_ENV_H

#include "src/tools/run/job/run_job.h"

/* Variable with the value of --usize, for ranks and for spawned jobs. */
#define RUN_ENV_UNIVERSE "FI_WEFT_UNIVERSE"

/* number of variables that contain the number of a rank */
enum { RUN_ENV_RANK_VARS = 7 };

struct run_env {
	/* array: `count` variables, then those of one rank, then NULL */
	char **var;
	int count; /* number of variables that all ranks have in common */
	int cap;
	int first; /* first rank on this host */
	int base;  /* first rank of the context's job (--job) */
};

/* Sets a variable; value NULL: removes it. Returns 0 or -ENOMEM. */
int run_env_set(struct run_env *e, const char *name, const char *value);

/*
 * Fills the part that all ranks of context app share. pmix: the result of
 * run_pmix_env(). Returns 0 or -ENOMEM.
 */
int run_env_open(struct run_env *e, const struct run_job *job, int app,
		 char **pmix);

/* Returns the user's value of a variable in context app; NULL: not set. */
const char *run_env_value(const struct run_opts *o, int app, const char *name);

/*
 * Adds the variables that contain this rank to e, and returns all variables.
 * The result is valid until the next call with e. Cannot fail: run_env_open()
 * has allocated the memory.
 */
char **run_env_of_rank(struct run_env *e, int rank);

void run_env_close(struct run_env *e);

#endif

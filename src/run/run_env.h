/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment of a rank: a set of "NAME=value" strings shared by all
 * ranks of a context, and a tail of variables that carry the rank itself.
 */
#ifndef WEFT_RUN_ENV_H
#define WEFT_RUN_ENV_H

#include "src/run/run_job.h"

enum { RUN_ENV_RANK_VARS = 7 };

struct run_env {
	char **var; /* ends with NULL; room for the tail is allocated */
	int count;  /* without the tail */
	int cap;
};

/* Sets name to value, or removes it (value NULL). 0 or -ENOMEM. */
int run_env_set(struct run_env *e, const char *name, const char *value);

/* The part that all ranks of context app share. pmix: run_pmix_env(). */
int run_env_open(struct run_env *e, const struct run_job *job, int app,
		 char **pmix);

/* What a variable will be in ranks of context app; NULL: not set by users. */
const char *run_env_asked(const struct run_opts *o, int app, const char *name);

/*
 * Completes e for one rank; the result is valid until the next call on the
 * same e. Never fails: the room was taken by run_env_open().
 */
char **run_env_of_rank(struct run_env *e, int rank);

void run_env_close(struct run_env *e);

#endif

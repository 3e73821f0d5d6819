/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of options: rows of src/base/args.h with the function that carries
 * an option out.
 */
#ifndef WEFT_RUN_FLAGS_H
#define WEFT_RUN_FLAGS_H

#include "src/base/args.h"
#include "src/run/run_opts.h"

enum run_topic {
	RUN_TOPIC_LAUNCH,
	RUN_TOPIC_ENV,
	RUN_TOPIC_BIND,
	RUN_TOPIC_OUTPUT,
	RUN_TOPIC_MODEL,
	RUN_TOPIC_OTHER,
	RUN_TOPIC_NONE, /* accepted, without effect */
	RUN_TOPICS,
};

struct run_flag;

/* What a function of the table works on. */
struct run_parse {
	struct run_opts *o;
	struct run_app *app;	     /* the context being read */
	struct weft_args *args;	     /* the words */
	const struct run_flag *flag; /* the row being carried out */
	const char *spelled;	     /* as the user wrote it */
	const char *self;	     /* this host */
	bool from_file;		     /* -configfile brought the programs */
	bool stop;		     /* nothing to run: *code is the exit */
	int code;
};

struct run_flag {
	struct weft_arg arg;
	/* 0, or -EINVAL after saying why. arg: the words. */
	int (*set)(struct run_parse *p, char **arg);
	size_t value; /* for the function */
};

/* The options of mpiexec in these words. */
struct weft_args run_args(char **word);

/* Remembers a line about a flag without effect, each text once. */
int run_flag_note(struct run_parse *p, const char *why);

/* The same, for a flag that has an effect elsewhere. */
int run_flag_note_where(struct run_parse *p, const char *why,
			enum run_note_where where);

/* Setters of run_away.c. */
int run_set_hosts(struct run_parse *p, char **arg);
int run_set_launcher(struct run_parse *p, char **arg);
int run_set_agent(struct run_parse *p, char **arg);
int run_set_iface(struct run_parse *p, char **arg);
int run_set_pass(struct run_parse *p, char **arg);

/*
 * Whether the job is one for other hosts, once all is read. 0, or -EINVAL after
 * saying what cannot be.
 */
int run_away_decide(struct run_parse *p);

/* Setters of run_place.c. */
int run_set_bind(struct run_parse *p, char **arg);
int run_set_map(struct run_parse *p, char **arg);

/* Setters of run_format.c. */
int run_set_output(struct run_parse *p, char **arg);
int run_set_dir(struct run_parse *p, char **arg);

/* Setter of run_opts.c: the file is a list of contexts. */
int run_set_file(struct run_parse *p, char **arg);

/* A positive number; -EINVAL after saying what is wrong. */
int run_flag_number(struct run_parse *p, const char *text, int *n_p);

/* More than 0 and less than 1e9 seconds; spelled: what the text belongs to. */
int run_flag_seconds(const char *spelled, const char *text, double *s_p);

#endif

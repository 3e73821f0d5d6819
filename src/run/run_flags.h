/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of options. A row has a name (written with one dash or two), how
 * many words follow it, the function that carries it out and a line of help.
 * Names that mean the same are separate rows with the same function.
 */
#ifndef WEFT_RUN_FLAGS_H
#define WEFT_RUN_FLAGS_H

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
	const struct run_flag *flag; /* the row being carried out */
	const char *spelled;	     /* as the user wrote it */
	const char *self;	     /* this host */
	bool from_file;		     /* -configfile brought the programs */
	bool stop;		     /* nothing to run: *code is the exit */
	int code;
};

struct run_flag {
	const char *name;
	int nargs; /* RUN_ARGS_PAIR: "K V" or "K=V" */
	/* 0, or -EINVAL after saying why. arg: nargs words. */
	int (*set)(struct run_parse *p, char **arg);
	int value; /* for the function */
	enum run_topic topic;
	const char *args; /* names of the words, for help */
	const char *help; /* NULL: a second name of the row above */
};

enum { RUN_ARGS_PAIR = -1 };

extern const struct run_flag run_flags[];
extern const int run_flags_count;

/* The row of a word such as "--bind-to" or "-n"; NULL: unknown. */
const struct run_flag *run_flag_find(const char *word, size_t len);

/* The known name nearest to word; NULL: none is near. */
const char *run_flag_nearest(const char *word);

/* Remembers a line about a flag without effect, each text once. */
int run_flag_note(struct run_parse *p, const char *why);

/* Words for --bind-to and --map-by; -EINVAL after listing the known ones. */
int run_flag_unit(struct run_parse *p, const char *word, size_t len,
		  enum run_unit *unit_p);

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

/* Help: everything, one topic, or one option; -EINVAL: unknown word. */
void run_help(void);
int run_help_about(const char *word);
void run_version(void);

#endif

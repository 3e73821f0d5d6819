/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of options: entries of src/tools/args.h, each with the function that
 * applies the option.
 */
#ifndef WEFT_RUN_FLAGS_H
#define WEFT_RUN_FLAGS_H

#include "src/tools/args.h"
#include "src/tools/run/opts/run_opts.h"

enum run_topic {
	RUN_TOPIC_LAUNCH,
	RUN_TOPIC_ENV,
	RUN_TOPIC_BIND,
	RUN_TOPIC_OUTPUT,
	RUN_TOPIC_MODEL,
	RUN_TOPIC_OTHER,
	RUN_TOPIC_NONE, /* options that are accepted without effect */
	RUN_TOPICS,
};

struct run_flag;

/* State of the parser; passed to the functions of the option table. */
struct run_parse {
	struct run_opts *o;
	struct run_app *app;	     /* context that is being parsed */
	struct weft_args *args;	     /* words of the command line */
	const struct run_flag *flag; /* table entry that is being applied */
	const char *spelled;	     /* option as the user wrote it */
	const char *self;	     /* name of this host */
	/*
	 * total ranks, if run_opts_parse_on_host() is parsing; 0:
	 * run_opts_parse() is parsing
	 */
	int on_host_ranks;
	/* whether -configfile has given the programs */
	bool from_file;
	bool stop; /* whether there is nothing to run; *code is the exit code */
	int code;
};

struct run_flag {
	struct weft_arg arg;
	/*
	 * applies the option; arg: the values of the option. Returns 0, or
	 * -EINVAL and reports the reason on stderr.
	 */
	int (*set)(struct run_parse *p, char **arg);
	size_t value; /* argument of set; its meaning depends on set */
};

/* Returns a parser for mpiexec's options in these words. */
struct weft_args run_args(char **word);

/*
 * Records a message about an option without effect, once for each text. Returns
 * 0 or -ENOMEM.
 */
int run_flag_note(struct run_parse *p, const char *why);

/*
 * Records a message about an option that has an effect only in other jobs.
 * Returns 0 or -ENOMEM.
 */
int run_flag_note_where(struct run_parse *p, const char *why,
			enum run_note_where where);

/* Functions that apply options; defined in run_remote.c. */
int run_set_hosts(struct run_parse *p, char **arg);
int run_set_launcher(struct run_parse *p, char **arg);
int run_set_agent(struct run_parse *p, char **arg);
int run_set_iface(struct run_parse *p, char **arg);
int run_set_pass_through(struct run_parse *p, char **arg);

/*
 * Decides whether the job runs on other hosts, after all options are parsed.
 * Returns 0, or -EINVAL and reports options that exclude each other.
 */
int run_remote_decide(struct run_parse *p);

/* Functions that apply options; defined in run_place.c. */
int run_set_bind(struct run_parse *p, char **arg);
int run_set_map(struct run_parse *p, char **arg);

/* Functions that apply options; defined in run_format.c. */
int run_set_output(struct run_parse *p, char **arg);
int run_set_dir(struct run_parse *p, char **arg);

/* Applies an option that names a file of contexts; defined in run_opts.c. */
int run_set_file(struct run_parse *p, char **arg);

/* Parses a positive number. Returns 0, or -EINVAL after a message. */
int run_flag_number(struct run_parse *p, const char *text, int *n_p);

/*
 * Parses a number of seconds, > 0 and < 1e9. spelled: the option, as typed, for
 * the error message. Returns 0, or -EINVAL after a message.
 */
int run_flag_seconds(const char *spelled, const char *text, double *s_p);

#endif

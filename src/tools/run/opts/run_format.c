/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses --output, and the names of files for the output of ranks. */
#include "src/tools/run/opts/run_flags.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_files(struct run_output *o, const char *name, const char *out,
		     const char *err)
{
	char *a = NULL, *b = NULL;

	if (asprintf(&a, "%s%s", name, out) < 0 ||
	    asprintf(&b, "%s%s", name, err) < 0)
		return -ENOMEM;
	o->outfile = a;
	o->errfile = b;
	return 0;
}

/*
 * Sets the output files. A pattern with % names the files of both streams; a
 * plain name is a directory.
 */
int run_set_dir(struct run_parse *p, char **arg)
{
	arg[0][strcspn(arg[0], ":,")] = '\0';
	if (strchr(arg[0], '%'))
		return set_files(&p->o->out, arg[0], "", "");
	p->o->out.dir = strdup(arg[0]);
	return set_files(&p->o->out, arg[0], "/1/rank.%r/stdout",
			 "/1/rank.%r/stderr");
}

static int set_word(struct run_parse *p, char *word)
{
	struct run_output *o = &p->o->out;
	char *dir;

	if (!strncmp(word, "tag", 3)) {
		o->tag = RUN_TAG_STREAM;
	} else if (!strcmp(word, "rank")) {
		o->tag = RUN_TAG_RANK;
	} else if (!strcmp(word, "timestamp")) {
		o->timestamp = true;
	} else if (!strncmp(word, "merge", 5)) {
		o->merge = true;
	} else if (!strncmp(word, "file=", 5)) {
		word += 5;
		if (strchr(word, '%'))
			return set_files(o, word, "", "");
		return set_files(o, word, ".%r.out", ".%r.err");
	} else if (!strncmp(word, "dir=", 4)) {
		dir = word + 4;
		return run_set_dir(p, &dir);
	} else {
		run_message("%s %s: not one of tag rank timestamp merge file=F "
			    "dir=D",
			    p->spelled, word);
		return -EINVAL;
	}
	return 0;
}

int run_set_output(struct run_parse *p, char **arg)
{
	char *copy = strdup(arg[0]), *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ",:")))
		if (strcmp(word, "nocopy") && strcmp(word, "pattern"))
			err = set_word(p, word);
	free(copy);
	return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line. */
#include "src/run/run_opts.h"
#include "src/run/run_say.h"

#include <stdlib.h>
#include <string.h>

bool run_opts_parse(struct run_opts *o, char **argv, int *exit_p)
{
	static struct run_app app;
	int i = 1;

	memset(o, 0, sizeof(*o));
	app.n = 1;
	o->app = &app;
	o->napps = 1;
	for (i = 1; argv[i] && argv[i][0] == '-'; i++) {
		if ((!strcmp(argv[i], "-n") || !strcmp(argv[i], "-np")) && argv[i + 1])
			app.n = atoi(argv[++i]);
		else if (!strcmp(argv[i], "-l"))
			o->out.tag = RUN_TAG_RANK;
		else {
			run_say("unknown option %s", argv[i]);
			*exit_p = RUN_EXIT_FAULT;
			return false;
		}
	}
	app.argv = argv + i;
	if (!argv[i]) {
		run_say("no program");
		*exit_p = RUN_EXIT_FAULT;
		return false;
	}
	return true;
}

int run_opts_ranks(const struct run_opts *o)
{
	int i, n = 0;

	for (i = 0; i < o->napps; i++)
		n += o->app[i].n;
	return n;
}

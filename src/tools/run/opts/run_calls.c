/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts with recorded calls or a pattern of calls instead of a program
 * (run_calls.h).
 */
#include "src/tools/run/opts/run_calls.h"

#include "src/tools/beside.h"
#include "src/tools/replay/replay_call.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Reads the number of ranks; errors of the file are reported here, once. */
static int read_ranks(struct run_app *a)
{
	const char *flag = a->calls ? "--calls" : "--replay";
	struct replay_source *s;
	char why[256];
	int ranks;

	if (replay_source_open(run_calls_name(a), a->calls, &s, why,
			       sizeof(why))) {
		run_message("%s: %s", flag, why);
		return -EINVAL;
	}
	ranks = (int)s->ranks;
	s->close(s);
	if (a->n && a->n != ranks) {
		run_message("-n %d: %s %s has the calls of %d rank%s; leave "
			    "out -n",
			    a->n, flag, run_calls_name(a), ranks,
			    ranks > 1 ? "s" : "");
		return -EINVAL;
	}
	a->n = ranks;
	return 0;
}

int run_calls_words(struct run_app *a, char *word[RUN_CALLS_WORDS])
{
	char path[PATH_MAX];
	int n = 0;

	if (a->replay && a->calls) {
		run_message("--replay and --calls: a job has one of them");
		return -EINVAL;
	}
	if (read_ranks(a))
		return -EINVAL;
	if (weft_beside("weft-play", path, sizeof(path))) {
		run_message("--replay, --calls: no program weft-play beside "
			    "mpiexec");
		return -EINVAL;
	}
	word[n++] = strdup(path);
	if (a->background)
		word[n++] = strdup("--background");
	word[n++] = strdup(a->calls ? "--calls" : "--replay");
	/* absolute path: ranks may run in another directory */
	word[n++] = a->calls ? strdup(a->calls) : realpath(a->replay, NULL);
	for (int i = 0; i < n; i++)
		if (!word[i])
			return -ENOMEM;
	return n;
}

const char *run_calls_name(const struct run_app *a)
{
	return a->calls ? a->calls : a->replay ? a->replay : a->argv[0];
}

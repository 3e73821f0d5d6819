/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command line of Slurm's srun. srun passes its own environment to the ranks,
 * so variables are set in the environment of this process and not in srun's
 * arguments, where commas separate them.
 */
#include "src/base/attr.h"
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_var(struct run_cmd *list, const char *name, const char *value,
		    bool alike)
{
	setenv(name, value, 1);
	run_cmd_add(list, "%s", name);
}

static void keep_var(struct run_cmd *list, const char *name)
{
	run_cmd_add(list, "%s", name);
}

static const struct run_delegate_env vars = { set_var, keep_var };

static char *joined(const struct run_cmd *list)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (int i = 0; f && i < list->count; i++)
		fprintf(f, "%s%s", i ? "," : "", list->word[i]);
	if (f)
		fclose(f);
	return text;
}

/* Adds "--export=A,B" if only some variables are passed. */
static void add_vars(const struct run_opts *o, struct run_cmd *c)
{
	struct run_cmd list = { 0 };
	char *text;

	run_delegate_vars(o, 0, &vars, &list);
	text = joined(&list);
	if (o->genv.base != RUN_ENV_ALL || o->app[0].env.base != RUN_ENV_ALL)
		run_cmd_add(c, "--export=%s",
			    list.count && text ? text : "NONE");
	free(text);
	run_cmd_free(&list);
}

/* Adds the host list. Slots only set the number of ranks. */
static void add_hosts(const struct run_hosts *h, struct run_cmd *c)
{
	struct run_cmd list = { 0 };
	char *text;

	if (!h->count)
		return;
	for (int i = 0; i < h->count; i++)
		run_cmd_add(&list, "%s", h->host[i].name);
	text = joined(&list);
	run_cmd_add(c, "--nodes=%d", h->count);
	run_cmd_add(c, "--nodelist=%s", text ? text : "");
	free(text);
	run_cmd_free(&list);
}

static void add_bind(const struct run_opts *o, const struct run_delegate *e,
		     struct run_cmd *c)
{
	static const char *const word[] = {
		[RUN_UNIT_NONE] = "none",	[RUN_UNIT_HWTHREAD] = "threads",
		[RUN_UNIT_CORE] = "cores",	[RUN_UNIT_NUMA] = "ldoms",
		[RUN_UNIT_PACKAGE] = "sockets",
	};
	const struct run_place *p = &o->place;
	const char *unit = NULL;

	if ((size_t)p->bind < WEFT_COUNT_OF(word))
		unit = word[p->bind];
	if (p->bind_text && !unit)
		run_delegate_note(o, e, "--bind-to");
	if (p->report || unit)
		run_cmd_add(c, "--cpu-bind=%s%s%s", p->report ? "verbose" : "",
			    p->report && unit ? "," : "", unit ? unit : "");
	if (p->map_text && !p->ppr)
		run_delegate_note(o, e, "--map-by");
	if (p->cpu_set)
		run_delegate_note(o, e, "--cpu-set");
}

/* Translates "%r" and "%h" to Slurm's %t and %N. */
static void add_file(const char *flag, const char *pattern, struct run_cmd *c)
{
	char *text = strdup(pattern), *p;

	for (p = text; p && (p = strchr(p, '%')); p++) {
		if (p[1] == 'r')
			p[1] = 't';
		else if (p[1] == 'h')
			p[1] = 'N';
	}
	run_cmd_add(c, "%s=%s", flag, text ? text : pattern);
	free(text);
}

static void add_output(const struct run_opts *o, const struct run_delegate *e,
		       struct run_cmd *c)
{
	const struct run_output *out = &o->out;

	if (out->tag == RUN_TAG_RANK || out->tag == RUN_TAG_STREAM)
		run_cmd_add(c, "--label");
	if (out->tag == RUN_TAG_TEXT)
		run_delegate_note(o, e, "-prepend-pattern");
	if (out->timestamp)
		run_delegate_note(o, e, "--timestamp-output");
	if (out->merge)
		run_delegate_note(o, e, "--merge-stderr-to-stdout");
	if (out->outfile)
		add_file("--output", out->outfile, c);
	if (out->errfile)
		add_file("--error", out->errfile, c);
}

int run_delegate_srun(const struct run_opts *o, const struct run_delegate *e,
		      struct run_cmd *c)
{
	if (o->napps > 1) {
		run_message(
			"several programs in one job: srun reads them from a "
			"file, srun --mpi=pmix --multi-prog FILE");
		return -EINVAL;
	}
	run_cmd_add(c, "--mpi=pmix");
	run_cmd_add(c, "--ntasks=%d", o->app[0].n);
	if (!o->place.no_oversubscribe)
		run_cmd_add(c, "--overcommit");
	add_hosts(&o->remote.hosts, c);
	if (o->model.ppn)
		run_cmd_add(c, "--ntasks-per-node=%d", o->model.ppn);
	add_bind(o, e, c);
	add_output(o, e, c);
	/* without the option srun copies standard input to all ranks */
	if (o->stdin_rank == RUN_STDIN_ALL)
		run_cmd_add(c, "--input=all");
	else if (o->stdin_rank == RUN_STDIN_NONE)
		run_cmd_add(c, "--input=none");
	else
		run_cmd_add(c, "--input=%d", o->stdin_rank);
	if (o->app[0].wdir)
		run_cmd_add(c, "--chdir=%s", o->app[0].wdir);
	add_vars(o, c);
	run_delegate_program(o, &o->app[0], c);
	return 0;
}

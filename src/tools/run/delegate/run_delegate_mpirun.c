/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines of mpirun of Open MPI 4 (ORTE), and of prterun (PRTE), which
 * mpirun of Open MPI 5 also calls. The two differ in their options for
 * placement and output.
 */
#include "src/base/attr.h"
#include "src/job/job_network.h"
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/run_message.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether the launcher itself reads this variable. */
static bool is_read_by_launcher(const char *name)
{
	static const char *const own[] = {
		"GLIBC_*", "HOME",   "HWLOC_*", "LD_*",	  "MALLOC_*",
		"OMPI_*",  "OPAL_*", "PATH",	"ORTE_*", "PMIX_*",
		"PRTE_*",  "SHELL",  "TEMP",	"TMP",	  "TMPDIR",
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(own); i++)
		if (!fnmatch(own[i], name, 0))
			return true;
	return false;
}

static bool is_identifier(const char *name)
{
	return *name && !isdigit((unsigned char)*name) &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
				  "QRSTUVWXYZ0123456789_")];
}

static void keep_var(struct run_cmd *c, const char *name)
{
	run_cmd_add(c, "-x");
	run_cmd_add(c, "%s", name);
}

/*
 * Adds "-x NAME"; the value is in the launcher's environment, where other users
 * cannot read it. A variable that not all contexts have, or that the launcher
 * reads, is passed as WEFT_SET_<number>_NAME and renamed by the shell script
 * before the program: c->script.
 */
static void set_var(struct run_cmd *c, const char *name, const char *value,
		    bool alike)
{
	char *other = NULL, *script = NULL;

	if ((alike && !is_read_by_launcher(name)) || !is_identifier(name)) {
		setenv(name, value, 1);
		keep_var(c, name);
		return;
	}
	if (asprintf(&other, "WEFT_SET_%d_%s", c->renamed++, name) < 0 ||
	    asprintf(&script, "%s%s=$%s; export %s; unset %s; ",
		     c->script ? c->script : "", name, other, name,
		     other) < 0) {
		c->lost = true;
	} else {
		setenv(other, value, 1);
		keep_var(c, other);
		free(c->script);
		c->script = script;
	}
	free(other);
}

static const struct run_delegate_env vars = { set_var, keep_var };

static void add_hosts(const struct run_hosts *h, struct run_cmd *c)
{
	char *list = NULL;
	size_t len = 0;
	FILE *f = h->count ? open_memstream(&list, &len) : NULL;

	if (!f)
		return;
	for (int i = 0; i < h->count; i++)
		fprintf(f,
			strchr(h->host[i].name, ':') ? "%s[%s]:%d" : "%s%s:%d",
			i ? "," : "", h->host[i].name, h->host[i].slots);
	fclose(f);
	run_cmd_add(c, "--host");
	run_cmd_add(c, "%s", list);
	free(list);
}

/*
 * Adds the placement options. mpiexec allows more ranks than slots; the
 * launcher needs an option for that.
 */
static void add_place(const struct run_opts *o, enum run_delegate_kind kind,
		      struct run_cmd *c)
{
	const struct run_place *p = &o->place;
	const char *over =
		p->no_oversubscribe ? "NOOVERSUBSCRIBE" : "OVERSUBSCRIBE";
	char ppr[32] = "";
	const char *map = p->map_text ? p->map_text : ppr;

	if (o->model.ppn && !p->map_text)
		snprintf(ppr, sizeof(ppr), "ppr:%d:node", o->model.ppn);
	if (kind == RUN_ENGINE_PRTE && !strcasestr(map, "oversubscribe")) {
		run_cmd_add(c, "--map-by");
		run_cmd_add(c, "%s:%s", map, over);
	} else if (*map) {
		run_cmd_add(c, "--map-by");
		run_cmd_add(c, "%s", map);
	}
	if (kind == RUN_ENGINE_ORTE)
		run_cmd_add(c, p->no_oversubscribe ? "--nooversubscribe"
						   : "--oversubscribe");
	if (p->bind_text) {
		run_cmd_add(c, "--bind-to");
		run_cmd_add(c, "%s", p->bind_text);
	}
	if (p->report)
		run_cmd_add(c, kind == RUN_ENGINE_ORTE ? "--report-bindings"
						       : "--display=bindings");
	if (p->cpu_set) {
		run_cmd_add(c, "--cpu-set");
		run_cmd_add(c, "%s", p->cpu_set);
	}
}

static void prte_output(const struct run_output *out, struct run_cmd *c)
{
	const char *tag = out->tag == RUN_TAG_RANK     ? ",rank"
			  : out->tag == RUN_TAG_STREAM ? ",tag"
						       : "";
	char list[64];

	snprintf(list, sizeof(list), "%s%s%s", tag,
		 out->timestamp ? ",timestamp" : "",
		 out->merge ? ",merge" : "");
	if (*list) {
		run_cmd_add(c, "--output");
		run_cmd_add(c, "%s", list + 1);
	}
	if (out->dir) {
		run_cmd_add(c, "--output");
		run_cmd_add(c, "dir=%s", out->dir);
	}
}

static int add_output(const struct run_opts *o, const struct run_delegate *e,
		      struct run_cmd *c)
{
	const struct run_output *out = &o->out;

	if ((out->outfile || out->errfile) && !out->dir) {
		run_message("%s has no file patterns for ranks; use "
			    "--output-filename DIR",
			    e->name);
		return -EINVAL;
	}
	if (out->tag == RUN_TAG_TEXT)
		run_delegate_note(o, e, "-prepend-pattern");
	if (e->kind == RUN_ENGINE_ORTE) {
		if (out->tag == RUN_TAG_RANK || out->tag == RUN_TAG_STREAM)
			run_cmd_add(c, "--tag-output");
		if (out->timestamp)
			run_cmd_add(c, "--timestamp-output");
		if (out->merge)
			run_cmd_add(c, "--merge-stderr-to-stdout");
		if (out->dir) {
			run_cmd_add(c, "--output-filename");
			run_cmd_add(c, "%s", out->dir);
		}
	} else {
		prte_output(out, c);
	}
	return 0;
}

static void add_stdin(int rank, struct run_cmd *c)
{
	if (!rank) /* rank 0 is the launcher's default */
		return;
	run_cmd_add(c, "--stdin");
	if (rank == RUN_STDIN_ALL)
		run_cmd_add(c, "all");
	else if (rank == RUN_STDIN_NONE)
		run_cmd_add(c, "none");
	else
		run_cmd_add(c, "%d", rank);
}

static void add_app(const struct run_opts *o, int i, struct run_cmd *c)
{
	const struct run_app *a = &o->app[i];

	if (i)
		run_cmd_add(c, ":");
	run_cmd_add(c, "-n");
	run_cmd_add(c, "%d", a->n);
	if (a->wdir) {
		run_cmd_add(c, "--wdir");
		run_cmd_add(c, "%s", a->wdir);
	}
	if (a->path) {
		run_cmd_add(c, "--path");
		run_cmd_add(c, "%s", a->path);
	}
	run_delegate_vars(o, i, &vars, c);
	/* processes that ranks spawn may be on every host of the list */
	if (o->remote.hosts.count > 1)
		vars.set(c, WEFT_JOB_NETWORK, "1", true);
	if (c->script) {
		run_cmd_add(c, "sh");
		run_cmd_add(c, "-c");
		run_cmd_add(c, "%sexec \"$0\" \"$@\"", c->script);
		free(c->script);
		c->script = NULL;
	}
	run_delegate_program(o, a, c);
}

int run_delegate_mpirun(const struct run_opts *o, const struct run_delegate *e,
			struct run_cmd *c)
{
	int err;

	if (!geteuid())
		run_cmd_add(c, "--allow-run-as-root");
	if (o->remote.agent) {
		run_cmd_add(c,
			    e->kind == RUN_ENGINE_ORTE ? "--mca" : "--prtemca");
		run_cmd_add(c, e->kind == RUN_ENGINE_ORTE ? "plm_rsh_agent"
							  : "plm_ssh_agent");
		run_cmd_add(c, "%s", o->remote.agent);
	}
	for (int i = 0; i < o->remote.npass; i++)
		run_cmd_add(c, "%s", o->remote.pass[i]);
	add_hosts(&o->remote.hosts, c);
	add_place(o, e->kind, c);
	err = add_output(o, e, c);
	add_stdin(o->stdin_rank, c);
	for (int i = 0; i < o->napps; i++)
		add_app(o, i, c);
	return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Environment of the ranks. Scripts and programs read the rank from variables
 * before MPI_Init, under the names that several launchers use: the variables of
 * all these launchers are set.
 */
#include "src/tools/run/run_env.h"
#include "src/base/attr.h"
#include "src/tools/run/job/run_mpir.h"
#include "src/job/job_network.h"
#include "src/job/job_own.h"
#include "src/tools/run/job/run_skeleton.h"
#include "src/tools/run/job/run_table.h"
#include "src/tools/run/opts/run_calls.h"
#include "src/tools/run/opts/run_model.h"
#include "src/tools/run/opts/run_parts.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct env_number {
	const char *name;
	bool local; /* the value is counted among the ranks of this host */
	bool all; /* the value is counted among the ranks of all jobs (--job) */
};

/* Variables that contain the number of a rank. */
static const struct env_number rank_vars[RUN_ENV_RANK_VARS] = {
	{ "PMIX_RANK", false, true },
	{ "PMI_RANK", false, false },
	{ "MPI_LOCALRANKID", true, false },
	{ "OMPI_COMM_WORLD_RANK", false, false },
	{ "OMPI_COMM_WORLD_LOCAL_RANK", true, false },
	{ "OMPI_COMM_WORLD_NODE_RANK", true, false },
	{ "LOCAL_RANK", true, false },
};

/* Variables that contain the number of ranks. */
static const struct env_number size_vars[] = {
	{ "PMI_SIZE", false, false },
	{ "MPI_LOCALNRANKS", true, false },
	{ "OMPI_COMM_WORLD_SIZE", false, false },
	{ "OMPI_COMM_WORLD_LOCAL_SIZE", true, false },
	{ "OMPI_UNIVERSE_SIZE", false, false },
	{ "WEFT_LOCAL_RANKS", true, true },
};

/*
 * Size of a variable with the rank, in bytes: enough for the longest name and
 * ten digits.
 */
enum { RANK_TEXT = 48 };

static int env_find(const struct run_env *e, const char *name, size_t len)
{
	int i;

	for (i = 0; i < e->count; i++)
		if (!strncmp(e->var[i], name, len) && e->var[i][len] == '=')
			return i;
	return -1;
}

static const char *env_get(const struct run_env *e, const char *name)
{
	size_t len = strlen(name);
	int i = env_find(e, name, len);

	return i < 0 ? NULL : e->var[i] + len + 1;
}

static int append(struct run_env *e, char *text)
{
	int cap = e->cap ? e->cap : 64;
	char **p;

	if (!text)
		return -ENOMEM;
	if (e->count + RUN_ENV_RANK_VARS + 2 > e->cap) {
		while (cap < e->count + RUN_ENV_RANK_VARS + 2)
			cap *= 2;
		p = realloc(e->var, (size_t)cap * sizeof(*p));
		if (!p) {
			free(text);
			return -ENOMEM;
		}
		e->var = p;
		e->cap = cap;
	}
	e->var[e->count++] = text;
	e->var[e->count] = NULL;
	return 0;
}

int run_env_set(struct run_env *e, const char *name, const char *value)
{
	int i = env_find(e, name, strlen(name));
	char *text = NULL;

	if (i >= 0) {
		free(e->var[i]);
		e->var[i] = e->var[--e->count];
		e->var[e->count] = NULL;
	}
	if (!value)
		return 0;
	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	return append(e, text);
}

/* Returns whether another launcher has set this variable. */
static bool is_foreign(const char *var)
{
	return (!strncmp(var, "PMIX_", 5) && strncmp(var, "PMIX_MCA_", 9)) ||
	       !strncmp(var, "PMI_", 4);
}

static int add_all(struct run_env *e)
{
	char **v;
	int err = 0;

	for (v = environ; *v && !err; v++)
		if (!is_foreign(*v))
			err = append(e, strdup(*v));
	return err;
}

/*
 * Adds variables of mpiexec by name or pattern: "-x NAME", "-x 'PREFIX*'".
 * Needed only if not all variables are passed.
 */
static int add_matching(struct run_env *e, const char *pattern)
{
	const char *eq;
	char *name;
	char **v;
	int err = 0;

	for (v = environ; *v && !err; v++) {
		eq = strchr(*v, '=');
		if (!eq || is_foreign(*v))
			continue;
		name = strndup(*v, (size_t)(eq - *v));
		if (name && !fnmatch(pattern, name, 0))
			err = run_env_set(e, name, eq + 1);
		free(name);
	}
	return err;
}

static int add_edits(struct run_env *e, const struct run_edits *ed)
{
	const struct run_env_edit *x;
	int i, err = 0;

	for (i = 0; i < ed->count && !err; i++) {
		x = &ed->edit[i];
		err = x->value ? run_env_set(e, x->name, x->value)
			       : add_matching(e, x->name);
	}
	return err;
}

static int add_number(struct run_env *e, const char *name, int n)
{
	char num[12];

	snprintf(num, sizeof(num), "%d", n);
	return run_env_set(e, name, num);
}

static int add_topology(struct run_env *e, const struct run_job *job)
{
	char name[32];
	int err;

	if (job->topo_fd < 0 || env_get(e, "HWLOC_XMLFILE"))
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", job->topo_fd);
	err = run_env_set(e, "HWLOC_XMLFILE", name);
	if (err || job->no_affinity)
		return err;
	return run_env_set(e, "HWLOC_THISSYSTEM", "1");
}

/* Sets a measured size, unless the user has set the variable. */
static int add_size(struct run_env *e, const char *name, int bytes)
{
	return bytes && !env_get(e, name) ? add_number(e, name, bytes) : 0;
}

static int add_sizes(struct run_env *e, const struct run_sizes *host)
{
	int err = 0;

	if (!env_get(e, "FI_WEFT_EAGER"))
		err = add_size(e, "FI_WEFT_HOST_EAGER", host->eager);
	if (!err)
		err = add_size(e, "FI_WEFT_SHARED_COPY_MIN", host->shared_copy);
	if (!err)
		err = add_size(e, "FI_WEFT_SHARED_COPY_MIN_BUSY",
			       host->shared_copy_busy);
	if (!err)
		err = add_size(e, "FI_WEFT_COPY_LOOP_MAX", host->loop);
	return err;
}

static int add_model(struct run_env *e, const struct run_model *m, bool verbose)
{
	int err = 0;

	if (run_is_counted(m))
		err = run_env_set(e, "WEFT_REPORT", "1");
	if (!err && m->faults_spec)
		err = run_env_set(e, "FI_WEFT_FAULTS", m->faults_spec);
	if (!m->machine || err)
		return err;
	if (verbose)
		err = run_env_set(e, "WEFT_VERBOSE", "1");
	if (err)
		return err;
	err = run_env_set(e, "FI_WEFT_MACHINE", m->spec);
	if (!err)
		err = run_env_set(e, "FI_WEFT_CLOCK",
				  m->clock ? m->clock : "virtual");
	if (!err && !run_model_virtual(m) && strchr(m->machine, ':'))
		err = run_env_set(e, "WEFT_HEALTH_TORUS",
				  strchr(m->machine, ':') + 1);
	if (!run_model_virtual(m) || err)
		return err;
	err = add_number(e, "FI_WEFT_PPN", m->ppn);
	if (!err && m->map_spec)
		err = run_env_set(e, "FI_WEFT_MAP", m->map_spec);
	if (!err && m->compute)
		err = run_env_set(e, "FI_WEFT_COMPUTE", m->compute);
	if (!err && m->noise)
		err = run_env_set(e, "FI_WEFT_NOISE", m->noise);
	if (!err && m->regions)
		err = run_env_set(e, "WEFT_REGIONS", m->regions);
	return err;
}

/* Sets the number of a descriptor; -1 removes the variable. */
static int add_fd(struct run_env *e, const char *name, int fd)
{
	return fd < 0 ? run_env_set(e, name, NULL) : add_number(e, name, fd);
}

/*
 * Sets the variable with the value of --usize; ranks pass FI_WEFT_UNIVERSE on
 * to the mpiexec of a job that they spawn.
 */
static int add_universe(struct run_env *e, int n)
{
	int err = add_number(e, "OMPI_UNIVERSE_SIZE", n);

	return err ? err : add_number(e, RUN_ENV_UNIVERSE, n);
}

/* Sets the variable that describes the job of a rank (--job). */
static int add_own(struct run_env *e, const struct run_part *part)
{
	char text[64];

	if (!part)
		return run_env_set(e, WEFT_JOB_OWN, NULL);
	snprintf(text, sizeof(text), "%d+%d%s", part->first, part->n,
		 part->background ? WEFT_JOB_OWN_BACKGROUND : "");
	return run_env_set(e, WEFT_JOB_OWN, text);
}

static int add_sizes_of_job(struct run_env *e, const struct run_job *job,
			    const struct run_part *part)
{
	int err = 0;

	for (size_t i = 0; i < WEFT_COUNT_OF(size_vars) && !err; i++) {
		int n = size_vars[i].local ? job->nlocal : job->nranks;

		if (part && !size_vars[i].all)
			n = part->n;
		err = add_number(e, size_vars[i].name, n);
	}
	return err ? err : add_own(e, part);
}

static int add_job(struct run_env *e, const struct run_job *job,
		   const struct run_part *part)
{
	size_t i;
	int err;

	for (i = 0; i < WEFT_COUNT_OF(rank_vars); i++)
		run_env_set(e, rank_vars[i].name, NULL);
	err = add_sizes_of_job(e, job, part);
	if (!err && job->opts->model.universe)
		err = add_universe(e, job->opts->model.universe);
	if (!err && !env_get(e, "WEFT_LOCAL_CPUS"))
		err = add_number(e, "WEFT_LOCAL_CPUS", job->cpus);
	if (!err)
		err = add_topology(e, job);
	if (!err)
		err = add_sizes(e, &job->sizes);
	if (!err)
		err = add_fd(e, "WEFT_JOB_PAGE", job->job_page_fd);
	if (!err)
		err = add_fd(e, "WEFT_JOB_EVENTS", job->events_fd);
	if (!err)
		err = run_env_set(e, "WEFT_SURVIVE",
				  job->opts->survive ? "1" : NULL);
	if (!err && run_mpir_debugged())
		err = run_env_set(e, "WEFT_DEBUG_WAIT", "all");
	if (!err)
		err = add_fd(e, "WEFT_TRACE_FD", job->trace_fd);
	if (!err)
		err = add_model(e, &job->opts->model, job->opts->verbose);
	if (!err)
		err = run_skeleton_env(e, job);
	if (!err)
		err = run_table_env(e, job);
	if (!err)
		err = run_env_set(e, WEFT_JOB_NETWORK,
				  job->network ? "1" : NULL);
	if (!err && job->layout && job->opts->remote.iface)
		err = run_env_set(e, "FI_WEFT_IFACE", job->opts->remote.iface);
	if (!err && job->record)
		err = run_env_set(e, "WEFT_RECORD", job->record);
	if (!err && job->record)
		err = run_env_set(e, "LD_PRELOAD", job->preload);
	/*
	 * Without this variable psm2, a library that libfabric uses on x86,
	 * catches SIGSEGV and exits with code 1.
	 */
	if (!err)
		err = run_env_set(e, "IPATH_NO_BACKTRACE", "1");
	/*
	 * Without this variable ranks of Open MPI 4 start as singletons, even
	 * with PMIx. Its value names a daemon; only the form of the value
	 * matters.
	 */
	return err ? err
		   : run_env_set(e, "OMPI_MCA_orte_local_daemon_uri",
				 "1.0;weft");
}

static int add_pmix(struct run_env *e, char **pmix)
{
	char *eq, *name;
	int err = 0;

	for (; pmix && *pmix && !err; pmix++) {
		eq = strchr(*pmix, '=');
		if (!eq)
			continue;
		name = strndup(*pmix, (size_t)(eq - *pmix));
		err = name ? run_env_set(e, name, eq + 1) : -ENOMEM;
		free(name);
	}
	return err;
}

int run_env_open(struct run_env *e, const struct run_job *job, int app,
		 char **pmix)
{
	const struct run_edits *global = &job->opts->genv;
	const struct run_edits *own = &job->opts->app[app].env;
	const struct run_part *part = run_part_of_app(job->opts, app);
	int err = 0;

	memset(e, 0, sizeof(*e));
	e->first = job->first;
	e->base = part ? part->first : 0;
	if (global->base == RUN_ENV_ALL && own->base == RUN_ENV_ALL)
		err = add_all(e);
	if (!err)
		err = add_edits(e, global);
	if (!err)
		err = add_edits(e, own);
	if (!err)
		err = add_pmix(e, pmix);
	if (!err)
		err = add_job(e, job, part);
	/* the CPU time of weft-play is not that of the recorded program */
	if (!err && run_calls_given(&job->opts->app[app]))
		err = run_env_set(e, "FI_WEFT_COMPUTE", NULL);
	return err;
}

static const char *edited(const struct run_edits *ed, const char *name)
{
	int i;

	for (i = ed->count - 1; i >= 0; i--)
		if (ed->edit[i].value && !strcmp(ed->edit[i].name, name))
			return ed->edit[i].value;
	return NULL;
}

const char *run_env_value(const struct run_opts *o, int app, const char *name)
{
	const char *value = edited(&o->app[app].env, name);

	if (!value)
		value = edited(&o->genv, name);
	if (!value && o->genv.base == RUN_ENV_ALL &&
	    o->app[app].env.base == RUN_ENV_ALL)
		value = getenv(name);
	return value;
}

char **run_env_of_rank(struct run_env *e, int rank)
{
	static char text[RUN_ENV_RANK_VARS][RANK_TEXT];
	int i;

	for (i = 0; i < RUN_ENV_RANK_VARS; i++) {
		int n = rank_vars[i].local ? rank - e->first : rank;

		snprintf(text[i], RANK_TEXT, "%s=%d", rank_vars[i].name,
			 rank_vars[i].all ? n : n - e->base);
		e->var[e->count + i] = text[i];
	}
	e->var[e->count + i] = NULL;
	return e->var;
}

void run_env_close(struct run_env *e)
{
	int i;

	for (i = 0; i < e->count; i++)
		free(e->var[i]);
	free(e->var);
	memset(e, 0, sizeof(*e));
}

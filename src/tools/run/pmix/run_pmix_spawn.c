/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to start further processes (run_pmix_spawn.h). */
#include "src/tools/run/pmix/run_pmix_spawn.h"

#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/run_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * PMIx key of the directories in which the command is searched for
 * (boot_spawn.h).
 */
#define PATH_KEY "weft.spawn.path"

static const char *text_of(const pmix_app_t *a, const char *key)
{
	for (size_t i = 0; i < a->ninfo; i++)
		if (PMIX_CHECK_KEY(&a->info[i], key) &&
		    a->info[i].value.type == PMIX_STRING)
			return a->info[i].value.data.string;
	return NULL;
}

/*
 * Reads the keys host and hostfile. self: as in run_pmix_spawn_request(). The
 * name of this host becomes `self`, since it may be "localhost".
 */
static pmix_status_t read_hosts(const pmix_app_t *a, const char *self,
				struct run_hosts *hosts)
{
	const char *list = text_of(a, PMIX_HOST);
	const char *file = text_of(a, PMIX_HOSTFILE);
	struct run_hosts h = { .count = 0 };
	char here[256] = "localhost";
	int err = 0;

	gethostname(here, sizeof(here) - 1);
	if (list)
		err = run_hosts_list("key host of MPI_Comm_spawn", list, &h);
	if (!err && file)
		err = run_hosts_file("key hostfile of MPI_Comm_spawn", file,
				     &h);
	if (!err && !self && run_hosts_first_remote(&h, here))
		err = -EHOSTUNREACH;
	for (int i = 0; i < h.count && self && !err; i++) {
		const char *name = h.host[i].name;

		err = run_hosts_add(
			hosts, run_hosts_is_local(name, here) ? self : name,
			h.host[i].slots);
	}
	run_hosts_free(&h);
	return err ? PMIX_ERR_UNREACH : PMIX_SUCCESS;
}

static pmix_status_t check_words(const pmix_app_t *a)
{
	if (!a->cmd || !a->argv || !a->argv[0] || a->maxprocs < 1)
		return PMIX_ERR_BAD_PARAM;
	/* mpiexec would interpret a word ":" as the separator of programs */
	for (char **w = a->argv; *w; w++)
		if (!strcmp(*w, ":"))
			return PMIX_ERR_BAD_PARAM;
	return PMIX_SUCCESS;
}

/* Checks that the program can be started on this host. */
static pmix_status_t check_file(const pmix_app_t *a)
{
	char *file = NULL;
	int err;

	if (a->cwd && access(a->cwd, X_OK))
		return PMIX_ERR_JOB_WDIR_NOT_FOUND;
	err = run_path_find(a->cmd, text_of(a, PATH_KEY), a->cwd, &file);
	free(file);
	return err ? PMIX_ERR_JOB_EXE_NOT_FOUND : PMIX_SUCCESS;
}

static void add(char ***words, const char *text)
{
	pmix_argv_append_nosize(words, text);
}

static void add_option(char ***words, const char *name, const char *value)
{
	if (!value)
		return;
	add(words, name);
	add(words, value);
}

static void add_app(char ***words, const pmix_app_t *a)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", a->maxprocs);
	add_option(words, "-n", number);
	add_option(words, "-wdir", a->cwd);
	add_option(words, "-path", text_of(a, PATH_KEY));
	add(words, a->cmd);
	for (char **w = a->argv + 1; *w; w++)
		add(words, *w);
}

static pmix_status_t read_app(const pmix_app_t *a, const char *self,
			      struct run_request_part *p)
{
	pmix_status_t rc = check_words(a);

	p->n = a->maxprocs;
	if (rc == PMIX_SUCCESS)
		rc = read_hosts(a, self, &p->hosts);
	/* if hosts are named, they check the program when they start it */
	if (rc == PMIX_SUCCESS && !p->hosts.count)
		rc = check_file(a);
	return rc;
}

static pmix_status_t fill_request(const pmix_app_t apps[], size_t napps,
				  const char *self, struct run_request *r)
{
	pmix_status_t rc = PMIX_SUCCESS;
	int left = RUN_RANKS_MAX;

	r->part = calloc(napps, sizeof(*r->part));
	if (!r->part)
		return PMIX_ERR_NOMEM;
	r->nparts = (int)napps;
	for (size_t i = 0; i < napps && rc == PMIX_SUCCESS; i++) {
		rc = read_app(&apps[i], self, &r->part[i]);
		if (rc == PMIX_SUCCESS && r->part[i].n > left)
			rc = PMIX_ERR_BAD_PARAM;
		left -= r->part[i].n;
	}
	if (rc != PMIX_SUCCESS)
		return rc;
	add(&r->words, "mpiexec");
	for (size_t i = 0; i < napps; i++) {
		if (i)
			add(&r->words, ":");
		add_app(&r->words, &apps[i]);
	}
	/*
	 * the variables are the same for all programs: those of the spawning
	 * rank
	 */
	for (char **e = apps[0].env; e && *e; e++)
		add(&r->env, *e);
	return r->words && r->env ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

pmix_status_t run_pmix_spawn_request(const pmix_app_t apps[], size_t napps,
				     const char *self, pmix_spawn_cbfunc_t done,
				     void *arg,
				     struct run_spawn_request **request_p)
{
	struct run_spawn_request *q = calloc(1, sizeof(*q));
	pmix_status_t rc = PMIX_ERR_NOMEM;

	if (q)
		rc = fill_request(apps, napps, self, &q->what);
	if (rc != PMIX_SUCCESS) {
		if (q)
			run_request_free(&q->what);
		free(q);
		return rc;
	}
	q->done = done;
	q->arg = arg;
	*request_p = q;
	return PMIX_SUCCESS;
}

void run_pmix_spawn_answer(struct run_spawn_request *q, pmix_status_t status)
{
	static unsigned count;
	pmix_nspace_t name;

	snprintf(name, sizeof(name), "weft-spawned-%d-%u", (int)getpid(),
		 ++count);
	q->done(status, name, q->arg);
	run_request_free(&q->what);
	free(q);
}

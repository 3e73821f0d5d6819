/* SPDX-License-Identifier: BSD-3-Clause */
/* Start of further processes (boot_spawn.h). */
#include "src/boot/boot_spawn.h"

#include "src/base/attr.h"
#include "src/boot/boot_hosts.h"
#include "src/boot/boot_library.h"
#include "src/boot/boot_pmix.h"
#include "src/boot/boot_secret.h"
#include "src/core/core_state.h"
#include "src/job/job_log.h"
#include "src/job/job_network.h"
#include "src/job/job_own.h"
#include "src/job/job_skeleton.h"

#include <errno.h>
#include <limits.h>
#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * Returns whether an environment variable must not be passed on: the new
 * processes get it from their own launcher, or it describes only this job.
 */
static bool is_private(const char *var)
{
	static const char *const names[] = {
		"WEFT_JOB_PAGE=",     "WEFT_TRACE_FD=",
		"WEFT_JOB_EVENTS=",   "WEFT_LOCAL_RANKS=",
		"WEFT_LOCAL_CPUS=",   "WEFT_REPORT=",
		"WEFT_SINGLETON=",    "WEFT_STARTUP_REPORT=",
		"WEFT_RECORD=",	      WEFT_SPAWN_PORT "=",
		WEFT_SPAWN_WORLD "=", WEFT_SKELETON_VAR "=",
		WEFT_JOB_OWN "=",     WEFT_SECRET_PARENTS "=",
		WEFT_JOB_NETWORK "=",
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(names); i++)
		if (!strncmp(var, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_option(const char *var)
{
	return (!strncmp(var, "WEFT_", 5) || !strncmp(var, "FI_", 3)) &&
	       !is_private(var);
}

/*
 * Values about the parents, which the new processes get in environment
 * variables.
 */
struct parents {
	const char *port; /* port of the parents */
	char *key;	  /* weft_secret_for_children(); NULL: no key */
	/*
	 * world of virtual time, and the spawned job's first rank in it; "":
	 * live mode
	 */
	char world[96];
};

/* ---- by PMIx ------------------------------------------------------------- */

static pmix_status_t add_variable(char ***env, const char *name,
				  const char *value)
{
	pmix_status_t st = PMIX_ERR_NOMEM;
	char *text = NULL;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return st;
	PMIX_ARGV_APPEND(st, *env, text);
	free(text);
	return st;
}

/*
 * Returns the environment for the new processes: the options of this process,
 * and the values about the parents. PMIx frees it.
 */
static char **make_env(const struct parents *p)
{
	char **env = NULL;
	pmix_status_t st = add_variable(&env, WEFT_SPAWN_PORT, p->port);

	if (st == PMIX_SUCCESS && *p->world)
		st = add_variable(&env, WEFT_SPAWN_WORLD, p->world);
	if (st == PMIX_SUCCESS && p->key)
		st = add_variable(&env, WEFT_SECRET_PARENTS, p->key);
	if (st == PMIX_SUCCESS && weft_hosts_network())
		st = add_variable(&env, WEFT_JOB_NETWORK, "1");
	for (char **e = environ; *e && st == PMIX_SUCCESS; e++)
		if (is_option(*e))
			PMIX_ARGV_APPEND(st, env, *e);
	return env;
}

static void add_text(pmix_app_t *p, const char *key, const char *text)
{
	if (text)
		PMIX_INFO_LOAD(&p->info[p->ninfo++], key, text, PMIX_STRING);
}

static int fill_app(pmix_app_t *p, const struct weft_spawn_app *a,
		    const struct parents *parents)
{
	size_t keys = (size_t)(a->host != NULL) + (a->hostfile != NULL) +
		      (a->path != NULL);
	pmix_status_t st;

	p->cmd = strdup(a->command);
	PMIX_ARGV_APPEND(st, p->argv, a->command);
	for (char *const *w = a->args; w && *w && st == PMIX_SUCCESS; w++)
		PMIX_ARGV_APPEND(st, p->argv, *w);
	p->env = make_env(parents);
	p->cwd = a->wdir ? strdup(a->wdir) : getcwd(NULL, 0);
	p->maxprocs = a->n;
	if (keys)
		PMIX_INFO_CREATE(p->info, keys);
	if (!p->cmd || st != PMIX_SUCCESS || !p->env || (keys && !p->info))
		return -ENOMEM;
	add_text(p, PMIX_HOST, a->host);
	add_text(p, PMIX_HOSTFILE, a->hostfile);
	add_text(p, WEFT_SPAWN_PATH, a->path);
	return 0;
}

static int spawn_error(pmix_status_t st)
{
	switch (st) {
	case PMIX_SUCCESS:
	case PMIX_OPERATION_SUCCEEDED:
		return 0;
	case PMIX_ERR_NOT_SUPPORTED:
		return -ENOTSUP;
	case PMIX_ERR_NOT_FOUND:
	case PMIX_ERR_JOB_EXE_NOT_FOUND:
	case PMIX_ERR_JOB_WDIR_NOT_FOUND:
	case PMIX_ERR_JOB_WDIR_NOT_ACCESSIBLE:
		return -ENOENT;
	case PMIX_ERR_UNREACH:
		return -EHOSTUNREACH;
	case PMIX_ERR_NOMEM:
		return -ENOMEM;
	default:
		weft_log(WEFT_LOG_WARN, "pmix: spawn: %s",
			 PMIx_Error_string(st));
		return -EIO;
	}
}

static int by_pmix(const struct weft_spawn_app *app, int count,
		   const struct parents *p)
{
	pmix_nspace_t job = "";
	pmix_app_t *apps;
	/* a rank in virtual time is not yet connected to PMIx */
	int rc = weft_pmix_connect();

	if (rc)
		return rc;
	PMIX_APP_CREATE(apps, (size_t)count);
	if (!apps)
		return -ENOMEM;
	for (int i = 0; i < count && !rc; i++)
		rc = fill_app(&apps[i], &app[i], p);
	if (!rc)
		rc = spawn_error(PMIx_Spawn(NULL, 0, apps, (size_t)count, job));
	PMIX_APP_FREE(apps, (size_t)count);
	return rc;
}

/* ---- by mpiexec ---------------------------------------------------------- */

/*
 * Finds the mpiexec that belongs to this library, in an installation or in a
 * build tree.
 */
static char *find_mpiexec(void)
{
	static const char *const places[] = { "../bin/mpiexec", "../mpiexec" };
	char dir[PATH_MAX], *path = NULL;

	if (weft_library_dir(dir, sizeof(dir)))
		return NULL;
	for (size_t i = 0; i < WEFT_COUNT_OF(places); i++) {
		if (asprintf(&path, "%s/%s", dir, places[i]) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/*
 * Returns the command line of mpiexec as an array of words. The array does not
 * own the words.
 */
static char **mpiexec_words(const char *mpiexec,
			    const struct weft_spawn_app *app, int count,
			    char (*number)[16])
{
	size_t n = 1, room = 2;
	char **w;

	for (int i = 0; i < count; i++) {
		room += 12;
		for (char *const *a = app[i].args; a && *a; a++)
			room++;
	}
	w = calloc(room, sizeof(*w));
	if (!w)
		return NULL;
	w[0] = (char *)(uintptr_t)mpiexec;
	for (int i = 0; i < count; i++) {
		const struct weft_spawn_app *a = &app[i];
		const char *const opts[][2] = { { "-n", number[i] },
						{ "-wdir", a->wdir },
						{ "-host", a->host },
						{ "-hostfile", a->hostfile },
						{ "-path", a->path } };

		snprintf(number[i], sizeof(number[i]), "%d", a->n);
		if (i)
			w[n++] = (char *)(uintptr_t) ":";
		for (size_t k = 0; k < WEFT_COUNT_OF(opts); k++) {
			if (!opts[k][1])
				continue;
			w[n++] = (char *)(uintptr_t)opts[k][0];
			w[n++] = (char *)(uintptr_t)opts[k][1];
		}
		w[n++] = (char *)(uintptr_t)a->command;
		for (char *const *arg = a->args; arg && *arg; arg++)
			w[n++] = *arg;
	}
	return w;
}

/*
 * Starts mpiexec as a grandchild, so that the application gets no child process
 * that it did not start itself.
 */
static int start_detached(char **words, const struct parents *p)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		pid = fork();
		if (pid)
			_exit(pid < 0);
		setenv(WEFT_SPAWN_PORT, p->port, 1);
		if (*p->world)
			setenv(WEFT_SPAWN_WORLD, p->world, 1);
		setsid();
		execv(words[0], words);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EAGAIN;
}

static int by_mpiexec(const struct weft_spawn_app *app, int count,
		      const struct parents *p)
{
	char *mpiexec = find_mpiexec();
	char(*number)[16] = calloc((size_t)count, sizeof(*number));
	char **words = NULL;
	int rc = mpiexec ? -ENOMEM : -ENOTSUP;

	if (mpiexec && number)
		words = mpiexec_words(mpiexec, app, count, number);
	if (words)
		rc = start_detached(words, p);
	free(words);
	free(number);
	free(mpiexec);
	return rc;
}

static int start(const struct weft_spawn_app *app, int count,
		 const struct parents *p)
{
	return *weft_pmix_job() ? by_pmix(app, count, p)
				: by_mpiexec(app, count, p);
}

/*
 * Virtual time: starts the processes on the modelled machine, where places for
 * them are reserved first.
 */
static int start_in_world(const struct weft_spawn_app *app, int count,
			  struct parents *p)
{
	const struct weft_core_backend *b = weft_core.backend;
	int ranks = 0, rc;

	for (int i = 0; i < count; i++)
		ranks += app[i].n;
	rc = b->reserve(ranks, p->world, sizeof(p->world));
	if (rc)
		return rc;
	rc = start(app, count, p);
	if (rc)
		b->cancel(ranks, p->world);
	return rc;
}

int weft_spawn(const struct weft_spawn_app *app, int count, const char *port)
{
	struct parents p = { .port = port, .key = weft_secret_for_children() };
	int rc = weft_core.backend->reserve ? start_in_world(app, count, &p)
					    : start(app, count, &p);

	free(p.key);
	return rc;
}

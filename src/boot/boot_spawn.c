/* SPDX-License-Identifier: BSD-3-Clause */
/* Start of further processes (boot_spawn.h). */
#include "src/boot/boot_spawn.h"

#include "src/base/attr.h"
#include "src/boot/boot_pmix.h"
#include "src/job/job_log.h"

#include <dlfcn.h>
#include <errno.h>
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
 * Variables of this process that the new processes get from their own launcher,
 * or that describe only this job.
 */
static bool is_private(const char *var)
{
	static const char *const names[] = {
		"WEFT_JOB_PAGE=",    "WEFT_TRACE_FD=",
		"WEFT_JOB_EVENTS=",  "WEFT_LOCAL_RANKS=",
		"WEFT_LOCAL_CPUS=",  "WEFT_REPORT=",
		"WEFT_SINGLETON=",   "WEFT_STARTUP_REPORT=",
		WEFT_SPAWN_PORT "=",
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

/* ---- by PMIx ------------------------------------------------------------- */

/* Returns the options of this process and the port; freed by PMIx. */
static char **make_env(const char *port)
{
	char **env = NULL, *text = NULL;
	pmix_status_t st;

	if (asprintf(&text, WEFT_SPAWN_PORT "=%s", port) < 0)
		return NULL;
	PMIX_ARGV_APPEND(st, env, text);
	for (char **e = environ; *e && st == PMIX_SUCCESS; e++)
		if (is_option(*e))
			PMIX_ARGV_APPEND(st, env, *e);
	free(text);
	return env;
}

static void add_text(pmix_app_t *p, const char *key, const char *text)
{
	if (text)
		PMIX_INFO_LOAD(&p->info[p->ninfo++], key, text, PMIX_STRING);
}

static int fill_app(pmix_app_t *p, const struct weft_spawn_app *a,
		    const char *port)
{
	size_t keys = (size_t)(a->host != NULL) + (a->path != NULL);
	pmix_status_t st;

	p->cmd = strdup(a->command);
	PMIX_ARGV_APPEND(st, p->argv, a->command);
	for (char *const *w = a->args; w && *w && st == PMIX_SUCCESS; w++)
		PMIX_ARGV_APPEND(st, p->argv, *w);
	p->env = make_env(port);
	p->cwd = a->wdir ? strdup(a->wdir) : getcwd(NULL, 0);
	p->maxprocs = a->n;
	if (keys)
		PMIX_INFO_CREATE(p->info, keys);
	if (!p->cmd || st != PMIX_SUCCESS || !p->env || (keys && !p->info))
		return -ENOMEM;
	add_text(p, PMIX_HOST, a->host);
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
	case PMIX_ERR_NOMEM:
		return -ENOMEM;
	default:
		weft_log(WEFT_LOG_WARN, "pmix: spawn: %s",
			 PMIx_Error_string(st));
		return -EIO;
	}
}

static int by_pmix(const struct weft_spawn_app *app, int count,
		   const char *port)
{
	pmix_nspace_t job = "";
	pmix_app_t *apps;
	int rc = 0;

	PMIX_APP_CREATE(apps, (size_t)count);
	if (!apps)
		return -ENOMEM;
	for (int i = 0; i < count && !rc; i++)
		rc = fill_app(&apps[i], &app[i], port);
	if (!rc)
		rc = spawn_error(PMIx_Spawn(NULL, 0, apps, (size_t)count, job));
	PMIX_APP_FREE(apps, (size_t)count);
	return rc;
}

/* ---- by mpiexec ---------------------------------------------------------- */

/* Finds mpiexec beside this library: in an installation, or a build tree. */
static char *find_mpiexec(void)
{
	static const char *const places[] = { "../bin/mpiexec", "../mpiexec" };
	char *path = NULL, *end;
	Dl_info lib;

	if (!dladdr((void *)(uintptr_t)&weft_spawn, &lib) || !lib.dli_fname)
		return NULL;
	for (size_t i = 0; i < WEFT_COUNT_OF(places); i++) {
		end = strrchr(lib.dli_fname, '/');
		if (asprintf(&path, "%.*s/%s",
			     end ? (int)(end - lib.dli_fname) : 1,
			     end ? lib.dli_fname : ".", places[i]) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Returns the command line of mpiexec; the words are not owned by it. */
static char **mpiexec_words(const char *mpiexec,
			    const struct weft_spawn_app *app, int count,
			    char (*number)[16])
{
	size_t n = 1, room = 2;
	char **w;

	for (int i = 0; i < count; i++) {
		room += 8;
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
 * Starts mpiexec as a grandchild, so that the application has no child that it
 * did not start itself.
 */
static int start_detached(char **words, const char *port)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		pid = fork();
		if (pid)
			_exit(pid < 0);
		setenv(WEFT_SPAWN_PORT, port, 1);
		setsid();
		execv(words[0], words);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EAGAIN;
}

static int by_mpiexec(const struct weft_spawn_app *app, int count,
		      const char *port)
{
	char *mpiexec = find_mpiexec();
	char(*number)[16] = calloc((size_t)count, sizeof(*number));
	char **words = NULL;
	int rc = mpiexec ? -ENOMEM : -ENOTSUP;

	if (mpiexec && number)
		words = mpiexec_words(mpiexec, app, count, number);
	if (words)
		rc = start_detached(words, port);
	free(words);
	free(number);
	free(mpiexec);
	return rc;
}

int weft_spawn(const struct weft_spawn_app *app, int count, const char *port)
{
	return *weft_pmix_job() ? by_pmix(app, count, port)
				: by_mpiexec(app, count, port);
}

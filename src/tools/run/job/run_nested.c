/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that ranks have spawned (run_nested.h). Used by the main thread only. */
#include "src/tools/run/job/run_nested.h"

#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/opts/run_opts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

static pid_t *pids; /* running children, `live` entries */
static int live;

/* Returns whether a list has a variable with the name of `var`. */
static bool is_set(char **env, size_t n, const char *var)
{
	size_t len = strcspn(var, "=");

	for (size_t i = 0; i < n; i++)
		if (!strncmp(env[i], var, len) && env[i][len] == '=')
			return true;
	return false;
}

/*
 * Returns env and the other variables of mpiexec; the texts are not copied.
 */
static char **full_env(char **env)
{
	size_t n = 0, more = 0;
	char **all;

	while (environ[n])
		n++;
	while (env && env[more])
		more++;
	all = calloc(n + more + 1, sizeof(*all));
	if (!all)
		return NULL;
	if (more)
		memcpy(all, env, more * sizeof(*all));
	for (size_t i = 0, at = more; i < n; i++)
		if (!is_set(env, more, environ[i]))
			all[at++] = environ[i];
	return all;
}

static void child_run(const struct run_nested *n, pid_t parent, char **words,
		      char **env)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || getppid() != parent)
		_exit(RUN_EXIT_FAULT);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, n->sigmask, NULL);
	setrlimit(RLIMIT_NOFILE, n->nofile);
	run_limits_restore();
	if (n->fd >= 0)
		fcntl(n->fd, F_SETFD, 0);
	execve("/proc/self/exe", words, env);
	_exit(RUN_EXIT_NOEXEC);
}

/* Returns the command line with the inherited options. */
static char **full_words(const char *const *options, char **words)
{
	size_t n = 0, more = 0;
	char **all;

	while (words[n])
		n++;
	while (options[more])
		more++;
	all = calloc(n + more + 1, sizeof(*all));
	if (!all)
		return NULL;
	all[0] = words[0];
	memcpy(all + 1, options, more * sizeof(*all));
	memcpy(all + 1 + more, words + 1, (n - 1) * sizeof(*all));
	return all;
}

pid_t run_nested_start(const struct run_nested *n, char **words, char **env)
{
	pid_t *more = realloc(pids, ((size_t)live + 1) * sizeof(*pids));
	pid_t parent = getpid(), pid;
	char **all = full_env(env), **line = full_words(n->options, words);

	if (more)
		pids = more;
	if (!more || !all || !line) {
		free(all);
		free(line);
		return -ENOMEM;
	}
	pid = fork();
	if (!pid)
		child_run(n, parent, line, all);
	free(all);
	free(line);
	if (pid < 0)
		return -errno;
	pids[live++] = pid;
	return pid;
}

int run_nested_live(void)
{
	return live;
}

bool run_nested_reap(pid_t pid)
{
	for (int i = 0; i < live; i++)
		if (pids[i] == pid) {
			pids[i] = pids[--live];
			return true;
		}
	return false;
}

void run_nested_signal(int sig)
{
	for (int i = 0; i < live; i++)
		kill(pids[i], sig);
}

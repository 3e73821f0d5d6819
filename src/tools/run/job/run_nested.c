/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that ranks have spawned (run_nested.h). Used by the main thread only. */
#include "src/tools/run/job/run_nested.h"

#include "src/tools/run/job/run_job.h"
#include "src/tools/run/job/run_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

static pid_t *pids; /* running children, `live` entries */
static int live;

/* Returns the variables of mpiexec and env; the texts are not copied. */
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
	/* of two variables with one name the first is used */
	if (more)
		memcpy(all, env, more * sizeof(*all));
	memcpy(all + more, environ, n * sizeof(*all));
	return all;
}

static void child_run(const struct run_job *job, pid_t parent, const char *self,
		      char **words, char **env)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || getppid() != parent)
		_exit(RUN_EXIT_FAULT);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &job->sigmask, NULL);
	setrlimit(RLIMIT_NOFILE, &job->nofile);
	run_limits_restore();
	execve(self, words, env);
	_exit(RUN_EXIT_NOEXEC);
}

/* Returns the command line with the options inherited from this job. */
static char **full_words(const struct run_job *job, char **words)
{
	size_t n = 0, at = 0;
	char **all;

	while (words[n])
		n++;
	all = calloc(n + 2, sizeof(*all));
	if (!all)
		return NULL;
	all[at++] = words[0];
	if (job->opts->survive)
		all[at++] = (char *)(uintptr_t) "--survive";
	memcpy(all + at, words + 1, (n - 1) * sizeof(*all));
	return all;
}

int run_nested_start(const struct run_job *job, char **words, char **env)
{
	pid_t *more = realloc(pids, ((size_t)live + 1) * sizeof(*pids));
	pid_t parent = getpid(), pid;
	char **all = full_env(env), **line = full_words(job, words);

	if (more)
		pids = more;
	if (!more || !all || !line) {
		free(all);
		free(line);
		return -ENOMEM;
	}
	pid = fork();
	if (!pid)
		child_run(job, parent, "/proc/self/exe", line, all);
	free(all);
	free(line);
	if (pid < 0)
		return -errno;
	pids[live++] = pid;
	return 0;
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

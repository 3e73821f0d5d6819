/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that ranks have spawned (run_nested.h). Used by the main thread only. */
#include "src/tools/run/job/run_nested.h"

#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

struct nested {
	pid_t pid;
	bool started, apart; /* reported by the mpiexec of this job */
};

struct message {
	int32_t pid;
	int32_t news;
};

/* the running children, `live` entries */
static struct nested *nested;
static int live;
/* pipe on which the further mpiexecs report */
static int pipe_fd[2] = { -1, -1 };
static int report_fd = -1; /* pipe to the parent; -1: none */

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
 * Returns `own`, env and the other variables of mpiexec; the texts are not
 * copied.
 */
static char **full_env(char *own, char **env)
{
	size_t n = 0, more = 0, at;
	char **all;

	while (environ[n])
		n++;
	while (env && env[more])
		more++;
	all = calloc(n + more + 2, sizeof(*all));
	if (!all)
		return NULL;
	all[0] = own;
	if (more)
		memcpy(all + 1, env, more * sizeof(*all));
	at = more + 1;
	for (size_t i = 0; i < n; i++)
		if (!is_set(all, more + 1, environ[i]))
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
	fcntl(pipe_fd[1], F_SETFD, 0);
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

/* Starts the child with a whole command line and environment. */
static pid_t start(const struct run_nested *n, char **words, char **env)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid)
		child_run(n, parent, words, env);
	return pid < 0 ? -errno : pid;
}

pid_t run_nested_start(const struct run_nested *n, char **words, char **env)
{
	struct nested *more =
		realloc(nested, ((size_t)live + 1) * sizeof(*nested));
	char **all = NULL, **line = full_words(n->options, words);
	char own[sizeof(RUN_NESTED_VAR) + 16] = "";
	pid_t pid = -ENOMEM;

	if (more)
		nested = more;
	if (pipe_fd[0] < 0 && pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) < 0) {
		pid = -errno;
	} else {
		snprintf(own, sizeof(own), RUN_NESTED_VAR "=%d", pipe_fd[1]);
		all = full_env(own, env);
	}
	if (more && all && line)
		pid = start(n, line, all);
	free(all);
	free(line);
	if (pid > 0)
		nested[live++] = (struct nested){ .pid = pid };
	return pid;
}

int run_nested_live(void)
{
	return live;
}

static struct nested *find(pid_t pid)
{
	for (int i = 0; i < live; i++)
		if (nested[i].pid == pid)
			return &nested[i];
	return NULL;
}

static void read_news(void)
{
	struct nested *p;
	struct message m;

	while (read(pipe_fd[0], &m, sizeof(m)) == sizeof(m)) {
		p = find(m.pid);
		if (p && m.news == RUN_NESTED_STARTED)
			p->started = true;
		else if (p && m.news == RUN_NESTED_APART)
			p->apart = true;
	}
}

bool run_nested_reap(pid_t pid, bool *apart_p)
{
	struct nested *p = find(pid);

	if (!p)
		return false;
	/* the child reports before it exits */
	read_news();
	*apart_p = p->apart;
	*p = nested[--live];
	return true;
}

int run_nested_fd(void)
{
	return pipe_fd[0];
}

bool run_nested_has_started(pid_t pid)
{
	const struct nested *p = find(pid);

	read_news();
	return p && p->started;
}

void run_nested_signal(int sig)
{
	for (int i = 0; i < live; i++)
		kill(nested[i].pid, sig);
}

void run_nested_print_apart(void)
{
	run_message("a spawned job has failed after it had disconnected; the "
		    "job continues");
}

void run_nested_open(void)
{
	const char *text = getenv(RUN_NESTED_VAR);

	if (!text)
		return;
	report_fd = atoi(text);
	fcntl(report_fd, F_SETFD, FD_CLOEXEC);
	unsetenv(RUN_NESTED_VAR);
}

void run_nested_report(enum run_nested_news news)
{
	const struct message m = { .pid = getpid(), .news = (int32_t)news };

	if (report_fd >= 0 && write(report_fd, &m, sizeof(m)) < 0)
		run_message("the state of the job cannot be reported: %s",
			    strerror(errno));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One host of a job, in mpiexec (run_link.h). */
#include "src/tools/run/daemon/run_link.h"
#include "config.h"
#include "src/tools/run/daemon/run_daemon.h"
#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * LOGIN_TEXT_MAX: number of bytes that a login may print before the daemon
 * answers.
 */
enum { LOGIN_TEXT_MAX = 65536, AGENT_WORDS = 32, LINE_MAX_BYTES = 1 << 20 };

static int self_path(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	path[n] = '\0';
	/* a character that the shell of the other host would interpret */
	return strpbrk(path, "'\"\\$` ") ? -EINVAL : 0;
}

/*
 * Returns the command for the shell of the other host: the mpiexec with the
 * same path or, if there is none, the mpiexec in PATH on that host.
 */
static char *remote_command(const char *path)
{
	char *text = NULL;

	if (asprintf(&text,
		     "exec /bin/sh -c 'if test -x %s; then exec %s %s; else "
		     "exec mpiexec %s; fi'",
		     path, path, RUN_DAEMON_OPTION, RUN_DAEMON_OPTION) < 0)
		return NULL;
	return text;
}

static void exec_here(void)
{
	char name[] = "mpiexec", option[] = RUN_DAEMON_OPTION;
	char *argv[] = { name, option, NULL };

	execv("/proc/self/exe", argv);
}

static void exec_agent(const char *agent, char *host, char *command)
{
	char *copy = strdup(agent), *rest = copy, *word;
	char *argv[AGENT_WORDS + 3];
	int n = 0;

	while (copy && n < AGENT_WORDS && (word = strsep(&rest, " ")))
		if (*word)
			argv[n++] = word;
	argv[n++] = host;
	argv[n++] = command;
	argv[n] = NULL;
	execvp(argv[0], argv);
	run_message("cannot execute %s: %s", agent, strerror(errno));
	free(copy);
}

/*
 * Runs the remote shell in the child process. The shell stays in the process
 * group of mpiexec, so that it can read a password from the terminal, and
 * ignores the signals of the terminal, which mpiexec handles.
 */
static void child_run(const struct run_link *h, const char *agent, bool here,
		      const sigset_t *mask, const int fd[2])
{
	char path[PATH_MAX], *command = NULL, *host = strdup(h->name);

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	run_limits_restore();
	if (dup2(fd[0], STDIN_FILENO) < 0 || dup2(fd[1], STDOUT_FILENO) < 0)
		_exit(RUN_EXIT_FAULT);
	if (here)
		exec_here();
	else if (self_path(path))
		run_message("mpiexec is installed in a directory whose name a "
			    "remote shell would interpret");
	else if (host && (command = remote_command(path)))
		exec_agent(agent, host, command);
	_exit(RUN_EXIT_FAULT);
}

int run_link_start(struct run_link *h, const char *agent, bool here,
		   const sigset_t *mask)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	h->pid = fork();
	if (h->pid < 0)
		return -errno;
	if (!h->pid) {
		const int fd[2] = { in[0], out[1] };

		child_run(h, agent, here, mask, fd);
	}
	close(in[0]);
	close(out[1]);
	run_channel_open(&h->channel, out[0], in[1]);
	return 0;
}

/*
 * Compares the version in the daemon's first line with the version of this
 * mpiexec.
 */
static int check_version(const struct run_link *h, const char *line, size_t len)
{
	if (len == strlen(PACKAGE_VERSION) &&
	    !memcmp(line, PACKAGE_VERSION, len))
		return 1;
	run_message("host %s has Weft %.*s, this host has %s; install the same "
		    "version on all hosts",
		    h->name, (int)len, line, PACKAGE_VERSION);
	return -EPROTO;
}

int run_link_hello(struct run_link *h)
{
	struct run_bytes *rx = &h->channel.rx;
	size_t len = strlen(RUN_DAEMON_HELLO);
	char *at, *end;
	int err = run_channel_fill(&h->channel);

	if (err)
		return -EPIPE;
	at = memmem(rx->data, rx->len, RUN_DAEMON_HELLO, len);
	end = at ? memchr(at, '\n', rx->len - (size_t)(at - rx->data)) : NULL;
	if (end) {
		h->channel.taken = (size_t)(end + 1 - rx->data);
		return check_version(h, at + len, (size_t)(end - at) - len);
	}
	if (rx->len <= LOGIN_TEXT_MAX)
		return 0;
	run_message("host %s: mpiexec there does not answer as Weft's mpiexec "
		    "does",
		    h->name);
	return -EPROTO;
}

bool run_link_ping(struct run_link *h, uint64_t now, int limit)
{
	if (now - h->pinged_ns < RUN_LINK_PING_NS)
		return false;
	if (h->bytes_before != h->channel.read_bytes)
		h->unanswered = 0;
	h->bytes_before = h->channel.read_bytes;
	if (h->unanswered >= limit)
		return true;
	h->pinged_ns = now;
	h->unanswered++;
	run_channel_put(&h->channel, RUN_FRAME_PING, NULL, 0);
	return false;
}

int run_link_output(struct run_link *h, const char *data, size_t len)
{
	const char *last = memrchr(data, '\n', len);
	size_t whole = last ? (size_t)(last + 1 - data) : 0;
	int err = whole ? run_link_output_ends(h) : 0;

	if (whole && !err)
		err = run_write_all(STDOUT_FILENO, data, whole);
	run_bytes_add(&h->line, data + whole, len - whole);
	if (!err && h->line.len > LINE_MAX_BYTES)
		err = run_link_output_ends(h);
	return err;
}

int run_link_output_ends(struct run_link *h)
{
	int err = run_write_all(STDOUT_FILENO, h->line.data, h->line.len);

	run_bytes_free(&h->line);
	return err;
}

void run_link_report(const struct run_link *h, const char *agent)
{
	char path[PATH_MAX];
	int code = WIFEXITED(h->status) ? WEXITSTATUS(h->status) : -1;

	if (self_path(path))
		strcpy(path, "mpiexec");
	if (code == RUN_EXIT_NOENT || code == RUN_EXIT_NOEXEC)
		run_message("host %s: neither %s nor an mpiexec in PATH there: "
			    "install Weft there, with the same --prefix",
			    h->name, path);
	else
		run_message("host %s: '%s %s' ended with %s %d before mpiexec "
			    "there answered. Every host needs: a login by %s "
			    "without a password, and Weft, installed as %s",
			    h->name, agent, h->name,
			    code < 0 ? "signal" : "exit code",
			    code < 0 ? WTERMSIG(h->status) : code, agent, path);
}

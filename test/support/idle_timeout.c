/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * idle_timeout [-t] SECONDS COMMAND...: runs a command and ends it, with all
 * processes that it has started, after SECONDS without output, or after CHATTER
 * times SECONDS in total. Seconds are counted as in t_pace.h: on a loaded host
 * a second counts less. Output is any byte written to a file that is stdout or
 * stderr of this process. The exit code is that of the command, or 124 if the
 * command was ended. -t: the last line of output says how long the command
 * took, and the processor time of all its processes.
 */
#include "src/base/clock.h"
#include "test/support/t_pace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHATTER	 5
#define GRACE	 5 /* seconds from SIGTERM to SIGKILL */
#define NS_PER_S UINT64_C(1000000000)

struct idle_timeout {
	struct t_limit talk, grace;
	uint64_t left_at_output_ns; /* total time left at the last output */
	int seconds;
	off_t output;
	pid_t pid;
	bool ended; /* this process has sent SIGTERM */
	bool exited;
	int status;
};

static off_t output_bytes(void)
{
	off_t output = 0;
	struct stat st;

	for (int fd = 1; fd <= 2; fd++) {
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			output += st.st_size;
	}
	return output;
}

static void start(struct idle_timeout *p, char **argv, const sigset_t *old)
{
	p->pid = fork();
	if (p->pid < 0) {
		perror("idle_timeout: fork");
		exit(125);
	}
	if (p->pid)
		return;
	sigprocmask(SIG_SETMASK, old, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "idle_timeout: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reaps children, and orphans of the command, which become children. */
static void reap(struct idle_timeout *p)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != p->pid)
			continue;
		p->exited = true;
		p->status = status;
	}
}

static void end(struct idle_timeout *p, const char *why)
{
	fprintf(stderr,
		"idle_timeout: %s (a second counts as %.2f here): ended\n", why,
		t_pace());
	p->ended = true;
	t_limit_set(&p->grace, GRACE);
	t_kill_descendants(SIGTERM);
}

static bool no_output(struct idle_timeout *p)
{
	off_t output = output_bytes();

	if (output != p->output)
		p->left_at_output_ns = p->talk.left_ns;
	p->output = output;
	return p->left_at_output_ns - p->talk.left_ns >=
	       (uint64_t)p->seconds * NS_PER_S;
}

static void check_limits(struct idle_timeout *p)
{
	char why[80];

	if (p->ended) {
		if (t_limit_expired(&p->grace))
			t_kill_descendants(SIGKILL);
	} else if (t_limit_expired(&p->talk)) {
		snprintf(why, sizeof(why), "%d s with output",
			 CHATTER * p->seconds);
		end(p, why);
	} else if (no_output(p)) {
		snprintf(why, sizeof(why), "%d s without output", p->seconds);
		end(p, why);
	}
}

/* Forwards a fatal signal to the command, which may still write output. */
static void forward_signal(struct idle_timeout *p, int sig)
{
	if (sig == SIGCHLD || p->ended)
		return;
	p->ended = true;
	t_limit_set(&p->grace, GRACE);
	t_kill_descendants(sig);
}

static int watch(struct idle_timeout *p, const sigset_t *set)
{
	const struct timespec interval = { .tv_nsec = 500000000 };

	t_limit_set(&p->talk, CHATTER * p->seconds);
	p->left_at_output_ns = p->talk.left_ns;
	p->output = output_bytes();
	while (!p->exited) {
		int sig = sigtimedwait(set, NULL, &interval);

		if (sig > 0)
			forward_signal(p, sig);
		reap(p);
		if (!p->exited)
			check_limits(p);
	}
	if (p->ended)
		return 124;
	return WIFEXITED(p->status) ? WEXITSTATUS(p->status)
				    : 128 + WTERMSIG(p->status);
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* `quickstart test` reads this line (slowest_tests). */
static void print_times(uint64_t start_ns)
{
	uint64_t ns = weft_now_ns() - start_ns;
	struct rusage use;

	getrusage(RUSAGE_CHILDREN, &use);
	printf("test took %.1f s, processor time %.1f s\n", (double)ns * 1e-9,
	       seconds_of(&use.ru_utime) + seconds_of(&use.ru_stime));
}

int main(int argc, char **argv)
{
	bool times = argc > 1 && !strcmp(argv[1], "-t");
	struct idle_timeout p = { 0 };
	uint64_t start_ns;
	sigset_t set, old;
	int code;

	argv += times;
	argc -= times;
	if (argc < 3 || (p.seconds = atoi(argv[1])) <= 0) {
		fprintf(stderr,
			"usage: idle_timeout [-t] SECONDS COMMAND...\n");
		return 125;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	t_pace_root();
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	start_ns = weft_now_ns();
	start(&p, argv + 2, &old);
	code = watch(&p, &set);
	if (times)
		print_times(start_ns);
	return code;
}

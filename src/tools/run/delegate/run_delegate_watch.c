/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs mpirun and prterun as children of mpiexec. Both wait without a timeout
 * for the daemon of a host that does not answer, even after all ranks have
 * declared that host dead. So mpiexec relays their standard error, where the
 * last line of a rank shows that the job has ended, and ends a launcher that
 * keeps waiting. Signals are passed on, except signals from the terminal, which
 * the kernel also sends to the child.
 */
#include "src/base/clock.h"
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/job/run_limits.h"
#include "src/tools/run/run_message.h"
#include "src/tools/run/run_poll.h"
#include "src/tools/run/job/run_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

/*
 * Seconds from a failed rank's message to SIGTERM; from SIGTERM to SIGKILL
 * after a failure, and after --timeout.
 */
enum { GRACE_S = 5, KILL_S = 5, TIMEOUT_KILL_S = 10 };

struct watch {
	const struct run_delegate *engine;
	pid_t pid;
	int err_fd; /* standard error of the child; -1: closed */
	bool gone;
	bool no_daemon; /* a host has no daemon of the launcher */
	bool silent;	/* whether output of the child is dropped */
	int status;	/* status of waitpid() */
	/* exit code if mpiexec ended the child; 0: use the child's exit code */
	int code;
	uint64_t timeout_ns; /* deadline of --timeout; 0: none */
	uint64_t term_ns; /* time of the SIGTERM after an abort; 0: no abort */
	/* time of the SIGKILL; 0: the child is not being ended */
	uint64_t kill_ns;
	char line[512]; /* current line of standard error */
	size_t len;
	char failed_rank[320]; /* rank that aborted first */
};

static int start(struct watch *w, const struct run_cmd *c)
{
	sigset_t mask;
	int fd[2], err = run_signal_open(&mask);

	if (err)
		return err;
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	w->pid = fork();
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		dup2(fd[1], STDERR_FILENO);
		run_limits_restore();
		execvp(c->word[0], c->word);
		run_message("cannot execute %s: %s", c->word[0],
			    strerror(errno));
		_exit(RUN_EXIT_NOEXEC);
	}
	err = w->pid < 0 ? -errno : 0;
	close(fd[1]);
	w->err_fd = fd[0];
	fcntl(w->err_fd, F_SETFL, O_NONBLOCK);
	return err;
}

/* Checks a complete line for "weft: rank 0 on host1 (pid 15): ...". */
static void line_ends(struct watch *w)
{
	char host[256];
	const char *at;
	int rank, pid;

	w->line[w->len] = '\0';
	w->len = 0;
	/*
	 * messages of Open MPI 4 and PRRTE about a host on which they are not
	 * installed
	 */
	if (strstr(w->line, "unable to reliably start one or more daemons") ||
	    strstr(w->line, "failed to start a daemon") ||
	    strstr(w->line, "orted: not found") ||
	    strstr(w->line, "orted: command not found"))
		w->no_daemon = true;
	at = w->term_ns ? NULL : strstr(w->line, "weft: rank ");
	if (!at || sscanf(at, "weft: rank %d on %255s (pid %d)", &rank, host,
			  &pid) != 3)
		return;
	snprintf(w->failed_rank, sizeof(w->failed_rank), "rank %d on %s", rank,
		 host);
	w->term_ns = weft_now_ns() + GRACE_S * SECOND_NS;
}

/*
 * Passes on the available output; lines longer than the buffer are truncated
 * for the search.
 */
static void relay(struct watch *w)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(w->err_fd, chunk, sizeof(chunk))) > 0) {
		if (!w->silent)
			run_write_all(STDERR_FILENO, chunk, (size_t)n);
		for (ssize_t i = 0; i < n; i++)
			if (chunk[i] == '\n')
				line_ends(w);
			else if (w->len < sizeof(w->line) - 1)
				w->line[w->len++] = chunk[i];
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(w->err_fd);
	w->err_fd = -1;
}

static void handle_signal(struct watch *w, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;

	switch (run_signal_kind(sig)) {
	case RUN_SIGNAL_CHILD:
		w->gone = w->gone ||
			  waitpid(w->pid, &w->status, WNOHANG) == w->pid;
		break;
	case RUN_SIGNAL_STOP:
		raise(SIGSTOP);
		break;
	default:
		/* SI_KERNEL: sent by the terminal to the whole process group */
		if (si->ssi_code != SI_KERNEL)
			kill(w->pid, sig);
	}
}

static void delegate_watch_end(struct watch *w, int code, int seconds)
{
	w->code = code;
	w->timeout_ns = 0;
	w->term_ns = 0;
	w->kill_ns = weft_now_ns() + (uint64_t)seconds * SECOND_NS;
	kill(w->pid, SIGTERM);
}

static void check_deadlines(struct watch *w, const struct run_opts *o)
{
	uint64_t now = weft_now_ns();

	if (w->kill_ns && now >= w->kill_ns) {
		w->kill_ns = 0;
		kill(w->pid, SIGKILL);
	} else if (w->timeout_ns && now >= w->timeout_ns && !w->code) {
		run_message("timeout after %g s; the job was ended",
			    o->timeout_s);
		delegate_watch_end(w, RUN_EXIT_TIMEOUT, TIMEOUT_KILL_S);
	} else if (w->term_ns && now >= w->term_ns && !w->code) {
		run_message("%s has ended the job, but %s still waits after %d "
			    "s for hosts that do not answer; mpiexec ends it",
			    w->failed_rank, w->engine->name, GRACE_S);
		delegate_watch_end(w, 1, KILL_S);
		/*
		 * drops the output: mpirun of Open MPI 4 crashes at this point
		 * and prints many lines
		 */
		w->silent = true;
	}
}

/* Returns the milliseconds to the nearest deadline, for poll(). */
static int time_left(const struct watch *w)
{
	uint64_t at = run_poll_earlier(w->timeout_ns, w->term_ns);

	return run_poll_ms(run_poll_earlier(at, w->kill_ns));
}

int run_delegate_watch(const struct run_opts *o, const struct run_delegate *e,
		       const struct run_cmd *c)
{
	struct watch w = { .engine = e, .err_fd = -1 };
	struct pollfd p[2];
	int err = start(&w, c);

	if (err) {
		run_message("cannot start %s: %s", c->word[0], strerror(-err));
		return RUN_EXIT_FAULT;
	}
	if (o->timeout_s > 0)
		w.timeout_ns = weft_now_ns() + (uint64_t)(o->timeout_s * 1e9);
	while (!w.gone) {
		struct signalfd_siginfo si;

		p[0] = (struct pollfd){ .fd = run_signal_fd(),
					.events = POLLIN };
		p[1] = (struct pollfd){ .fd = w.err_fd, .events = POLLIN };
		poll(p, 2, time_left(&w));
		if (p[1].revents)
			relay(&w);
		while (!w.gone &&
		       read(run_signal_fd(), &si, sizeof(si)) == sizeof(si))
			handle_signal(&w, &si);
		check_deadlines(&w, o);
	}
	if (w.err_fd >= 0)
		relay(&w);
	if (w.no_daemon)
		run_message("%s must be installed on every host; -launcher ssh "
			    "needs only Weft there",
			    e->name);
	if (w.code)
		return w.code;
	return WIFSIGNALED(w.status) ? 128 + WTERMSIG(w.status)
				     : WEXITSTATUS(w.status);
}

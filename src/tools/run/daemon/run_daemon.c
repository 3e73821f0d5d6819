/* SPDX-License-Identifier: BSD-3-Clause */
/* The daemon of a host (run_daemon.h). */
#include "src/tools/run/daemon/run_daemon.h"
#include "config.h"
#include "src/base/clock.h"
#include "src/tools/run/job/run_signal.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time between SIGTERM and SIGKILL after the connection to mpiexec was lost. */
#define KILL_NS UINT64_C(15000000000)

/* Output is not read while more than QUEUE_MAX bytes are queued. */
enum { QUEUE_MAX = 1 << 20, CHUNK = 65536 };

struct daemon {
	struct run_channel up;	 /* channel to mpiexec */
	struct run_channel down; /* channel to the local mpiexec */
	struct run_daemon_job job;
	pid_t child;
	int status;
	bool exited;
	int out_fd; /* output of the ranks; -1: end of file */
	int in_fd;  /* input of the ranks; -1: closed */
	struct run_bytes input;
	size_t input_sent;
	bool input_ends;  /* end of file follows the input */
	uint64_t kill_ns; /* time of the SIGKILL; 0: none */
	sigset_t mask;	  /* signal mask at the start */
};

/* ---- start --------------------------------------------------------------- */

/*
 * Moves the connection to other descriptors: nothing but frames may be written
 * to it.
 */
static int move_stdio(struct daemon *d)
{
	int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	static const char hello[] = RUN_DAEMON_HELLO PACKAGE_VERSION "\n";

	if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	close(null);
	run_write_all(out, hello, sizeof(hello) - 1);
	run_channel_open(&d->up, in, out);
	return 0;
}

/* Waits for the job. Returns 0 or -errno. */
static int receive_job(struct daemon *d)
{
	struct pollfd p = { .fd = d->up.in, .events = POLLIN };
	struct run_frame f;
	int rc = 0, err = 0;

	while (!err && !rc) {
		poll(&p, 1, -1);
		err = run_channel_fill(&d->up);
		rc = err ? 0 : run_channel_next(&d->up, &f);
	}
	if (err || rc < 0)
		return err ? err : rc;
	return f.kind == RUN_FRAME_JOB ? run_daemon_job_read(&f.body, &d->job)
				       : -EPROTO;
}

/*
 * Sets environment variables and working directory; the child then acts as
 * mpiexec.
 */
static int child_enter(const struct daemon *d)
{
	for (char **v = d->job.env; *v; v++)
		putenv(*v);
	if (!chdir(d->job.wdir))
		return 0;
	run_message("directory %s: %s; a job runs in the same directory on "
		    "all hosts: create it, or start mpiexec in another one",
		    d->job.wdir, strerror(errno));
	return -errno;
}

static void child_run(struct daemon *d, run_daemon_fn run, const int fd[3],
		      pid_t parent)
{
	run_message_on(d->job.layout.host[d->job.self].name);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &d->mask, NULL);
	if (getppid() != parent || dup2(fd[0], STDIN_FILENO) < 0 ||
	    dup2(fd[1], STDOUT_FILENO) < 0 || child_enter(d))
		_exit(RUN_EXIT_FAULT);
	run_channel_close(&d->up);
	close(fd[0]);
	close(fd[1]);
	_exit(run(&d->job, fd[2]));
}

static int start_child(struct daemon *d, run_daemon_fn run)
{
	int in[2], out[2], ctl[2];
	pid_t self = getpid();

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ctl) < 0)
		return -errno;
	d->child = fork();
	if (d->child < 0)
		return -errno;
	if (!d->child) {
		const int fd[3] = { in[0], out[1], ctl[1] };

		close(in[1]);
		close(out[0]);
		close(ctl[0]);
		child_run(d, run, fd, self);
	}
	close(in[0]);
	close(out[1]);
	close(ctl[1]);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	d->in_fd = in[1];
	d->out_fd = out[0];
	run_channel_open(&d->down, ctl[0], ctl[0]);
	return 0;
}

/* ---- standard input and output ------------------------------------------- */

static void close_input(struct daemon *d)
{
	if (d->in_fd >= 0)
		close(d->in_fd);
	d->in_fd = -1;
	run_bytes_free(&d->input);
	d->input_sent = 0;
}

/*
 * Writes input to the ranks. Ranks that do not read it do not block the daemon.
 */
static void write_input(struct daemon *d)
{
	ssize_t n = write(d->in_fd, d->input.data + d->input_sent,
			  d->input.len - d->input_sent);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		d->input_sent += (size_t)n;
	if (n >= 0 && d->input_sent < d->input.len)
		return;
	run_bytes_free(&d->input);
	d->input_sent = 0;
	if (n < 0)
		close_input(d);
	run_channel_put(&d->up, RUN_FRAME_INPUT_TAKEN, NULL, 0);
}

static void take_input(struct daemon *d, const struct run_scan *s)
{
	if (!s->left) {
		close_input(d);
	} else if (d->in_fd < 0) {
		run_channel_put(&d->up, RUN_FRAME_INPUT_TAKEN, NULL, 0);
	} else {
		run_bytes_add(&d->input, s->at, s->left);
		write_input(d);
	}
}

/* Forwards output. Returns whether there may be more. */
static bool read_output(struct daemon *d)
{
	char chunk[CHUNK];
	ssize_t n = read(d->out_fd, chunk, sizeof(chunk));

	if (n > 0) {
		run_channel_put(&d->up, RUN_FRAME_OUTPUT, chunk, (size_t)n);
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	close(d->out_fd);
	d->out_fd = -1;
	return false;
}

/* ---- frames -------------------------------------------------------------- */

/*
 * Ends the ranks, because the connection to mpiexec was lost or mpiexec has
 * sent an invalid frame.
 */
static void lose_mpiexec(struct daemon *d)
{
	run_channel_close(&d->up);
	if (d->exited || d->kill_ns)
		return;
	kill(d->child, SIGTERM);
	d->kill_ns = weft_now_ns() + KILL_NS;
}

static int handle_up(struct daemon *d, struct run_frame *f)
{
	switch (f->kind) {
	case RUN_FRAME_INPUT:
		take_input(d, &f->body);
		return 0;
	case RUN_FRAME_PING:
		run_channel_put(&d->up, RUN_FRAME_PING, NULL, 0);
		return 0;
	case RUN_FRAME_SIGNAL:
		if (!d->exited)
			kill(d->child, (int)run_scan_u32(&f->body));
		return 0;
	case RUN_FRAME_FENCE_DONE:
	case RUN_FRAME_MODEX:
	case RUN_FRAME_MODEX_DONE:
	case RUN_FRAME_RANK_EXIT:
	case RUN_FRAME_SPAWN_DONE:
	case RUN_FRAME_END:
		run_channel_put(&d->down, f->kind, f->body.at, f->body.left);
		return 0;
	default:
		return -EPROTO;
	}
}

static void read_up(struct daemon *d)
{
	struct run_frame f;
	int rc, err = run_channel_fill(&d->up);

	while (!err && (rc = run_channel_next(&d->up, &f)))
		err = rc < 0 ? rc : handle_up(d, &f);
	if (err)
		lose_mpiexec(d);
}

static void read_down(struct daemon *d)
{
	struct run_frame f;
	int rc, err = run_channel_fill(&d->down);

	while (!err && (rc = run_channel_next(&d->down, &f)) > 0)
		run_channel_put(&d->up, f.kind, f.body.at, f.body.left);
	if (err || rc < 0)
		run_channel_close(&d->down);
}

/* ---- main loop ----------------------------------------------------------- */

static void read_signals(struct daemon *d)
{
	struct signalfd_siginfo si;

	while (read(run_signal_fd(), &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			d->exited = d->exited || waitpid(d->child, &d->status,
							 WNOHANG) == d->child;
		else if (!d->exited)
			kill(d->child, (int)si.ssi_signo);
	}
}

static void check_kill(struct daemon *d)
{
	if (!d->kill_ns || d->exited || weft_now_ns() < d->kill_ns)
		return;
	kill(d->child, SIGKILL);
	d->kill_ns = weft_now_ns() + KILL_NS;
}

static void poll_once(struct daemon *d)
{
	bool full = run_channel_queued(&d->up) > QUEUE_MAX;
	struct pollfd p[] = {
		{ .fd = run_signal_fd(), .events = POLLIN },
		{ .fd = d->up.in, .events = POLLIN },
		{ .fd = run_channel_queued(&d->up) ? d->up.out : -1,
		  .events = POLLOUT },
		{ .fd = d->down.in, .events = POLLIN },
		{ .fd = run_channel_queued(&d->down) ? d->down.out : -1,
		  .events = POLLOUT },
		{ .fd = full ? -1 : d->out_fd, .events = POLLIN },
		{ .fd = d->input.len ? d->in_fd : -1, .events = POLLOUT },
	};

	poll(p, sizeof(p) / sizeof(p[0]), d->kill_ns ? 1000 : -1);
	if (p[0].revents)
		read_signals(d);
	if (p[2].revents && run_channel_flush(&d->up))
		lose_mpiexec(d);
	if (p[1].revents && d->up.in >= 0)
		read_up(d);
	if (p[4].revents)
		run_channel_flush(&d->down);
	if (p[3].revents && d->down.in >= 0)
		read_down(d);
	if (p[5].revents)
		read_output(d);
	if (p[6].revents && d->in_fd >= 0)
		write_input(d);
	check_kill(d);
}

static bool has_frames(const struct daemon *d)
{
	struct pollfd p = { .fd = d->down.in, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Sends the remaining output and frames, and the exit code. */
static void finish(struct daemon *d)
{
	int code = WIFSIGNALED(d->status) ? 128 + WTERMSIG(d->status)
					  : WEXITSTATUS(d->status);
	struct run_bytes b = { 0 };
	struct pollfd p;

	while (d->out_fd >= 0 && read_output(d))
		;
	/* frames that the child wrote before its exit */
	while (d->down.in >= 0 && has_frames(d))
		read_down(d);
	run_bytes_u32(&b, (uint32_t)code);
	run_channel_put_bytes(&d->up, RUN_FRAME_EXIT, &b);
	run_bytes_free(&b);
	p = (struct pollfd){ .fd = d->up.out, .events = POLLOUT };
	while (d->up.out >= 0 && run_channel_queued(&d->up) &&
	       poll(&p, 1, -1) >= 0 && !run_channel_flush(&d->up))
		;
}

int run_daemon(run_daemon_fn run)
{
	struct daemon d = { .out_fd = -1, .in_fd = -1 };
	int err;

	/*
	 * own process group: signals of a terminal reach mpiexec, which passes
	 * them on
	 */
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	err = move_stdio(&d);
	if (!err)
		err = receive_job(&d);
	if (!err)
		err = run_signal_open(&d.mask);
	if (!err)
		err = start_child(&d, run);
	if (err) {
		/* mpiexec reports the loss of the connection */
		if (err != -EPIPE)
			run_message("the daemon cannot start the job: %s",
				    strerror(-err));
		return RUN_EXIT_FAULT;
	}
	while (!d.exited)
		poll_once(&d);
	finish(&d);
	return 0;
}

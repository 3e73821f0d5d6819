/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeder process: a child of mpiexec that copies stdin to ranks. The feeder is
 * started only if a rank cannot inherit stdin: stdin is a terminal (ranks are
 * in other process groups and would be stopped), or all ranks read the same
 * pipe. The feeder uses the collectors' protocol (run_io.h) and hands out the
 * reading ends of its pipes.
 */
#include "src/tools/run/io/run_fdpass.h"
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKGROUND_MS = 200 };

struct feeder {
	/* write ends of the pipes; -1: the rank has closed its stdin */
	int *to;
	int given;
	int live;
	int ctl;
};

/*
 * Hands out all pipes before stdin is read, so that every reader gets all of
 * stdin.
 */
static void send_pipes(struct feeder *f, int count)
{
	char what;

	for (;;) {
		if (recv(f->ctl, &what, 1, 0) != 1)
			_exit(0);
		if (what == 'D')
			return;
		if (what == 'P' && f->given < count) {
			int fd[RUN_FDS], err = 0;

			if (pipe2(fd, O_CLOEXEC) < 0)
				err = -errno;
			run_fd_send(f->ctl, fd, err ? 0 : 1, err);
			f->to[f->given++] = err ? -1 : fd[1];
			f->live += !err;
			if (!err)
				close(fd[0]);
		}
	}
}

/* Returns whether stdin may be read: a terminal only in the foreground. */
static bool may_read(void)
{
	return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int run_feed(int count, int ctl)
{
	struct feeder f = { .ctl = ctl };
	struct pollfd pfd[] = { { .fd = ctl, .events = POLLIN },
				{ .fd = STDIN_FILENO, .events = POLLIN } };
	char buf[4096];
	ssize_t n;

	run_ignore_signals();
	f.to = calloc((size_t)count, sizeof(*f.to));
	if (!f.to)
		return 1;
	send_pipes(&f, count);
	while (f.live > 0) {
		int i;

		if (poll(pfd, may_read() ? 2 : 1,
			 may_read() ? -1 : BACKGROUND_MS) < 0 &&
		    errno != EINTR)
			break;
		if (pfd[0].revents)
			break;
		if (!pfd[1].revents || !may_read())
			continue;
		n = read(STDIN_FILENO, buf, sizeof(buf));
		if (n <= 0)
			break;
		for (i = 0; i < f.given; i++) {
			if (f.to[i] < 0 ||
			    !run_write_all(f.to[i], buf, (size_t)n))
				continue;
			close(f.to[i]);
			f.to[i] = -1;
			f.live--;
		}
	}
	return 0;
}

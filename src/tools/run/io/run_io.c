/* SPDX-License-Identifier: BSD-3-Clause */
/* mpiexec's side of the collectors: starts them, requests pipes, reaps them. */
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/io/run_fdpass.h"
#include "src/tools/run/io/run_line.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLICE_MAX = 334, AHEAD = 32 };

struct io_helper {
	struct run_slice slice;
	pid_t pid; /* process id; 0: exited */
	int ctl;
	int requested;
	int fetched;
};

struct run_io {
	const struct run_output *out;
	const char *host;
	struct run_shared *shared;
	size_t shared_size;
	struct io_helper *helper;
	struct io_helper feeder; /* feeder process; pid 0: none */
	int first_rank;		 /* first rank of this host */
	int nhelpers;
	int per_slice;
	int stdin_rank;
	int live;
	int status;
	bool given_up; /* whether mpiexec has killed the collectors */
};

static int open_shared(struct run_io *io, int nranks)
{
	pthread_mutexattr_t attr;
	void *p;

	io->shared_size = sizeof(*io->shared) +
			  (size_t)nranks * sizeof(io->shared->rank[0]);
	p = mmap(NULL, io->shared_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	io->shared = p;
	io->shared->nranks = nranks;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&io->shared->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return 0;
}

/* Forks a helper, which closes the sockets of earlier helpers. */
static int fork_helper(struct run_io *io, struct io_helper *h, int *ctl_p)
{
	int pair[2], k;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	h->pid = fork();
	if (h->pid == 0) {
		for (k = 0; k < io->nhelpers; k++)
			if (io->helper[k].ctl > 0)
				close(io->helper[k].ctl);
		close(pair[0]);
		prctl(PR_SET_NAME, "mpiexec-io");
		*ctl_p = pair[1];
		return 0;
	}
	close(pair[1]);
	if (h->pid < 0) {
		h->pid = 0;
		close(pair[0]);
		return -errno;
	}
	h->ctl = pair[0];
	return 1;
}

/* Returns whether ranks cannot inherit stdin. */
static bool needs_feeder(const struct run_io *io)
{
	struct stat st;

	if (io->stdin_rank == RUN_STDIN_NONE)
		return false;
	if (isatty(STDIN_FILENO))
		return true;
	return io->stdin_rank == RUN_STDIN_ALL && !fstat(STDIN_FILENO, &st) &&
	       !S_ISREG(st.st_mode);
}

static int start_feeder(struct run_io *io, int nranks)
{
	struct io_helper *h = &io->feeder;
	int ctl, rc;

	h->slice.count = io->stdin_rank == RUN_STDIN_ALL ? nranks : 1;
	rc = fork_helper(io, h, &ctl);
	if (rc == 0)
		_exit(run_feed(h->slice.count, ctl));
	return rc < 0 ? rc : 0;
}

int run_io_open(const struct run_opts *o, const struct run_io_ranks *ranks,
		const char *host, struct run_io **io_p)
{
	struct run_io *io = calloc(1, sizeof(*io));
	int i, err, left;
	struct rlimit lim;
	int n = SLICE_MAX, nranks = ranks->count;

	if (!io)
		return -ENOMEM;
	*io_p = io;
	io->out = &o->out;
	io->host = host;
	io->first_rank = ranks->first;
	io->stdin_rank = o->stdin_rank;
	/*
	 * the descriptor limit must allow three descriptors per rank and 16
	 * more
	 */
	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur != RLIM_INFINITY &&
	    lim.rlim_cur < 3 * SLICE_MAX + 16)
		n = ((int)lim.rlim_cur - 16) / 3;
	io->per_slice = n > 1 ? n : 1;
	io->nhelpers = (nranks + io->per_slice - 1) / io->per_slice;
	io->helper = calloc((size_t)io->nhelpers, sizeof(*io->helper));
	err = io->helper ? open_shared(io, ranks->first + nranks) : -ENOMEM;
	for (i = 0; i < io->nhelpers && !err; i++) {
		int ctl, rc;

		left = nranks - i * io->per_slice;
		io->helper[i].slice = (struct run_slice){
			.first = ranks->first + i * io->per_slice,
			.count = left < io->per_slice ? left : io->per_slice,
			.host = host,
			.out = &o->out,
			.shared = io->shared,
		};
		rc = fork_helper(io, &io->helper[i], &ctl);
		if (rc == 0)
			_exit(run_collect(&io->helper[i].slice, ctl));
		io->live += rc > 0;
		err = rc < 0 ? rc : 0;
	}
	if (!err && needs_feeder(io))
		err = start_feeder(io, nranks);
	if (err)
		run_message("cannot start a collector of output: %s",
			    strerror(-err));
	return err;
}

/* Requests pipes in advance, so that they are usually available immediately. */
static int request_pipes(struct io_helper *h, int upto)
{
	if (upto > h->slice.count)
		upto = h->slice.count;
	for (; h->requested < upto; h->requested++)
		if (send(h->ctl, "P", 1, MSG_NOSIGNAL) < 0)
			return -errno;
	return 0;
}

/* Opens the output file of a rank; replaces %r and %h in the pattern. */
static int open_file(struct run_io *io, const char *pattern, int rank)
{
	struct run_output o = { .tag = RUN_TAG_TEXT, .pattern = pattern };
	char *name = run_line_tag(&o, rank, io->host, false), *slash;
	int fd;

	if (!name)
		return -ENOMEM;
	slash = name;
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(name, 0777);
		*slash = '/';
	}
	fd = open(name,
		  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
			  (rank && !strstr(pattern, "%r") ? 0 : O_TRUNC),
		  0666);
	if (fd < 0)
		run_message("cannot open %s: %s", name, strerror(errno));
	free(name);
	return fd < 0 ? -errno : fd;
}

int run_io_fetch(struct run_io *io, int rank, int fd[3])
{
	struct io_helper *h =
		&io->helper[(rank - io->first_rank) / io->per_slice];
	int got[RUN_FDS] = { -1, -1, -1 }, *next = got, err;

	err = request_pipes(h, rank - h->slice.first + AHEAD);
	if (!err)
		err = run_fd_receive(h->ctl, got);
	h->fetched++;
	if (err) {
		run_message("cannot get the pipes of rank %d: %s", rank,
			    strerror(-err));
		return err;
	}
	fd[2] = *next++;
	fd[0] = io->out->outfile ? open_file(io, io->out->outfile, rank)
				 : *next++;
	if (io->out->errfile)
		fd[1] = open_file(io, io->out->errfile, rank);
	else
		fd[1] = io->out->merge ? fd[0] : *next;
	return fd[0] < 0 ? fd[0] : fd[1] < 0 ? fd[1] : 0;
}

/* Opens stdin, if it is a file, a second time, at the current offset. */
static int reopen_stdin(void)
{
	int fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
	return fd < 0 ? -errno : fd;
}

int run_io_stdin(struct run_io *io, int rank)
{
	int fd[RUN_FDS] = { -1, -1, -1 }, err;

	if (io->stdin_rank != RUN_STDIN_ALL && rank != io->stdin_rank) {
		fd[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return fd[0] < 0 ? -errno : fd[0];
	}
	if (io->feeder.pid > 0) {
		err = request_pipes(&io->feeder, io->feeder.requested + 1);
		if (!err)
			err = run_fd_receive(io->feeder.ctl, fd);
		return err ? err : fd[0];
	}
	return io->stdin_rank == RUN_STDIN_ALL ? reopen_stdin() : STDIN_FILENO;
}

/* Closes unused requested pipes, which would never reach end of file. */
static void close_unused(struct io_helper *h)
{
	int fd[RUN_FDS], i;

	for (; h->fetched < h->requested; h->fetched++) {
		memset(fd, -1, sizeof(fd));
		if (run_fd_receive(h->ctl, fd) < 0)
			continue;
		for (i = 0; i < RUN_FDS; i++)
			if (fd[i] >= 0)
				close(fd[i]);
	}
}

void run_io_all_started(struct run_io *io)
{
	int i;

	for (i = 0; i < io->nhelpers; i++) {
		close_unused(&io->helper[i]);
		send(io->helper[i].ctl, "D", 1, MSG_NOSIGNAL);
	}
	if (io->feeder.pid > 0)
		send(io->feeder.ctl, "D", 1, MSG_NOSIGNAL);
}

void run_io_set_group(struct run_io *io, int rank, pid_t pid)
{
	io->shared->rank[rank].group = pid;
}

int run_io_death_order(const struct run_io *io, int rank)
{
	/* the shared memory ends with the last rank of this host */
	if (rank >= io->shared->nranks)
		return 0;
	/* A0 pairs with R0 in lifeline_read() */
	return atomic_load_explicit(&io->shared->rank[rank].ended,
				    memory_order_acquire);
}

bool run_io_reap(struct run_io *io, pid_t pid, int status)
{
	int i;

	if (pid == io->feeder.pid) {
		io->feeder.pid = 0;
		return true;
	}
	for (i = 0; i < io->nhelpers; i++) {
		if (io->helper[i].pid != pid)
			continue;
		io->helper[i].pid = 0;
		io->live--;
		if (WIFSIGNALED(status) && !io->given_up)
			run_message(
				"a collector of output was killed by signal %d",
				WTERMSIG(status));
		if (status)
			io->status = -EIO;
		return true;
	}
	return false;
}

bool run_io_is_helper(const struct run_io *io, pid_t pid)
{
	int i;

	for (i = 0; i < io->nhelpers; i++)
		if (io->helper[i].pid == pid)
			return true;
	return pid == io->feeder.pid;
}

void run_io_stop_feeding(struct run_io *io)
{
	if (io->feeder.pid > 0)
		kill(io->feeder.pid, SIGKILL);
}

void run_io_kill(struct run_io *io)
{
	int i;

	io->given_up = true;
	for (i = 0; i < io->nhelpers; i++)
		if (io->helper[i].pid > 0)
			kill(io->helper[i].pid, SIGKILL);
}

int run_io_live(const struct run_io *io)
{
	return io->live;
}

int run_io_status(const struct run_io *io)
{
	return io->status;
}

void run_io_close(struct run_io *io)
{
	int i;

	if (!io)
		return;
	run_io_stop_feeding(io);
	run_io_kill(io);
	for (i = 0; i < io->nhelpers; i++)
		if (io->helper[i].ctl > 0)
			close(io->helper[i].ctl);
	if (io->shared)
		munmap(io->shared, io->shared_size);
	free(io->helper);
	free(io);
}

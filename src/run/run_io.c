/* SPDX-License-Identifier: BSD-3-Clause */
/* mpiexec's side of the collectors: start them, ask for pipes, see them off. */
#include "src/run/run_io.h"
#include "src/run/run_line.h"
#include "src/run/run_say.h"

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
#include <unistd.h>

enum { SLICE_MAX = 400, AHEAD = 32 };

struct io_helper {
	struct run_slice slice;
	pid_t pid; /* 0: gone */
	int ctl;
	int asked;
};

struct run_io {
	const struct run_output *out;
	const char *host;
	struct run_shared *shared;
	size_t shared_size;
	struct io_helper *helper;
	int nhelpers;
	int per_slice;
	int stdin_rank;
	int null_fd;
	int live;
	int status;
};

static int open_shared(struct run_io *io, int nranks)
{
	pthread_mutexattr_t attr;
	void *p;

	io->shared_size = sizeof(*io->shared) +
			  (size_t)nranks * sizeof(io->shared->group[0]);
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

/* Two descriptors for each rank and some more must fit under the limit. */
static int slice_size(void)
{
	struct rlimit lim;
	int n = SLICE_MAX;

	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur != RLIM_INFINITY &&
	    lim.rlim_cur < 2 * SLICE_MAX + 64)
		n = ((int)lim.rlim_cur - 64) / 2;
	return n > 1 ? n : 1;
}

static int start_helper(struct run_io *io, int i)
{
	struct io_helper *h = &io->helper[i];
	int pair[2], k;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	h->pid = fork();
	if (h->pid < 0) {
		close(pair[0]);
		close(pair[1]);
		h->pid = 0;
		return -errno;
	}
	if (h->pid == 0) {
		for (k = 0; k < i; k++)
			close(io->helper[k].ctl);
		close(pair[0]);
		prctl(PR_SET_NAME, "mpiexec-io");
		_exit(run_collect(&h->slice, pair[1]));
	}
	close(pair[1]);
	h->ctl = pair[0];
	io->live++;
	return 0;
}

int run_io_open(const struct run_opts *o, int nranks, const char *host,
		struct run_io **io_p)
{
	struct run_io *io = calloc(1, sizeof(*io));
	int i, err, left;

	if (!io)
		return -ENOMEM;
	*io_p = io;
	io->out = &o->out;
	io->host = host;
	io->stdin_rank = o->stdin_rank;
	io->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	io->per_slice = slice_size();
	io->nhelpers = (nranks + io->per_slice - 1) / io->per_slice;
	io->helper = calloc((size_t)io->nhelpers, sizeof(*io->helper));
	err = io->helper ? open_shared(io, nranks) : -ENOMEM;
	for (i = 0; i < io->nhelpers && !err; i++) {
		left = nranks - i * io->per_slice;
		io->helper[i].slice = (struct run_slice){
			.first = i * io->per_slice,
			.count = left < io->per_slice ? left : io->per_slice,
			.host = host,
			.out = &o->out,
			.shared = io->shared,
		};
		err = start_helper(io, i);
	}
	if (err)
		run_say("cannot start a collector of output: %s",
			strerror(-err));
	return err;
}

static int receive_fds(int ctl, int fd[2])
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(2 * sizeof(int))];
	} u;
	int err = 0;
	struct iovec iov = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &u,
			      .msg_controllen = sizeof(u) };
	struct cmsghdr *h;
	ssize_t n;

	do
		n = recvmsg(ctl, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(err))
		return n < 0 ? -errno : -EPIPE;
	h = CMSG_FIRSTHDR(&msg);
	if (h && h->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(h), h->cmsg_len - CMSG_LEN(0));
	return err;
}

/* Keeps some requests ahead, so that the answer is usually there already. */
static int ask(struct io_helper *h, int upto)
{
	if (upto > h->slice.count)
		upto = h->slice.count;
	for (; h->asked < upto; h->asked++)
		if (send(h->ctl, "P", 1, MSG_NOSIGNAL) < 0)
			return -errno;
	return 0;
}

static void make_parents(char *name)
{
	char *slash = name;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(name, 0777);
		*slash = '/';
	}
}

/* The file of a rank: the pattern with %r and %h replaced. */
static int open_file(struct run_io *io, const char *pattern, int rank)
{
	struct run_output o = { .tag = RUN_TAG_TEXT, .pattern = pattern };
	char *name = run_line_tag(&o, rank, io->host, false);
	int fd;

	if (!name)
		return -ENOMEM;
	make_parents(name);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
			(rank && !strstr(pattern, "%r") ? 0 : O_TRUNC), 0666);
	if (fd < 0)
		run_say("cannot open %s: %s", name, strerror(errno));
	free(name);
	return fd < 0 ? -errno : fd;
}

int run_io_fetch(struct run_io *io, int rank, int fd[2])
{
	struct io_helper *h = &io->helper[rank / io->per_slice];
	int got[2] = { -1, -1 }, *next = got, err;

	err = ask(h, rank - h->slice.first + AHEAD);
	if (!err)
		err = receive_fds(h->ctl, got);
	if (err) {
		run_say("cannot get the pipes of rank %d: %s", rank,
			strerror(-err));
		return err;
	}
	fd[0] = io->out->outfile ? open_file(io, io->out->outfile, rank)
				 : *next++;
	if (io->out->errfile)
		fd[1] = open_file(io, io->out->errfile, rank);
	else
		fd[1] = io->out->merge ? fd[0] : *next;
	return fd[0] < 0 ? fd[0] : fd[1] < 0 ? fd[1] : 0;
}

int run_io_stdin(struct run_io *io, int rank)
{
	return rank == io->stdin_rank ? STDIN_FILENO : io->null_fd;
}

void run_io_last(struct run_io *io)
{
	int i;

	for (i = 0; i < io->nhelpers; i++)
		send(io->helper[i].ctl, "D", 1, MSG_NOSIGNAL);
}

void run_io_set_group(struct run_io *io, int rank, pid_t pid)
{
	io->shared->group[rank] = pid;
}

bool run_io_reap(struct run_io *io, pid_t pid, int status)
{
	int i;

	for (i = 0; i < io->nhelpers; i++) {
		if (io->helper[i].pid != pid)
			continue;
		io->helper[i].pid = 0;
		io->live--;
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
	return false;
}

void run_io_kill(struct run_io *io)
{
	int i;

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
	run_io_kill(io);
	for (i = 0; i < io->nhelpers; i++)
		if (io->helper[i].ctl > 0)
			close(io->helper[i].ctl);
	if (io->shared)
		munmap(io->shared, io->shared_size);
	free(io->helper);
	free(io);
}

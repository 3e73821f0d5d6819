/* SPDX-License-Identifier: BSD-3-Clause */
/* Common code of the unit examples: two processes, connected by a socket. */
#ifndef WEFT_EXAMPLES_UNIT_PAIR_H
#define WEFT_EXAMPLES_UNIT_PAIR_H

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	exit(1);
}

static inline void send_bytes(int fd, const void *buf, size_t n)
{
	must(write(fd, buf, n) == (ssize_t)n ? 0 : -5, "write");
}

static inline void recv_bytes(int fd, void *buf, size_t n)
{
	must(read(fd, buf, n) == (ssize_t)n ? 0 : -5, "read");
}

/* Forks. Returns 0 in the parent, 1 in the child. */
static inline int two_processes(int *to_other)
{
	int fd[2];
	int me;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) ? -5 : 0, "socketpair");
	me = fork() == 0;
	*to_other = fd[me];
	close(fd[!me]);
	return me;
}

static inline void exchange_names(int fd, struct sockaddr_in *name)
{
	send_bytes(fd, name, sizeof(*name));
	recv_bytes(fd, name, sizeof(*name));
}

/* Barrier: polls the unit until both processes have called this function. */
static inline void barrier(int fd, void (*poll_unit)(void))
{
	char c = 0;

	send_bytes(fd, &c, 1);
	while (recv(fd, &c, 1, MSG_DONTWAIT) != 1)
		poll_unit();
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * Returns the exit status; in the parent, the status of the child is included.
 */
static inline int finish(int me)
{
	int status = 0;

	if (me == 0)
		wait(&status);
	return status ? 1 : 0;
}

#endif

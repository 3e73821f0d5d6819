/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors on which threads block; see wait_fd.h. */
#include "src/os/wait_fd.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };
}

void weft_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int weft_event_fd_open(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

void weft_event_fd_set(int fd)
{
	uint64_t one = 1;

	/* fails only if the counter is full, and then fd is readable already */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

void weft_event_fd_clear(int fd)
{
	uint64_t sink;

	/* fails only if the counter is 0 already */
	if (read(fd, &sink, sizeof(sink)) < 0)
		return;
}

int weft_timer_fd_open(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

void weft_timer_fd_set(int fd, uint64_t at_ns, uint64_t period_ns)
{
	struct itimerspec t = { .it_value = timespec_of(at_ns),
				.it_interval = timespec_of(period_ns) };

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL);
}

int weft_epoll_add(int epoll, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) && errno != EEXIST)
		return -errno;
	return 0;
}

int weft_epoll_open(const int *fd, int n)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	int err = epoll < 0 ? -errno : 0;

	for (int i = 0; i < n && !err; i++)
		err = fd[i] < 0 ? fd[i] : weft_epoll_add(epoll, fd[i]);
	if (err)
		weft_fd_close(&epoll);
	return err ? err : epoll;
}

int weft_fd_poll(struct pollfd *fd, unsigned n, uint64_t ns)
{
	struct timespec ts = timespec_of(ns);
	int ready = ppoll(fd, n, ns == UINT64_MAX ? NULL : &ts, NULL);

	return ready < 0 ? 0 : ready;
}

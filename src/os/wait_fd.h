/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors on which threads block. Functions that open one return a
 * descriptor or -errno.
 */
#ifndef WEFT_WAIT_FD_H
#define WEFT_WAIT_FD_H

#include <poll.h>
#include <stdint.h>

/* Closes *fd unless it is negative, and sets it to -1. */
void weft_fd_close(int *fd);

/*
 * Event descriptor: readable from set to clear. Any thread or signal handler
 * may set it.
 */
int weft_event_fd_open(void);
void weft_event_fd_set(int fd);
void weft_event_fd_clear(int fd);

/*
 * Timer descriptor: becomes readable when weft_now_ns() reaches at_ns (0:
 * never), and then every period_ns (0: not again).
 */
int weft_timer_fd_open(void);
void weft_timer_fd_set(int fd, uint64_t at_ns, uint64_t period_ns);

/*
 * Opens an epoll descriptor that is readable while one of n other descriptors
 * is readable. If one of these is negative, returns it: it is the error of its
 * open function.
 */
int weft_epoll_open(const int *fd, int n);
/* Adds fd. Returns 0 or -errno; fd may be in the set already. */
int weft_epoll_add(int epoll, int fd);

/*
 * Blocks until one of n descriptors is ready, for at most ns; UINT64_MAX: no
 * timeout. Returns the number of ready descriptors.
 */
int weft_fd_poll(struct pollfd *fd, unsigned n, uint64_t ns);

#endif

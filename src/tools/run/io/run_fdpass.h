/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes up to three descriptors and an error number through a Unix socket. */
#ifndef WEFT_RUN_FDPASS_H
#define WEFT_RUN_FDPASS_H

enum { RUN_FDS = 3 };

/*
 * Sends n descriptors (0 to RUN_FDS) and err, which is 0 or -errno, in one
 * message. Returns 0 or -errno.
 */
int run_fd_send(int sock, const int *fd, int n, int err);

/*
 * Receives a message sent by run_fd_send() and stores the descriptors, which
 * are close-on-exec, in fd[]. Returns the err that was sent, or -errno if the
 * receive fails.
 */
int run_fd_receive(int sock, int fd[RUN_FDS]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes up to three descriptors and an error number by a unix socket. */
#ifndef WEFT_RUN_FDPASS_H
#define WEFT_RUN_FDPASS_H

enum { RUN_FDS = 3 };

/* Sends n descriptors (0 to RUN_FDS) and err, 0 or -errno, in one message. */
int run_fd_send(int sock, const int *fd, int n, int err);

/*
 * Receives a message of run_fd_send(): fd[] gets the descriptors,
 * close-on-exec. Returns the err that was sent, or -errno if the receive fails.
 */
int run_fd_receive(int sock, int fd[RUN_FDS]);

#endif

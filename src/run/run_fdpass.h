/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors through a unix socket, at most three, with an error number. */
#ifndef WEFT_RUN_FDPASS_H
#define WEFT_RUN_FDPASS_H

enum { RUN_FDS = 3 };

/* n descriptors (0 to RUN_FDS) and err, 0 or -errno, in one message. */
int run_fd_send(int sock, const int *fd, int n, int err);

/*
 * Receives such a message: fd[] as far as they came, all close-on-exec.
 * Returns the err that was sent, or -errno of its own.
 */
int run_fd_receive(int sock, int fd[RUN_FDS]);

#endif

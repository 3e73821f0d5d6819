/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door of the PMIx server. The library listens on the loopback interface,
 * believes what a client says about its user, and reads its first words
 * blockingly, in the thread that serves all others: whoever connects and says
 * nothing stops the job. So strangers are turned away before it sees them:
 * the library calls accept(), and mpiexec's own accept() (run_door.c) asks the
 * kernel whose socket is at the other end. For the same user's sake listen() is
 * mpiexec's own, too: connections are shown when they have said something, and
 * one that does not go on is given up after ten seconds.
 */
#ifndef WEFT_RUN_DOOR_H
#define WEFT_RUN_DOOR_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Whether libraries of this process come to our accept() and listen(). */
bool run_door_stands(void);

/*
 * Whether the thread of the library that accepts connections runs: a connection
 * of mpiexec's own must get to accept(). 0, or -errno: -ETIMEDOUT when nothing
 * happens for ten seconds, or less where there is no such thread.
 */
int run_door_answers(void);

/* Both ends of a connection of this host, IPv4 or IPv6. */
struct run_ends {
	struct sockaddr_storage near;
	struct sockaddr_storage far;
};

/*
 * Who made the socket at the far end, as sock_diag or /proc/net/tcp knows it.
 * -ENOENT: nobody holds it, or holds it any more; -EOPNOTSUPP: the kernel does
 * not tell. Neither blocks.
 */
int run_door_diag(const struct run_ends *ends, uid_t *uid_p);
int run_door_proc(const struct run_ends *ends, uid_t *uid_p);

#endif

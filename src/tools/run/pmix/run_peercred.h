/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access control of the PMIx server. libpmix listens on the loopback interface,
 * trusts the user that a client states, and reads the client's first bytes with
 * blocking calls in the thread that serves all clients: a process that connects
 * and sends nothing would stop the job. So mpiexec replaces accept()
 * (run_peercred.c) by a function that reads the owner of the peer's socket from
 * the kernel and closes connections of other users. To handle silent processes
 * of the same user, mpiexec also replaces listen(): the kernel hands over a
 * connection only when data has arrived, and a read of libpmix fails after ten
 * seconds without data.
 */
#ifndef WEFT_RUN_PEERCRED_H
#define WEFT_RUN_PEERCRED_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Returns whether libraries use mpiexec's accept() and listen(). */
bool run_peercred_installed(void);

/*
 * Tests whether libpmix's listener thread runs: a connection made by mpiexec
 * must reach accept(). Returns 0 or -errno: -ETIMEDOUT after ten seconds
 * without result, or earlier if there is no such thread.
 */
int run_peercred_test_listener(void);

/* Both ends of a connection on this host, IPv4 or IPv6. */
struct run_connection {
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
};

/*
 * Finds the owner of the socket at the remote end, by sock_diag or
 * /proc/net/tcp. Returns 0; -ENOENT: no process holds the socket (any more);
 * -EOPNOTSUPP: the kernel does not report the owner. Neither function blocks.
 */
int run_peercred_diag(const struct run_connection *ends, uid_t *uid_p);
int run_peercred_proc(const struct run_connection *ends, uid_t *uid_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The daemon of a host: mpiexec started by a remote shell, with
 * RUN_DAEMON_OPTION as its only argument.
 *
 *   mpiexec -- ssh HOST --- daemon -- mpiexec of the host -- ranks
 *               stdin, stdout: frames  stdin, stdout: of the ranks
 *               stderr: of the ranks   socket: frames of the PMIx server
 *
 * The daemon forwards frames and bytes. When its standard input is closed, it
 * ends the ranks of its host.
 */
#ifndef WEFT_RUN_DAEMON_H
#define WEFT_RUN_DAEMON_H

#include "src/tools/run/daemon/run_daemon_job.h"

#define RUN_DAEMON_OPTION "--host-daemon"

/*
 * First bytes that a daemon sends: this text, the version of Weft and a
 * newline.
 */
#define RUN_DAEMON_HELLO "weft mpiexec daemon 1 "

/*
 * Runs the ranks of the job's host in a child of the daemon; returns the exit
 * code. fd: socket to the daemon. The job must not be freed.
 */
typedef int (*run_daemon_fn)(const struct run_daemon_job *job, int fd);

/* Runs the daemon; returns its exit code. */
int run_daemon(run_daemon_fn run);

#endif

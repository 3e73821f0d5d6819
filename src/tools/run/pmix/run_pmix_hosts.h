/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences and data of ranks on other hosts. The PMIx server of a host sends them
 * as frames through its daemon (src/tools/run/daemon) to mpiexec, which
 * completes a fence when the frames of all its hosts have arrived, and forwards
 * requests for the data of a rank to the rank's host. mpiexec also starts the
 * processes that ranks spawn.
 */
#ifndef WEFT_RUN_PMIX_HOSTS_H
#define WEFT_RUN_PMIX_HOSTS_H

#include "src/tools/run/daemon/run_layout.h"

#include <pmix_server.h>

struct run_spawn_request; /* run_pmix_spawn.h */

/*
 * Opens the connection to the daemon. fd: socket; self: index of this host in
 * the layout; nspace: name of the job. Layout and name stay in use.
 */
void run_pmix_hosts_open(int fd, const struct run_layout *layout, int self,
			 const char *nspace);

/* Returns the socket to the daemon; -1: all ranks are on this host. */
int run_pmix_hosts_fd(void);
/* Returns the name of this host in the layout. */
const char *run_pmix_hosts_self(void);

/*
 * Handles the frames that have arrived. Returns 0; -ECANCELED: the job ends;
 * -EPIPE: the daemon has exited; -EPROTO: invalid frame. Called by the main
 * thread.
 */
int run_pmix_hosts_read(void);

/*
 * For jobs that survive failures: fn is called for every exit of a rank on
 * another host, within run_pmix_hosts_read(). code: exit code of a rank that
 * has failed; 0: it has completed MPI_Finalize.
 */
void run_pmix_hosts_on_exit(void (*fn)(void *arg, int rank, int code),
			    void *arg);
/* Sends the exit of a rank of this host to the other hosts. */
void run_pmix_hosts_send_exit(int rank, int code);
/*
 * Notifies the other hosts that the exit code of this host does not end the
 * job.
 */
void run_pmix_hosts_send_survived(void);
/*
 * Notifies mpiexec that the failure of this host does not affect other jobs:
 * the ranks of this host have disconnected from them.
 */
void run_pmix_hosts_send_apart(void);
/* Notifies mpiexec that the ranks of this host have been started. */
void run_pmix_hosts_send_started(void);

/* Callbacks of the server. Called by the library's thread. */
pmix_status_t run_pmix_hosts_fence(const pmix_proc_t procs[], size_t nprocs,
				   char *data, size_t len,
				   pmix_modex_cbfunc_t done, void *arg);
pmix_status_t run_pmix_hosts_modex(const pmix_proc_t *proc,
				   pmix_modex_cbfunc_t done, void *arg);
/* Sends a request to mpiexec, and answers the rank when mpiexec answers. */
void run_pmix_hosts_spawn(struct run_spawn_request *q);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job as sent to a daemon: all data that it needs to start the ranks of its
 * host.
 */
#ifndef WEFT_RUN_DAEMON_JOB_H
#define WEFT_RUN_DAEMON_JOB_H

#include "src/tools/run/daemon/run_layout.h"

enum { RUN_DAEMON_KEY = 32, RUN_DAEMON_NSPACE = 64 };

struct run_daemon_job {
	char **words; /* command line of mpiexec, ends with NULL */
	char **env;   /* variables for the ranks, NAME=VALUE, ends with NULL */
	char *wdir;   /* working directory of mpiexec */
	char *nspace; /* name of the job, secret */
	char key[RUN_DAEMON_KEY];
	struct run_layout layout;
	int self; /* index of the daemon's host in the layout */
	/* whether processes on other hosts may connect to the ranks */
	bool network;
};

/* Writes the job for the host with this index. */
void run_daemon_job_write(const struct run_daemon_job *j, int self,
			  struct run_bytes *b);

/* Reads a job. Returns 0, -EPROTO or -ENOMEM; frees the job on error. */
int run_daemon_job_read(struct run_scan *s, struct run_daemon_job *j);

void run_daemon_job_free(struct run_daemon_job *j);

#endif

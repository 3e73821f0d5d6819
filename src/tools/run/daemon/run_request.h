/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request of a rank to start further processes, as a frame to mpiexec.
 */
#ifndef WEFT_RUN_REQUEST_H
#define WEFT_RUN_REQUEST_H

#include "src/tools/run/daemon/run_frame.h"
#include "src/tools/run/opts/run_hosts.h"

/* One program of the request. */
struct run_request_part {
	int n; /* number of processes, at least 1 */
	/* values of the keys host and hostfile; empty: not given */
	struct run_hosts hosts;
};

struct run_request {
	struct run_request_part *part;
	int nparts;
	/*
	 * command line of an mpiexec that starts the processes, without hosts;
	 * ends with NULL
	 */
	char **words;
	char **env; /* variables of the processes, NAME=VALUE, ends with NULL */
};

void run_request_write(const struct run_request *r, struct run_bytes *b);

/*
 * Reads a request. Returns 0, -EPROTO or -ENOMEM; frees the request on error.
 */
int run_request_read(struct run_scan *s, struct run_request *r);

void run_request_free(struct run_request *r);

#endif

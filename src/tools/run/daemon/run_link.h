/* SPDX-License-Identifier: BSD-3-Clause */
/* One host of a job, in mpiexec: its remote shell, frames, output and input. */
#ifndef WEFT_RUN_LINK_H
#define WEFT_RUN_LINK_H

#include "src/tools/run/daemon/run_daemon_job.h"

#include <sys/types.h>

/* Time between two pings in a job that survives failures. */
#define RUN_LINK_PING_NS UINT64_C(1000000000)

enum run_link_state {
	RUN_LINK_STARTING, /* the daemon has not answered yet */
	RUN_LINK_RUNNING,
	RUN_LINK_DONE, /* the daemon has sent the exit code */
	/* the connection was closed before the exit code arrived */
	RUN_LINK_LOST,
};

struct run_link {
	const char *name;
	enum run_link_state state;
	pid_t pid;  /* remote shell; 0: reaped */
	int status; /* status of waitpid() for the remote shell */
	struct run_channel channel;
	int code;	       /* exit code of the ranks */
	struct run_bytes line; /* incomplete line of output */
	bool wants_input;      /* whether the daemon can take input */
	bool lost_reported;
	bool survived; /* the exit code of this host does not end the job */
	uint64_t pinged_ns; /* time of the last ping */
	/* bytes that had arrived at the time of the last ping */
	uint64_t bytes_before;
	int unanswered; /* pings sent since the last bytes arrived */
};

/*
 * Starts the daemon of a host: through the remote shell, or directly on the
 * local host. agent: command of the remote shell, words separated by spaces.
 * Returns 0 or -errno.
 */
int run_link_start(struct run_link *h, const char *agent, bool here,
		   const sigset_t *mask);

/*
 * Reads until the daemon has answered. Returns 1: it has; 0: not yet; -EPIPE:
 * the connection is closed; -EPROTO: another version or another program has
 * answered, which is reported.
 */
int run_link_hello(struct run_link *h);

/*
 * Sends a ping, once a second. Returns whether the daemon has sent nothing
 * since `limit` pings; the number does not grow while mpiexec itself is
 * stopped.
 */
bool run_link_ping(struct run_link *h, uint64_t now, int limit);

/*
 * Writes output of the host's ranks, in whole lines. Returns 0, or -errno if
 * standard output cannot be written.
 */
int run_link_output(struct run_link *h, const char *data, size_t len);
/* Writes the rest of the output. */
int run_link_output_ends(struct run_link *h);

/* Reports why the daemon did not start, after its remote shell has exited. */
void run_link_report(const struct run_link *h, const char *agent);

#endif

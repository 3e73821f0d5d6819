/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that ranks of a job on several hosts spawn, in mpiexec. A request
 * arrives as a frame from the rank's host. A further mpiexec (run_nested.h)
 * starts the job on hosts of this job's list; the rank gets its answer when
 * the ranks have been started on all hosts, or the further mpiexec has ended.
 *
 *   first mpiexec -+- daemons of the job
 *                  '- further mpiexec --- daemons of the spawned job
 *
 * The further mpiexec gets the list of hosts in RUN_CHILDREN_VAR.
 */
#ifndef WEFT_RUN_CHILDREN_H
#define WEFT_RUN_CHILDREN_H

#include "src/tools/run/daemon/run_alloc.h"
#include "src/tools/run/daemon/run_layout.h"
#include "src/tools/run/job/run_nested.h"

/* Sends the answer to a request: a status of PMIx. */
typedef void (*run_children_fn)(void *arg, int host, uint32_t id, int status);

struct run_children {
	struct run_alloc alloc;
	struct run_child *child; /* array: `count` entries */
	int count;
	const struct run_opts *opts;
	sigset_t *sigmask;
	struct rlimit nofile;
	run_children_fn answer;
	void *arg; /* argument of answer */
};

/*
 * Initialises c, whose fields sigmask and nofile, for the further mpiexec, may
 * be set later. Returns 0 or -ENOMEM.
 */
int run_children_open(struct run_children *c, const struct run_opts *o,
		      const struct run_layout *own);
void run_children_close(struct run_children *c);

/*
 * Handles the request of a host, unless refused: then the rank gets an error.
 * Returns 0, -EPROTO or -ENOMEM.
 */
int run_children_request(struct run_children *c, int host, struct run_scan *s,
			 bool refused);

/*
 * Answers the requests whose jobs have been started. Called when
 * run_nested_fd() is readable.
 */
void run_children_started(struct run_children *c);

/*
 * Reaps a further mpiexec that has ended after its job was started. Returns
 * whether there was one, its status of waitpid(), and whether its failure does
 * not affect this job.
 */
bool run_children_reap(struct run_children *c, int *status_p, bool *apart_p);

#endif

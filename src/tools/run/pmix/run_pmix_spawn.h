/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of ranks to start further processes (PMIx_Spawn). */
#ifndef WEFT_RUN_PMIX_SPAWN_H
#define WEFT_RUN_PMIX_SPAWN_H

#include "src/tools/run/daemon/run_request.h"

#include <pmix_server.h>

struct run_spawn_request {
	struct run_request what;
	pmix_spawn_cbfunc_t done;
	void *arg;
};

/*
 * Converts the programs to a request. self: name of this host in the layout of
 * a job on several hosts; NULL: the processes can be started on this host only.
 * Returns PMIX_SUCCESS or an error; the request is freed by
 * run_pmix_spawn_answer().
 */
pmix_status_t run_pmix_spawn_request(const pmix_app_t apps[], size_t napps,
				     const char *self, pmix_spawn_cbfunc_t done,
				     void *arg,
				     struct run_spawn_request **request_p);

/* Answers the rank, and frees the request. */
void run_pmix_spawn_answer(struct run_spawn_request *q, pmix_status_t status);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of ranks to start further processes (PMIx_Spawn). */
#ifndef WEFT_RUN_PMIX_SPAWN_H
#define WEFT_RUN_PMIX_SPAWN_H

#include <pmix_server.h>

struct run_spawn_request {
	char **words; /* command line of an mpiexec that starts the processes */
	char **env;   /* variables of the new processes, NAME=VALUE */
	pmix_spawn_cbfunc_t done;
	void *arg;
};

/*
 * Converts the programs to a request. Returns PMIX_SUCCESS or an error; the
 * request is freed by run_pmix_spawn_answer().
 */
pmix_status_t run_pmix_spawn_request(const pmix_app_t apps[], size_t napps,
				     pmix_spawn_cbfunc_t done, void *arg,
				     struct run_spawn_request **request_p);

/* Answers the rank: err is 0 or -errno. Frees the request. */
void run_pmix_spawn_answer(struct run_spawn_request *q, int err);

#endif

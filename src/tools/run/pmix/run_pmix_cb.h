/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks for the PMIx server library; used by run_pmix.c. */
#ifndef WEFT_RUN_PMIX_CB_H
#define WEFT_RUN_PMIX_CB_H

#include <pmix_server.h>

/* Opens the event pipe for clients of the namespace. Returns 0 or -errno. */
int run_pmix_cb_open(const char *nspace);
pmix_server_module_t *run_pmix_module(void);

struct run_job;

/* Queries about the process sets of the job (run_pmix_query.c). */
void run_pmix_query_open(const struct run_job *of);
pmix_status_t run_pmix_query(pmix_proc_t *proc, pmix_query_t *queries,
			     size_t nqueries, pmix_info_cbfunc_t done,
			     void *arg);

#endif

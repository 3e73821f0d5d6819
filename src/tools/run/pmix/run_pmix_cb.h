/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks for the PMIx server library; used by run_pmix.c. */
#ifndef WEFT_RUN_PMIX_CB_H
#define WEFT_RUN_PMIX_CB_H

#include <pmix_server.h>

/* Opens the event pipe for clients of the namespace. Returns 0 or -errno. */
int run_pmix_cb_open(const char *nspace);
pmix_server_module_t *run_pmix_module(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors a rank runs on. run_bind_open() loads the topology once;
 * ranks get it as XML in a memfd and need not look for themselves.
 *
 * Without a word from the user: one rank to a core while they fit, one to a
 * hardware thread while those fit, and no binding when the ranks outnumber
 * the usable processors.
 */
#ifndef WEFT_RUN_BIND_H
#define WEFT_RUN_BIND_H

#include "src/run/run_opts.h"

#include <sched.h>
#include <sys/types.h>

struct run_cpuset {
	cpu_set_t *set;
	size_t size; /* bytes */
};

struct run_bind;

/*
 * Loads the topology (synthetic: an hwloc description instead of the host,
 * for tests; NULL) and decides the place of each of n ranks. cpus: how many
 * are usable. 0 or -errno; says why.
 */
int run_bind_open(const struct run_place *p, int n, int cpus,
		  const char *synthetic, struct run_bind **b_p);
void run_bind_close(struct run_bind *b);

/* The processors of a rank; NULL: it is not bound. */
const struct run_cpuset *run_bind_of(const struct run_bind *b, int rank);

/* The topology, for the PMIx server; and as XML in a memfd, -1: none. */
void *run_bind_topology(const struct run_bind *b);
int run_bind_xml(const struct run_bind *b);

/* Bytes of a core's second cache; 0: not known. */
size_t run_bind_cache(const struct run_bind *b);

/* Where a process really is, e.g. "core 1, cpus 2-3". Freed by the caller. */
char *run_bind_text(const struct run_bind *b, pid_t pid);

#endif

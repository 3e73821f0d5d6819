/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors on which a rank runs. run_bind_open() loads the topology once;
 * ranks get the topology as XML in a memfd and need not discover it.
 *
 * By default one rank is bound to each core while there are enough cores, else
 * one to each hardware thread, and no rank is bound if there are more ranks
 * than usable processors.
 */
#ifndef WEFT_RUN_BIND_H
#define WEFT_RUN_BIND_H

#include "src/tools/run/opts/run_opts.h"

#include <sched.h>
#include <sys/types.h>

struct run_cpuset {
	cpu_set_t *set;
	size_t size; /* size of the mask in bytes */
};

struct run_bind;

/*
 * Loads the topology (synthetic: an hwloc description in place of the host, for
 * tests, or NULL) and places n ranks. cpus: number of usable processors.
 * Returns 0, or -errno and reports the reason on stderr.
 */
int run_bind_open(const struct run_place *p, int n, int cpus,
		  const char *synthetic, struct run_bind **b_p);
void run_bind_close(struct run_bind *b);

/* Returns the processors of a rank; NULL: the rank is not bound. */
const struct run_cpuset *run_bind_of(const struct run_bind *b, int rank);

/*
 * run_bind_topology() returns the topology for the PMIx server; run_bind_xml()
 * returns a memfd with the topology as XML, or -1.
 */
void *run_bind_topology(const struct run_bind *b);
int run_bind_xml(const struct run_bind *b);

/* Returns the size of a core's second-level cache in bytes; 0: unknown. */
size_t run_bind_cache(const struct run_bind *b);

/*
 * Returns the actual binding of a process, for example "core 1, cpus 2-3".
 * Freed by the caller.
 */
char *run_bind_text(const struct run_bind *b, pid_t pid);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts of a job and their ranks, in blocks: the first host has the first
 * ranks. mpiexec computes the layout from the list of hosts and sends it to
 * each of its daemons.
 */
#ifndef WEFT_RUN_LAYOUT_H
#define WEFT_RUN_LAYOUT_H

#include "src/tools/run/daemon/run_frame.h"
#include "src/tools/run/opts/run_opts.h"

struct run_layout_host {
	char *name;
	int first; /* first rank */
	int count; /* number of ranks, at least 1 */
};

struct run_layout {
	struct run_layout_host *host;
	int nhosts;
	int nranks;
};

/*
 * Distributes the ranks: a host gets as many as it has slots, or as many as
 * -ppn specifies. If there are more ranks than slots, the ranks are distributed
 * in proportion to the slots. Hosts without ranks are left out. Returns 0 or
 * -ENOMEM.
 */
int run_layout_make(const struct run_hosts *hosts, int ppn, int nranks,
		    struct run_layout *l);

/* Returns the index of the host of a rank; -1: no such rank. */
int run_layout_host_of(const struct run_layout *l, int rank);

void run_layout_write(const struct run_layout *l, struct run_bytes *b);
/* Reads a layout. Returns 0, -EPROTO or -ENOMEM. */
int run_layout_read(struct run_scan *s, struct run_layout *l);

/*
 * Return the names of all hosts, "a,b", and their ranks, "0,1;2,3", for PMIx;
 * NULL: no memory. Freed by the caller.
 */
char *run_layout_names(const struct run_layout *l);
char *run_layout_ranks(const struct run_layout *l);

void run_layout_free(struct run_layout *l);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Computing the groups of MPI_Comm_split. */
#ifndef WEFT_COMM_SPLIT_H
#define WEFT_COMM_SPLIT_H

#include "src/comm/comm.h"

/* Arguments that one rank passes to MPI_Comm_split. */
struct weft_split {
	int color;
	int key;
	int rank;
};

/* Gathers the arguments of all ranks of the local group into all[]. */
int weft_split_gather(struct weft_comm *c, int color, int key,
		      struct weft_split *all);
/*
 * Returns the group of those members of `of` that have this color, ordered by
 * key; NULL: out of memory.
 */
struct weft_group *weft_split_group(const struct weft_split *all,
				    const struct weft_group *of, int color);

#endif

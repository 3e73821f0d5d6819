/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of MPI_Comm_split. */
#ifndef WEFT_COMM_SPLIT_H
#define WEFT_COMM_SPLIT_H

#include "src/comm/comm.h"

/* Arguments of MPI_Comm_split on one rank. */
struct weft_split {
	int color;
	int key;
	int rank;
};

/* Gathers the arguments of all ranks of the local group. */
int weft_split_gather(struct weft_comm *c, int color, int key,
		      struct weft_split *all);
/*
 * Returns the members of `of` with one color, ordered by key; NULL: no memory.
 */
struct weft_group *weft_split_group(const struct weft_split *all,
				    const struct weft_group *of, int color);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is in which part of a split. */
#ifndef WEFT_CORE_SPLIT_H
#define WEFT_CORE_SPLIT_H

#include "src/core/core_comm.h"

/* What every rank says in a split. */
struct weft_split {
	int color;
	int key;
	int rank;
	int proc;
};

/* Everybody's words on my side; all has room for c->size. */
int weft_split_gather(struct weft_comm *c, int color, int key,
		      struct weft_split *all);
/* Those of one color, ordered by key; NULL: no memory. */
struct weft_group *weft_split_group(const struct weft_split *all, int n,
				    int color);

#endif

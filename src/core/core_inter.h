/* SPDX-License-Identifier: BSD-3-Clause */
/* Between core_make.c and core_inter.c. */
#ifndef WEFT_CORE_INTER_H
#define WEFT_CORE_INTER_H

#include "src/core/core_small.h"

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

/* The next collective on c. */
struct weft_small weft_small_of(struct weft_comm *c);
int weft_make_tag(const char *text);

/*
 * The members of both groups in an order that both sides see alike; fills the
 * scratch communicator over them. To be freed; NULL: no memory.
 */
int *weft_inter_members(const struct weft_group *a, const struct weft_group *b,
			struct weft_comm *scratch, uint64_t ctx);

/* From agreed ids: the intercommunicator and its side's own. */
int weft_inter_create(struct weft_comm *parent, struct weft_group *group,
		      struct weft_group *remote, const unsigned *ids,
		      struct weft_comm **comm_p);
int weft_inter_subset(struct weft_comm *c, struct weft_group *g,
		      struct weft_comm **comm_p);
int weft_inter_split(struct weft_comm *c, int color, int key,
		     struct weft_comm **comm_p);

#endif

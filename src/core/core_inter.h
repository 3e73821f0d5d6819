/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intercommunicators. Collective over the members as MPI says; arguments have
 * been checked. 0 or -errno.
 */
#ifndef WEFT_CORE_INTER_H
#define WEFT_CORE_INTER_H

#include "src/core/core_channel.h"

/* An intercommunicator: leaders know each other. */
struct weft_make_inter {
	struct weft_group *group; /* my side */
	int leader;		  /* rank in it */
	struct weft_comm *peer;	  /* leader only: where the other leader is */
	unsigned flags;		  /* WEFT_P2P_ for the leaders' messages */
	int remote;		  /* its rank there */
	int tag;
	struct weft_channel *local; /* how my side talks; used by all */
};
int weft_make_inter(const struct weft_make_inter *i, struct weft_comm *parent,
		    struct weft_comm **comm_p);
int weft_make_merge(struct weft_comm *c, int high, struct weft_comm **comm_p);

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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of intercommunicators. The functions are collective over the
 * members, as MPI specifies; the caller has checked the arguments. They return
 * 0 or -errno.
 */
#ifndef WEFT_COMM_INTER_H
#define WEFT_COMM_INTER_H

#include "src/comm/comm_channel.h"

/*
 * Arguments for creating an intercommunicator from two groups whose leaders can
 * communicate.
 */
struct weft_make_inter {
	struct weft_group *group;
	int leader; /* rank of the leader in `group` */
	/* leader only: communicator with the remote leader */
	struct weft_comm *peer;
	unsigned flags; /* WEFT_P2P_ flags of the leaders' messages */
	int remote;	/* rank of the remote leader in `peer` */
	int tag;
	/* channel of the local group, used by all its members */
	struct weft_channel *local;
};
int weft_make_inter(const struct weft_make_inter *i, struct weft_comm *parent,
		    struct weft_comm **comm_p);
int weft_make_merge(struct weft_comm *c, int high, struct weft_comm **comm_p);

/*
 * Returns a list of the members of both groups, in an order that is the same on
 * both sides, and initializes the scratch communicator over them. The caller
 * must free the list; NULL: out of memory.
 */
int *weft_inter_members(const struct weft_group *a, const struct weft_group *b,
			struct weft_comm *scratch, uint64_t ctx);

/*
 * Creates the intercommunicator, and the intracommunicator of its local group,
 * with the ids on which the members have agreed.
 */
int weft_inter_create(struct weft_comm *parent, struct weft_group *group,
		      struct weft_group *remote, const unsigned *ids,
		      struct weft_comm **comm_p);
int weft_inter_subset(struct weft_comm *c, struct weft_group *g,
		      struct weft_comm **comm_p);
int weft_inter_split(struct weft_comm *c, int color, int key,
		     struct weft_comm **comm_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All the ways to make communicators, for src/mpi. Collective over the
 * members as MPI says; arguments have been checked. 0 or -errno.
 */
#ifndef WEFT_CORE_MAKE_H
#define WEFT_CORE_MAKE_H

#include "src/core/core_comm.h"

struct weft_req;
struct weft_small;

/* Also intercommunicators; group g is my local group's part. */
int weft_make_create(struct weft_comm *c, struct weft_group *g,
		     struct weft_comm **comm_p);
/* Collective over g only. */
int weft_make_group(struct weft_comm *c, struct weft_group *g, int tag,
		    struct weft_comm **comm_p);
int weft_make_from_group(struct weft_group *g, const char *stringtag,
			 struct weft_comm **comm_p);

/* MPI_Comm_idup: ready() is called when the context is agreed on; it may
 * finish *comm_p. */
int weft_make_iclone(struct weft_comm *c,
		     void (*ready)(void *arg, struct weft_comm *made),
		     void *arg, struct weft_req **req_p);

/* An intercommunicator: leaders know each other. */
struct weft_make_inter {
	struct weft_group *group; /* my side */
	int leader;		  /* rank in it */
	struct weft_comm *peer;	  /* leader only: where the other leader is */
	unsigned flags;		  /* WEFT_P2P_ for the leaders' messages */
	int remote;		  /* its rank there */
	int tag;
	struct weft_small *local; /* how my side talks; used by all */
};
int weft_make_inter(const struct weft_make_inter *i, struct weft_comm *parent,
		    struct weft_comm **comm_p);
int weft_make_merge(struct weft_comm *c, int high, struct weft_comm **comm_p);

#endif

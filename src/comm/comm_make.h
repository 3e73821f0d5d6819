/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation of intracommunicators, and of copies and subsets of communicators of
 * both kinds. The functions are collective over the members, as MPI specifies;
 * the caller has checked the arguments. They return 0 or -errno.
 */
#ifndef WEFT_COMM_MAKE_H
#define WEFT_COMM_MAKE_H

#include "src/comm/comm.h"

struct weft_req;

/* Implements MPI_Comm_create; g is a subset of the local group. */
int weft_make_create(struct weft_comm *c, struct weft_group *g,
		     struct weft_comm **comm_p);
/* Implements MPI_Comm_create_group; it is collective over g only. */
int weft_make_group(struct weft_comm *c, struct weft_group *g, int tag,
		    struct weft_comm **comm_p);
int weft_make_from_group(struct weft_group *g, const char *stringtag,
			 struct weft_comm **comm_p);

/*
 * Implements MPI_Comm_idup. ready() is called when the members have agreed on
 * the context; it may set attributes and info of the new communicator.
 */
int weft_make_iclone(struct weft_comm *c,
		     void (*ready)(void *arg, struct weft_comm *made),
		     void *arg, struct weft_req **req_p);

/* Returns a hash of the text, for use as the tag of an agreement. */
int weft_make_tag(const char *text);

/*
 * Implement MPI_Comm_split and MPI_Comm_dup without their argument checks;
 * collective. They are used by topologies and other code that derives
 * communicators. *comm_p is NULL if color is MPI_UNDEFINED. Return 0 or -errno.
 */
int weft_comm_split(struct weft_comm *c, int color, int key,
		    struct weft_comm **comm_p);

/*
 * Creates a communicator with c's groups and a new context, without c's
 * attributes and info.
 */
int weft_comm_clone(struct weft_comm *c, struct weft_comm **comm_p);
/* Creates two copies of an intracommunicator by one agreement. */
int weft_comm_clone_two(struct weft_comm *c, struct weft_comm *made[2]);

/*
 * Creates a communicator over the given ranks of c's group, in this order;
 * collective over c. *comm_p is NULL in processes that are not members.
 */
int weft_comm_subset(struct weft_comm *c, const int *ranks, int n,
		     struct weft_comm **comm_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: immutable lists of processes, identified by their index in the job
 * (the rank in MPI_COMM_WORLD).
 */
#ifndef WEFT_COMM_GROUP_H
#define WEFT_COMM_GROUP_H

#include "src/types/types_obj.h"

#include <mpi.h>
#include <stdbool.h>

struct weft_session; /* comm_session.h */

struct weft_group {
	struct weft_obj obj;
	/* session of the group, with one reference; NULL: world model */
	struct weft_session *session;
	int size;
	int rank;   /* rank of this process, or MPI_UNDEFINED */
	int proc[]; /* index in the job of each member, by rank */
};

struct weft_group *weft_group_of(MPI_Group handle);

/* Allocates a group; the caller fills proc[] and calls weft_group_ready(). */
struct weft_group *weft_group_new(int size);
void weft_group_ready(struct weft_group *g); /* sets the rank of this process */
void weft_group_put(struct weft_group *g);

static inline struct weft_group *weft_group_get(struct weft_group *g)
{
	weft_obj_get(&g->obj);
	return g;
}

/*
 * Makes g a group of session s (NULL: world model). MPI_GROUP_EMPTY belongs to
 * no session.
 */
void weft_group_set_session(struct weft_group *g, struct weft_session *s);
/* Returns whether the groups belong to different sessions. */
bool weft_group_is_mixed(const struct weft_group *a,
			 const struct weft_group *b);

int weft_group_rank_of(const struct weft_group *g, int proc);

#endif

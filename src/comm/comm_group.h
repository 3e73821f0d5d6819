/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: immutable lists of processes, identified by their index in the job
 * (the rank in MPI_COMM_WORLD).
 */
#ifndef WEFT_COMM_GROUP_H
#define WEFT_COMM_GROUP_H

#include "src/types/types_obj.h"

#include <mpi.h>

struct weft_group {
	struct weft_obj obj;
	int size;
	int rank;   /* rank of this process, or MPI_UNDEFINED */
	int proc[]; /* index in the job, for each rank */
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

int weft_group_rank_of(const struct weft_group *g, int proc);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few collective steps that making a communicator needs, before it has
 * collectives of its own. They run over a communicator, or over a scratch one
 * that only lends its list of processes and a context.
 */
#ifndef WEFT_CORE_SMALL_H
#define WEFT_CORE_SMALL_H

#include "src/core/core_comm.h"

/* Whom to talk to, in which context, under which tag. */
struct weft_small {
	struct weft_comm *over;
	unsigned flags; /* WEFT_P2P_COLL or WEFT_P2P_GROUP */
	int tag;
};

/* Fills s so that it can carry messages: rank i is proc[i], I am rank. */
void weft_small_scratch(struct weft_comm *s, uint64_t ctx, const int *proc,
			int n, int rank);

int weft_small_bcast(const struct weft_small *m, int root, void *buf,
		     size_t bytes);

/* all has room for everybody's bytes; mine are at my place. */
int weft_small_allgather(const struct weft_small *m, void *all, size_t bytes);

/* Sends a and receives b, between two ranks that call this at each other. */
int weft_small_swap(const struct weft_small *m, int peer, const void *a,
		    size_t a_bytes, void *b, size_t b_bytes);

#endif

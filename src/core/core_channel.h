/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A channel: whom to talk to, in which context, under which tag; and the few
 * collective steps over one, by plain messages, that making a communicator
 * needs before it has collectives of its own. It runs over a communicator, or
 * over a scratch one that only lends its list of processes and a context.
 */
#ifndef WEFT_CORE_CHANNEL_H
#define WEFT_CORE_CHANNEL_H

#include "src/core/core_comm.h"

struct weft_channel {
	struct weft_comm *over;
	unsigned flags; /* WEFT_P2P_COLL or WEFT_P2P_GROUP */
	int tag;
};

/* Of the next collective on c. */
struct weft_channel weft_channel_of(struct weft_comm *c);

/* Fills s so that it can carry messages: rank i is proc[i], I am rank. */
void weft_channel_scratch(struct weft_comm *s, uint64_t ctx, const int *proc,
			  int n, int rank);

int weft_channel_bcast(const struct weft_channel *m, int root, void *buf,
		       size_t bytes);

/* all has room for everybody's bytes; mine are at my place. */
int weft_channel_allgather(const struct weft_channel *m, void *all,
			   size_t bytes);

/* Sends a and receives b, between two ranks that call this at each other. */
int weft_channel_swap(const struct weft_channel *m, int peer, const void *a,
		      size_t a_bytes, void *b, size_t b_bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A channel: communicator, context and tag for internal messages; and the few
 * collective steps over a channel, by point-to-point messages, that creating a
 * communicator needs before the new communicator has collectives. A channel
 * uses a communicator, or a scratch one that only provides a list of processes
 * and a context.
 */
#ifndef WEFT_COMM_CHANNEL_H
#define WEFT_COMM_CHANNEL_H

#include "src/comm/comm.h"

struct weft_channel {
	struct weft_comm *over;
	unsigned flags; /* WEFT_P2P_COLL or WEFT_P2P_GROUP */
	int tag;
};

/* Returns a channel with the tag of the next collective on c. */
struct weft_channel weft_channel_of(struct weft_comm *c);

/*
 * Fills s so that messages can be sent over it: rank i is proc[i], this process
 * is rank.
 */
void weft_channel_scratch(struct weft_comm *s, uint64_t ctx, const int *proc,
			  int n, int rank);

int weft_channel_bcast(const struct weft_channel *m, int root, void *buf,
		       size_t bytes);

/*
 * all has space for the bytes of every rank; this rank's bytes are at its
 * index.
 */
int weft_channel_allgather(const struct weft_channel *m, void *all,
			   size_t bytes);

/* Sends a and receives b, between two ranks that both call this function. */
int weft_channel_swap(const struct weft_channel *m, int peer, const void *a,
		      size_t a_bytes, void *b, size_t b_bytes);

#endif

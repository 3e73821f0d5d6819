/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: a channel is a communicator, context and tag for internal messages.
 * Creating a communicator needs a few collective operations before the new
 * communicator can execute collectives; this file implements these operations
 * by point-to-point messages over a channel. A channel uses a communicator, or
 * a scratch communicator that only provides a list of processes and a context.
 */
#ifndef WEFT_COMM_CHANNEL_H
#define WEFT_COMM_CHANNEL_H

#include "src/comm/comm.h"
#include "src/msg/msg_p2p.h"

struct weft_channel {
	struct weft_comm *comm;
	unsigned flags; /* WEFT_P2P_COLL or WEFT_P2P_GROUP */
	int tag;
};

/* Returns a channel with the tag of the next collective on c. */
struct weft_channel weft_channel_of(struct weft_comm *c);

/*
 * Initializes the scratch communicator s: the process with rank i is proc[i],
 * and this process has rank `rank`.
 */
void weft_channel_scratch(struct weft_comm *s, uint64_t ctx, const int *proc,
			  int n, int rank);

struct weft_p2p_args weft_channel_args(const struct weft_channel *m,
				       const void *buf, size_t bytes, int peer);

int weft_channel_bcast(const struct weft_channel *m, int root, void *buf,
		       size_t bytes);

/*
 * Gathers `bytes` bytes from every rank into `all`, in rank order; the caller
 * has already stored the bytes of this rank there.
 */
int weft_channel_allgather(const struct weft_channel *m, void *all,
			   size_t bytes);

/*
 * Sets *flag_p to the logical OR of the flags of all ranks. No rank returns
 * before all ranks have called the function.
 */
int weft_channel_any(const struct weft_channel *m, bool *flag_p);

/* Sends a to the peer and receives b from it; both ranks call this function. */
int weft_channel_swap(const struct weft_channel *m, int peer, const void *a,
		      size_t a_bytes, void *b, size_t b_bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of chained events over the members of a group, for units whose events
 * start packets. The engine uses them where the network cannot multicast to
 * the group (grp_chain.c).
 *
 *   open -> [slot, broadcast, received | arrive, passed]* -> close
 *
 * Broadcast: a packet goes from its sender to the root of the tree, then to
 * all members. At each member an event counts the packet and starts the
 * packets to its children. Synchronisation: every member arrives once at a
 * point. At each member an event counts the member and its children and starts
 * the packet to the parent; the root then releases all members by a broadcast.
 * The units do this work alone, in their polls.
 *
 * Packets have sequence numbers from 0, equal at all members. The slot of a
 * packet is reused WEFT_CHAIN_SLOTS packets later; the caller ensures that
 * every member has received the packet by then. A member arrives at a point
 * only after it has passed the previous one.
 */
#ifndef WEFT_MACHINE_CHAIN_H
#define WEFT_MACHINE_CHAIN_H

#include "src/tree/tree.h"

struct weft_peer;
struct weft_unit;

#define WEFT_CHAIN_SLOTS 32
#define WEFT_CHAIN_SHORT 128  /* maximum bytes of a short packet */
#define WEFT_CHAIN_LONG	 2048 /* maximum bytes of a long packet */

enum weft_chain_point {
	WEFT_CHAIN_BARRIER,
	WEFT_CHAIN_CREDIT,
	WEFT_CHAIN_POINTS,
};

struct weft_chain_attr {
	uint64_t key; /* key of the group, equal at all members */
	const struct weft_tree *tree;
	int me;
	struct weft_peer *const
		*member; /* peers of the members; member[me] is unused */
};

struct weft_chain_ops;

/* Must be the first field of a unit's chain object. */
struct weft_chain {
	const struct weft_chain_ops *ops;
};

struct weft_chain_ops {
	/*
	 * Every member opens its chain before any packet is sent. -ENOMEM;
	 * -EOPNOTSUPP: more children than one event can serve.
	 */
	int (*open)(struct weft_unit *u, const struct weft_chain_attr *attr,
		    struct weft_chain **c_p);
	/* Packets that arrive after close are refused. */
	void (*close)(struct weft_chain *c);
	/* Returns the slot of packet seq (WEFT_CHAIN_LONG bytes) to fill. */
	void *(*slot)(struct weft_chain *c, uint64_t seq);
	/*
	 * Sends `bytes` of the slot to all members. Returns 0, -EAGAIN or
	 * another -errno.
	 */
	int (*broadcast)(struct weft_chain *c, uint64_t seq, size_t bytes);
	/* Returns the number of packets received in this slot so far. */
	uint64_t (*received)(const struct weft_chain *c, uint64_t seq);
	/* Arrives at the next point of this kind. Returns 0 or -EAGAIN. */
	int (*arrive)(struct weft_chain *c, enum weft_chain_point p);
	/* Returns the number of points that all members have passed. */
	uint64_t (*passed)(const struct weft_chain *c, enum weft_chain_point p);
	/* Forwards received packets. Returns whether none is left. */
	bool (*run)(struct weft_chain *c);
	/*
	 * Returns the number of commands that events of this unit have started,
	 * for all chains.
	 */
	uint64_t (*started)(const struct weft_unit *u);
};

#endif

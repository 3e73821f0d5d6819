/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of chained events over the members of a group: what a unit whose
 * events start packets has to offer. The engine uses them where the network
 * itself cannot reach the group at once (nic_coll_chain.c).
 *
 *   open -> [place, cast, came | arrive, passed]* -> close
 *
 * A packet goes from whoever casts it to the root of the tree and from there to
 * all: at each member an event counts it and starts the packets to those below.
 * At a point every member arrives once: at each member an event counts him and
 * those below him and starts the packet up; the root tells all likewise. On the
 * way the units alone have work, in their polls.
 *
 * Packets have numbers, from 0 on and by all alike. The place of one is used
 * again WEFT_CHAIN_PLACES later: the caller knows by then that everybody has
 * taken it. A member arrives at a point after he has passed the one before.
 */
#ifndef WEFT_PROV_NIC_CHAIN_H
#define WEFT_PROV_NIC_CHAIN_H

#include "prov/nic/cu/cu_tree.h"

struct weft_peer;
struct weft_unit;

#define WEFT_CHAIN_PLACES 32
#define WEFT_CHAIN_SHORT  128  /* bytes of a short packet */
#define WEFT_CHAIN_LONG	  2048 /* and of a long one */

enum weft_chain_point {
	WEFT_CHAIN_BARRIER,
	WEFT_CHAIN_CREDIT,
	WEFT_CHAIN_POINTS,
};

struct weft_chain_attr {
	uint64_t key; /* the group's name, the same for all */
	const struct weft_cu_tree *tree;
	int me;
	struct weft_peer *const *member; /* member[me] is not looked at */
};

struct weft_chain_ops;

/* First member of a unit's object. */
struct weft_chain {
	const struct weft_chain_ops *ops;
};

struct weft_chain_ops {
	/*
	 * All members open theirs before anything is cast. -ENOMEM;
	 * -EOPNOTSUPP: more members below this one than an event can start.
	 */
	int (*open)(struct weft_unit *u, const struct weft_chain_attr *attr,
		    struct weft_chain **c_p);
	/* What comes for it later is refused. */
	void (*close)(struct weft_chain *c);
	/* WEFT_CHAIN_LONG bytes, which the caster fills. */
	void *(*place)(struct weft_chain *c, uint64_t seq);
	/* So many of them go to all. -EAGAIN; -errno. */
	int (*cast)(struct weft_chain *c, uint64_t seq, size_t bytes);
	/* How many packets have come to its place here, so far. */
	uint64_t (*came)(const struct weft_chain *c, uint64_t seq);
	/* -EAGAIN. */
	int (*arrive)(struct weft_chain *c, enum weft_chain_point p);
	/* How many points of that kind all have been at. */
	uint64_t (*passed)(const struct weft_chain *c, enum weft_chain_point p);
	/* Goes on with what has come; true: all of that has left here. */
	bool (*run)(struct weft_chain *c);
	/* Commands that events of this unit have started, of all chains. */
	uint64_t (*started)(const struct weft_unit *u);
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of the engine: groups that endpoints join, and operations on
 * them. They have two implementations: the collective unit over shared areas (a
 * class route), and, without a route, the same tree by messages.
 *
 *   join -> joined() -> [coll]* -> leave        on all members alike
 *
 * Joining is itself a collective: members exchange their free routes, their
 * nodes, and whether they can access each other's memory.
 */
#ifndef WEFT_GRP_H
#define WEFT_GRP_H

#include "prov/group/cunit/cunit.h"
#include "src/base/list.h"

struct weft_cunit_exact;
struct weft_nic;
struct weft_nic_op;
struct weft_peer;

/* A group. */
struct weft_nic_group;

struct weft_nic_group_attr {
	/* peers of the members, in the order of their indices */
	struct weft_peer *const *member;
	int n;
	int me;	       /* index of this member; member[me] is not used */
	bool no_route; /* use messages only */
	uint64_t key;  /* distinguishes groups of the same members, or 0 */
	/* called once, from a poll or from join itself; err 0 or -errno */
	void (*joined)(void *arg, struct weft_nic_group *c, int err);
	void *arg;
};

/*
 * An operation in the caller's memory, which must stay valid until complete is
 * set or done was called. The caller sets the arguments of the call, done and
 * oversubscribed; the other fields belong to the engine.
 */
struct weft_grp_work {
	struct weft_coll_call call; /* the first field: struct fi_weft_work */
	/* completion callback; NULL: the caller polls complete */
	void (*done)(struct weft_grp_work *w);
	bool complete;
	bool oversubscribed; /* spin less; may be set by weft_grp_begin */
	/* fields that the engine uses */
	struct weft_nic_group *coll;
	struct weft_cunit_exact *wide; /* wide accumulators of an exact sum */
	double *out;
	size_t count;
	/* fields for long vectors: grp_long.c */
	struct weft_list link;
	bool is_long;
	uint8_t phase;
	uint64_t number; /* sequence number among the group's long vectors */
	int from;	 /* owner of the slice that is fetched */
	size_t at;	 /* bytes of the current phase done so far */
	size_t end;
};

/* Result of a join. */
struct weft_nic_group_info {
	int route;   /* class route, or -1: by messages */
	int barrier; /* barrier class, or -1: barriers use the route */
	int depth;
	int members;
	bool bulk;    /* long vectors use DMA between the members' memories */
	uint8_t form; /* enum weft_cunit_form of barriers on the route */
	int levels;   /* levels of the tree in descriptors; 0: none */
	/* packets that this member has sent on the descriptor tree */
	uint64_t described;
	/*
	 * longest vector, bytes; callers send longer ones as messages; 0: no
	 * limit
	 */
	size_t most;
	uint64_t atomics; /* atomics of this member on arrival counters */
};

/* Starts a join. -ENOMEM; -EINVAL; -ECONNRESET: a member is dead. */
int weft_nic_join(struct weft_nic *nic, const struct weft_nic_group_attr *attr,
		  struct weft_nic_group **c_p);
/*
 * Leaves a group, in which this member may have no pending operation. Not
 * collective; never blocks.
 */
void weft_nic_leave(struct weft_nic_group *c);
/*
 * Fails all pending and later operations, or the join, with err (-errno), at
 * all members.
 */
void weft_nic_group_fail(struct weft_nic_group *c, int err);
void weft_nic_group_info(const struct weft_nic_group *c,
			 struct weft_nic_group_info *info);

/*
 * Posts this member's contribution to an operation and spins for its
 * completion. The caller has set work->done and the input fields of work->call,
 * except done; a barrier needs only its kind. Type WEFT_COLL_EXACT sums
 * doubles with one rounding. work->complete reports completion, possibly before
 * the call returns; more polls make that more likely in a small group. -ENOMEM;
 * -EOPNOTSUPP: type not supported; -EAGAIN: not joined yet. On error work
 * belongs to the caller.
 */
int weft_grp_begin(struct weft_nic_group *c, struct weft_grp_work *work,
		   unsigned polls);
/*
 * Like weft_grp_begin(), but completes op by up->done; the completion's data
 * contains the flags WEFT_NUM_NAN and WEFT_NUM_OVERFLOW.
 */
int weft_grp_post(struct weft_nic_group *c, struct weft_nic_op *op,
		  const struct weft_coll_call *call);
/*
 * Spins `polls` times on work, polling nothing else; returns whether it is
 * complete.
 */
bool weft_grp_spin(struct weft_grp_work *work, unsigned polls);
/*
 * Checks work for completion after the endpoint has blocked for it in virtual
 * time.
 */
void weft_grp_poll_woken(struct weft_grp_work *work, int budget);
/*
 * Returns whether the group has more members than processors, so that waiting
 * members must yield to the others.
 */
bool weft_grp_oversubscribed(const struct weft_nic_group *c);

#endif

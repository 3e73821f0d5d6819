/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of the engine: groups that endpoints join, and operations on
 * them. Below are two ways: the collective unit over shared areas (a class
 * route), and the same tree by messages where there is none.
 *
 *   join -> joined() -> [coll]* -> leave        on all members alike
 *
 * Joining is itself a collective: members tell each other which routes they
 * have free, where they are, and whether they can reach each other's memory.
 */
#ifndef WEFT_PROV_NIC_COLL_H
#define WEFT_PROV_NIC_COLL_H

#include "prov/nic/cu/cu.h"
#include "src/base/list.h"

struct weft_cu_exact;
struct weft_nic;
struct weft_nic_op;
struct weft_peer;

/* A group. */
struct weft_nic_group;

struct weft_nic_group_attr {
	struct weft_peer *const *member; /* in the order of the set */
	int n;
	int me;	       /* member[me] is not looked at */
	bool no_route; /* by messages only */
	uint64_t key;  /* tells groups of the same members apart, or 0 */
	/* called once, from a poll or from join itself; err 0 or -errno */
	void (*joined)(void *arg, struct weft_nic_group *c, int err);
	void *arg;
};

/*
 * An operation in the caller's memory, which he keeps until over is set or
 * done was called. What is below the line belongs to the engine.
 */
struct weft_nic_coll_work {
	void (*done)(
		struct weft_nic_coll_work *w); /* NULL: over is looked at */
	bool over;
	bool crowd; /* looking long is in vain; begin may set it, too */
	/* ---- */
	struct weft_nic_group *coll;
	struct weft_cu_call call;   /* err and flags are the result */
	struct weft_cu_exact *wide; /* of an exact sum */
	double *out;
	size_t count;
	/* of a long vector: nic_coll_long.c */
	struct weft_list link;
	bool is_long;
	uint8_t phase;
	uint64_t number; /* of the group's long ones */
	int from;	 /* whose slice is fetched */
	size_t at;	 /* bytes done */
	size_t end;
};

/* What became of a join. */
struct weft_nic_group_info {
	int route;   /* class route, or -1: by messages */
	int barrier; /* barrier class, or -1: they take the route */
	int depth;   /* hops to the root of the tree */
	int members;
	bool flat;	    /* few enough to read each other's contributions */
	bool bulk;	    /* long vectors go straight between the memories */
	uint8_t form;	    /* enum weft_cu_form, of barriers on the route */
	int levels;	    /* of the tree of descriptors; 0: there is none */
	uint64_t described; /* packets of this member that went by it */
	size_t most; /* longer vectors are better served elsewhere; 0: any */
	uint64_t atomics; /* by which this member counted himself in */
};

/* -ENOMEM, -EINVAL, -ECONNRESET: a member is dead. */
int weft_nic_join(struct weft_nic *nic, const struct weft_nic_group_attr *attr,
		  struct weft_nic_group **c_p);
/* No operation of this member may be pending; not collective, not blocking. */
void weft_nic_leave(struct weft_nic_group *c);
void weft_nic_group_info(const struct weft_nic_group *c,
			 struct weft_nic_group_info *info);

/*
 * Hands in this member's part, to be waited for on the spot: the caller has
 * filled in work->done and of work->call what goes in, except done; of a
 * barrier its kind will do. With type WEFT_CU_EXACT it sums doubles, rounding
 * once. work says when it is over, which may be at once, and is the likelier
 * the more turns a small group may look for it. -ENOMEM; -EOPNOTSUPP: not with
 * that type; -EAGAIN: not joined yet; then work is the caller's again.
 */
int weft_nic_coll_begin(struct weft_nic_group *c,
			struct weft_nic_coll_work *work, unsigned turns);
/*
 * The same, but op is completed by up->done, its data being the flags
 * WEFT_CU_NAN and WEFT_CU_OVERFLOW.
 */
int weft_nic_coll_post(struct weft_nic_group *c, struct weft_nic_op *op,
		       const struct weft_cu_call *call);
/* Looks so many times whether work is over, at nothing else meanwhile. */
bool weft_nic_coll_spin(struct weft_nic_coll_work *work, unsigned turns);
/* The endpoint has slept for it in virtual time: looks whether it is over. */
void weft_nic_coll_woken(struct weft_nic_coll_work *work, int budget);
/* More members than processors: those who are waited for need this one. */
bool weft_nic_coll_crowded(const struct weft_nic_group *c);

#endif

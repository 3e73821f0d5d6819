/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit, live: groups of endpoints that map each other's shared
 * areas combine contributions without a progress thread.
 *
 *   group_open -> [post, poll]* -> group_close
 *
 * All members post the same operations in the same order. A member's work is
 * complete when it has posted: it writes its contribution to shared memory, and
 * the member that arrives last at a node of the tree does the node's work
 * inside its own post. So a member that computes after posting delays no other
 * member. Results are bit-identical on every run and for each of these methods:
 * inputs are combined in the order of the tree.
 *
 *   reduction, up to               every member publishes, every member reads
 *   WEFT_CUNIT_FLAT members        all contributions
 *   reduction, more members        contributions go up the tree, its root
 *                                  publishes the result, all members read it
 *   short reduction, more members  contributions go to a board at the root of
 *   than processors                the tree, the last member combines them
 *   broadcast, scatter             the root publishes, all members read
 *   gather, all-to-all             all members publish, receivers read
 *
 * Packets in flight are bounded: every CUNIT_WINDOW packets each member arrives
 * at a barrier without data (a credit); a packet is sent only when all members
 * have read the previous packet of its slot.
 *
 * Without shared areas (attr.send is set) the same tree uses messages: each
 * store into another member's area is sent to that member, and its
 * weft_cunit_receive performs it. Then a node of the tree makes progress only
 * when its owner polls.
 *
 * The caller serialises the calls on one group. Memory of other members is
 * untrusted: no value read from it is used as an address, a length or an index.
 */
#ifndef WEFT_CUNIT_H
#define WEFT_CUNIT_H

#include "prov/group/cunit/cunit_alu.h"
#include "prov/group/cunit/cunit_layout.h"
#include "src/tree/tree.h"

#define WEFT_CUNIT_FLAT 8

struct weft_cunit_group;

/*
 * Methods for barriers. Some networks check with one query whether all members
 * of a group have arrived, and then notify all of them (a hardware barrier). In
 * others, events at the nodes of a tree count the arrivals below and start the
 * event above. Networks that have only atomics increment one arrival counter.
 */
enum weft_cunit_form {
	WEFT_CUNIT_AUTO,   /* best method for the members and processors */
	WEFT_CUNIT_RANGE,  /* query all members, then notify all */
	WEFT_CUNIT_EVENTS, /* counters at the nodes of the tree */
	WEFT_CUNIT_COUNTS, /* one arrival counter, last member notifies */
};

/* Message between members that do not share memory. */
struct weft_cunit_msg {
	uint8_t what;  /* kind of message, enum cunit_what */
	uint8_t input; /* index of the cell to fill at the receiver */
	uint8_t kind;  /* kind of the operation, enum weft_coll_kind */
	uint8_t op;
	uint8_t type;
	uint8_t zero[3];
	uint32_t origin; /* member that sent the packet */
	uint32_t root;
	uint32_t sig;
	uint32_t flags;
	uint64_t seq; /* packet number, or epoch of a credit */
	uint64_t bytes;
};

static_assert(sizeof(struct weft_cunit_msg) == 40, "wire format");

struct weft_cunit_group_attr {
	const struct weft_cunit_geo *geo;
	const struct weft_tree
		/* tree of the group, copied; defines the order of sums */
		*tree;
	/* all members read all contributions; n <= WEFT_CUNIT_FLAT */
	bool flat;
	bool oversubscribed; /* more members than CPUs; equal on all members */
	uint8_t form;	     /* enum weft_cunit_form; equal on all members */
	int n;
	int me;
	unsigned route;
	/* generation of the group, not 0; equal on all members */
	uint64_t generation;
	void *const *area; /* area of each member; NULL: use reach */
	/*
	 * Returns the segment of a member. Called at group_open for the
	 * segments that this member accesses in the tree (its own and those of
	 * its ancestors; in a small group, all), and for other members at the
	 * first read. The segment must stay valid until the group is closed. 0;
	 * -EAGAIN: try again later; -errno.
	 */
	int (*reach)(void *arg, int member, void **segment_p);
	/* wakes the waiters of an event word; NULL: no member ever blocks */
	void (*wake)(void *arg, struct weft_event *event_word);
	/*
	 * another group with the same members, or NULL; all members post the
	 * operations of both groups in the same order
	 */
	struct weft_cunit_group *ordered_with;
	bool fence; /* full fence between a store and the check for waiters */
	/*
	 * sends a message to a member and must always succeed; NULL: members
	 * share areas
	 */
	void (*send)(void *arg, int member, const struct weft_cunit_msg *msg,
		     const void *payload);
	void *arg;
};

/*
 * Returns the size of an area in bytes, equal on all members. Areas must be
 * zeroed initially.
 */
size_t weft_cunit_area_bytes(const struct weft_cunit_geo *geo);
/* Returns the size of one segment of an area in bytes: whole pages. */
size_t weft_cunit_segment_bytes(const struct weft_cunit_geo *geo);

/*
 * Opens the group at this member. All members must have opened it before the
 * first post. -EINVAL: the tree is wider than the geometry; -ENOMEM; an error
 * of reach.
 */
int weft_cunit_group_open(const struct weft_cunit_group_attr *attr,
			  struct weft_cunit_group **g_p);
/* Closes the group; pending operations fail with -ECANCELED. */
void weft_cunit_group_close(struct weft_cunit_group *g);

/*
 * Posts an operation. Never blocks; returns 0. op->done is called during this
 * call or later.
 */
int weft_cunit_post(struct weft_cunit_group *g, struct weft_coll_call *op);

/*
 * Tries to execute an operation of a single packet synchronously. In a small
 * group or on a board, with no outstanding operation, it is often complete on
 * return. The caller has set the packet's bytes. Waits for the given number of
 * polls; with more members than processors each poll yields the processor. 0 or
 * -EPROTO: complete, done is not called; -EINPROGRESS: done will be called;
 * -EAGAIN: nothing was done, post the operation.
 */
int weft_cunit_single(struct weft_cunit_group *g, struct weft_coll_call *op,
		      unsigned polls);

/*
 * Runs a barrier synchronously, without a struct weft_coll_call. Returns the
 * same values as weft_cunit_single(); after -EINPROGRESS the caller must
 * immediately pass an operation that completes the barrier to
 * weft_cunit_sync_adopt().
 */
int weft_cunit_sync(struct weft_cunit_group *g, unsigned polls);
void weft_cunit_sync_adopt(struct weft_cunit_group *g,
			   struct weft_coll_call *op);

/*
 * Handles a message from another member, also before this member's first post.
 * Returns false if the message is malformed; a malformed message is ignored.
 */
bool weft_cunit_receive(struct weft_cunit_group *g,
			const struct weft_cunit_msg *msg, const void *payload);

/* Makes progress with the outstanding operations. */
void weft_cunit_poll(struct weft_cunit_group *g);

/* A word to wait for: another member will store `want` or more in it. */
struct weft_cunit_watch {
	weft_au64 *word; /* the word; NULL: no operation is outstanding */
	uint64_t want;
	struct weft_event *event_word; /* notified after the store */
};

/*
 * Returns whether weft_cunit_poll() would make progress; if not, sets *w to the
 * word to wait for.
 */
bool weft_cunit_ready(const struct weft_cunit_group *g,
		      struct weft_cunit_watch *w);

/*
 * Checks up to `polls` times whether weft_cunit_poll() would make progress;
 * returns whether it would.
 */
bool weft_cunit_spin(const struct weft_cunit_group *g, unsigned polls);

/* Progress of a member, and the words for which it waits. */
struct weft_cunit_state {
	uint64_t posted; /* packets posted */
	uint64_t sent;
	uint64_t read;
	/* the member waits for the packets below this number; 0: not waiting */
	uint64_t packet;
	/*
	 * the member waits until all members have read this many packets; 0:
	 * not waiting
	 */
	uint64_t credit;
};

void weft_cunit_state(const struct weft_cunit_group *g,
		      struct weft_cunit_state *s);
uint64_t weft_cunit_atomics(const struct weft_cunit_group *g);

/*
 * Synchronisation points that all members pass in the same order, independently
 * of the group's packets (cunit_syncpoint.c). A member writes some words,
 * arrives, and continues when all members have arrived at the point; points are
 * numbered from 1. Words written before a point can be read after the point,
 * until their owner overwrites them.
 */
/* Maps the segments of all members; returns the same values as attr.reach. */
int weft_cunit_syncpoint_map(struct weft_cunit_group *g);
void weft_cunit_syncpoint_write(struct weft_cunit_group *g,
				const uint64_t *words);
void weft_cunit_syncpoint_read(const struct weft_cunit_group *g, int member,
			       uint64_t *words);
void weft_cunit_syncpoint_arrive(struct weft_cunit_group *g, unsigned points);
/*
 * Returns whether all members have arrived at that point; if not, sets *w to
 * the word to wait for.
 */
bool weft_cunit_syncpoint_reached(const struct weft_cunit_group *g,
				  uint64_t point, struct weft_cunit_watch *w);

/* Fails all pending and future operations with err (-errno): a member died. */
void weft_cunit_group_fail(struct weft_cunit_group *g, int err);

#endif

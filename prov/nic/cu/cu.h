/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective unit, live: groups of endpoints that see each other's shared
 * areas combine contributions without anybody's help.
 *
 *   group_open -> [post, poll]* -> group_close
 *
 * All members post the same operations in the same order. A member's part is
 * done when he posts: he writes his contribution where the others find it, and
 * whoever comes last to a node of the tree does the node's work, inside his
 * own post. So a member that computes for an hour after posting holds up
 * nobody. Results are bit-identical on every run, and by whichever of these
 * ways: inputs are combined in the order of the tree.
 *
 *   reduction, up to WEFT_CU_FLAT  everyone publishes, everyone reads all
 *   reduction, more members        contributions go up the tree, its root
 *                                  publishes the result, everyone reads it
 *   short reduction of a crowd     contributions go to a board at the root of
 *                                  the tree, the last one does all the work
 *   broadcast, scatter             the root publishes, everyone reads it
 *   gather, all-to-all             everyone publishes, whoever wants reads
 *
 * Packets in flight are bounded: each member counts himself in, every
 * CU_WINDOW packets, at a header-only barrier (a credit); a packet is sent
 * only when all members have read what its slot held before.
 *
 * Without shared areas (attr.send is set) the same tree runs by messages: what
 * would be a store into another member's area is sent to him, and his
 * weft_cu_receive does it there. Then nodes need their owners' help.
 *
 * The caller serialises the calls on one group. Memory of other members is
 * untrusted: nothing read from it is used as an address, a length or an index.
 */
#ifndef WEFT_NIC_CU_H
#define WEFT_NIC_CU_H

#include "prov/nic/cu/cu_alu.h"
#include "prov/nic/cu/cu_layout.h"
#include "prov/nic/cu/cu_tree.h"

#define WEFT_CU_FLAT 8

struct weft_cu_group;

enum weft_cu_kind {
	WEFT_CU_BARRIER,
	WEFT_CU_BCAST,
	WEFT_CU_REDUCE,
	WEFT_CU_ALLREDUCE,
	WEFT_CU_REDUCE_SCATTER,
	WEFT_CU_SCATTER,
	WEFT_CU_GATHER,
	WEFT_CU_ALLGATHER,
	WEFT_CU_ALLTOALL,
	WEFT_CU_KINDS,
};

/*
 * How barriers go. The network of a machine may ask all members of a group at
 * once whether they have come, and tell all (a hardware barrier); or an event
 * counts the members below each node of the tree and starts the one above; or
 * there is nothing but atomics, and members add themselves to a word.
 */
enum weft_cu_form {
	WEFT_CU_AS_SUITS, /* one of these, as members and processors suit */
	WEFT_CU_RANGE,	  /* all are asked, then all are told */
	WEFT_CU_EVENTS,	  /* node by node up the tree */
	WEFT_CU_COUNTS,	  /* atomics count all at one place, the last tells */
};

/* One collective operation. */
struct weft_cu_call {
	/* in */
	uint8_t kind; /* enum weft_cu_kind */
	uint8_t op;   /* enum weft_cu_op */
	uint8_t type; /* enum weft_cu_type; elements of a broadcast, too */
	int root;     /* member; of those kinds that have one */
	const void *in;
	void *out;    /* may equal in; of a broadcast: the buffer */
	size_t count; /* elements, per member where members differ */
	/* called from post or poll when the result is there */
	void (*done)(struct weft_cu_call *op);
	/* out */
	uint32_t flags; /* WEFT_CU_NAN, WEFT_CU_OVERFLOW of any member */
	int err;	/* 0, -EPROTO: members called different operations,
			   or what weft_cu_group_fail was told */
	/* the unit's */
	uint32_t sig;	/* what all members must agree on */
	uint32_t phase; /* packets before it since all met; nic_coll_net.c */
	uint64_t first; /* number of its first packet */
	size_t sent;	/* packets handed out */
	size_t read;	/* packets completed */
	size_t packets;
	size_t bytes; /* of one member's contribution */
	int reach;    /* of the rows it reads: 0, -EAGAIN: not yet, -errno */
	struct weft_cu_call *next;
};

/* What members send each other when they share no memory. */
struct weft_cu_msg {
	uint8_t what;  /* enum cu_what */
	uint8_t input; /* cell of the addressee that this fills */
	uint8_t kind;  /* of the operation, as in weft_cu_call */
	uint8_t op;
	uint8_t type;
	uint8_t zero[3];
	uint32_t origin; /* member whose packet this is */
	uint32_t root;
	uint32_t sig;
	uint32_t flags;
	uint64_t seq; /* packet, or epoch of a credit */
	uint64_t bytes;
};

static_assert(sizeof(struct weft_cu_msg) == 40, "wire format");

struct weft_cu_group_attr {
	const struct weft_cu_geo *geo;
	const struct weft_cu_tree *tree; /* copied; the order of sums */
	bool flat;    /* everyone reads all parts; up to WEFT_CU_FLAT members */
	bool crowd;   /* more members than processors; the same for all */
	uint8_t form; /* enum weft_cu_form; the same for all */
	int n;
	int me;
	unsigned route;
	uint64_t generation; /* not 0; the same for all members */
	void *const *area;   /* of each member; NULL: reach finds rows */
	/*
	 * The row of a member: at once of those that this member touches in
	 * the tree (himself, and those between him and its root), or of all in
	 * a small group; of others when he reads them. It stays until the group
	 * is closed. 0; -EAGAIN: ask again; -errno.
	 */
	int (*reach)(void *arg, int member, void **row_p);
	/* somebody sleeps on this bell: ring it; NULL: nobody ever sleeps */
	void (*wake)(void *arg, struct weft_bell *bell);
	/* the same members post here and there in one order; or NULL */
	struct weft_cu_group *beside;
	bool fence; /* order stores before looking whether anybody sleeps */
	/* set: no shared areas, messages instead; always succeeds */
	void (*send)(void *arg, int member, const struct weft_cu_msg *msg,
		     const void *payload);
	void *arg;
};

/* Bytes of an area; the same on all members. Areas begin as zeroes. */
size_t weft_cu_area_bytes(const struct weft_cu_geo *geo);
/* Bytes of one of its rows, whole pages. */
size_t weft_cu_row_bytes(const struct weft_cu_geo *geo);

/*
 * Opens this member's side. Before the first post all members must have
 * opened theirs. -EINVAL: a tree wider than the geometry; -ENOMEM; what reach
 * said.
 */
int weft_cu_group_open(const struct weft_cu_group_attr *attr,
		       struct weft_cu_group **g_p);
/* Fails what is pending with -ECANCELED. */
void weft_cu_group_close(struct weft_cu_group *g);

/* Never blocks, never refuses: 0, and done is called sooner or later. */
int weft_cu_post(struct weft_cu_group *g, struct weft_cu_call *op);

/*
 * Tries an operation of a single packet where it is called: in a small group or
 * in a crowd with nothing under way it is often over when this returns. turns:
 * how often to look; in a crowd, how often to give the processor away and look
 * again. 0 or -EPROTO: it is over, and done is not called; -EINPROGRESS: done
 * will be; -EAGAIN: nothing was done, post it.
 */
int weft_cu_single(struct weft_cu_group *g, struct weft_cu_call *op,
		   unsigned turns);

/*
 * A barrier in the same way, without an operation. Likewise, but after
 * -EINPROGRESS hand over an operation for the rest of it with sync_adopt, at
 * once.
 */
int weft_cu_sync(struct weft_cu_group *g, unsigned turns);
void weft_cu_sync_adopt(struct weft_cu_group *g, struct weft_cu_call *op);

/*
 * A message of another member; false: it made no sense and was ignored. May
 * come before this member's first post.
 */
bool weft_cu_receive(struct weft_cu_group *g, const struct weft_cu_msg *msg,
		     const void *payload);

/* Moves what waits; the number of operations completed. */
int weft_cu_poll(struct weft_cu_group *g);

/* A word that somebody else will raise to want, or beyond. */
struct weft_cu_watch {
	weft_au64 *word; /* NULL: nothing is pending */
	uint64_t want;
	struct weft_bell *bell; /* will be rung then */
};

/* Whether poll would find something; if not, what to watch. Cheap. */
bool weft_cu_ready(const struct weft_cu_group *g, struct weft_cu_watch *w);

/* Looks so many times before it gives up; true: poll would find something. */
bool weft_cu_spin(const struct weft_cu_group *g, unsigned turns);

/* How far a member is, and what he waits for. */
struct weft_cu_state {
	uint64_t posted; /* packets */
	uint64_t sent;
	uint64_t read;
	uint64_t packet; /* waits for what all sent below this number; or 0 */
	uint64_t credit; /* waits until all have read those below; or 0 */
};

void weft_cu_state(const struct weft_cu_group *g, struct weft_cu_state *s);
/* Atomics by which this member counted himself and those below him in. */
uint64_t weft_cu_atomics(const struct weft_cu_group *g);

/*
 * Meetings: points that all members pass in the same order, apart from the
 * group's packets (cu_meet.c). A member says some words, arrives, and goes on
 * when everybody has arrived at that point; points are numbered from 1. What
 * was said before a point is heard after it, and stays until the speaker says
 * something else.
 */
/* Finds the rows of all members, whom one hears; as attr.reach. */
int weft_cu_meet_all(struct weft_cu_group *g);
void weft_cu_meet_say(struct weft_cu_group *g, const uint64_t *words);
void weft_cu_meet_hear(const struct weft_cu_group *g, int member,
		       uint64_t *words);
void weft_cu_meet_arrive(struct weft_cu_group *g, unsigned points);
/* Has everybody been at that point? What to watch if not. */
bool weft_cu_meet_over(const struct weft_cu_group *g, uint64_t point,
		       struct weft_cu_watch *w);

/* A member died: everything pending and to come fails with err (-errno). */
void weft_cu_group_fail(struct weft_cu_group *g, int err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Internals of the groups; only for grp*.c and its hooks. */
#ifndef WEFT_GRP_INT_H
#define WEFT_GRP_INT_H

#include "prov/group/grp.h"
#include "prov/group/grp_chain.h"
#include "prov/wire/wire.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/base/pool.h"

/*
 * Maximum number of children. Segments have a fixed length, so packets get
 * shorter with more children; an exact sum needs packets of 280 bytes.
 */
#define COLL_ARITY_MAX	   128
#define COLL_MSG_BYTES	   2048 /* largest payload of a tree message */
#define COLL_UNCLAIMED_MAX 65536
#define COLL_TRIES	   8
/*
 * In groups up to this size, each member notifies all others; in larger groups,
 * members notify only their neighbours in a tree.
 */
#define COLL_SMALL_MAX	   16
/* number of ended large groups whose keys are remembered */
#define COLL_ENDED	   256

enum coll_state {
	COLL_GATHERING,
	COLL_OPENING,
	COLL_AGREEING,
	COLL_READY,
	COLL_FAILED,
};

/*
 * Contribution of a member to a join; contributions are combined by bitwise
 * AND.
 */
struct join_vote {
	uint64_t routes; /* free class routes, bit mask; 0: no common memory */
	/*
	 * free class routes, plus the routes of groups that the member has left
	 */
	uint64_t soon;
	uint64_t barriers; /* free barrier classes */
	/*
	 * requested arity of trees, encoded as this number of low bits, so that
	 * the bitwise AND of all requests gives their minimum; 0: binomial tree
	 */
	uint64_t arity[COLL_ARITY_MAX / 64];
	uint64_t flags; /* flags, enum join_flag */
};

enum join_flag {
	JOIN_ENOUGH_CPUS = 1, /* there is a CPU for every member */
	/*
	 * the member requests a tree by host locations, and knows its own
	 * location
	 */
	JOIN_PLACED = 2,
	JOIN_NODE_IS_INDEX =
		4, /* the member's node number equals its index in the group */
};

#define JOIN_VOTE_WORDS (sizeof(struct join_vote) / sizeof(uint64_t))

/* Kinds of packets without payload, in the packet's flags. */
enum coll_notice {
	COLL_LEFT,	 /* the sender has left */
	COLL_LEFT_BELOW, /* the sender and all members below it have left */
	COLL_LEFT_ALL,	 /* all members have left */
	COLL_LOST,	 /* the group has failed: a member died; aux: errno */
	/* last notice of the sender, to each member: grp_last.c */
	COLL_LEFT_LAST,
	COLL_GONE, /* a member sends no further notices; aux: its index */
};

/* Messages between neighbours outside operations: grp_check.c. */
enum {
	COLL_CHECK_LONG = 16, /* up: an operation takes too long */
	COLL_CHECK_QUERY,     /* down: query of the progress */
	COLL_CHECK_PROGRESS,  /* up: progress of a member */
};

struct coll_last;
struct coll_progress;

struct coll_check {
	uint64_t last_progress; /* progress of this member */
	uint64_t since_ns;
	uint64_t long_wait_ns;
	uint64_t query; /* number of the query that member 0 waits for, or 0 */
	bool broken;	/* members called different operations */
	bool starved;	/* no memory for a packet to a member */
	/* fields that only member 0 uses */
	bool requested; /* a member has waited for a long time */
	/* a member waits for operations that all members have done */
	bool suspect;
	uint64_t round;
	int responses; /* responses so far; 0: none outstanding */
	/* responses of the members; NULL: no query yet */
	struct coll_progress *response;
	/* operations that all members had completed before the last query */
	struct coll_progress *done;
};

struct weft_nic_group {
	struct weft_nic *nic;
	struct weft_list link;
	uint64_t key; /* id of the group on the wire */
	int n;
	int me;
	int route;   /* class route; -1: none */
	int barrier; /* barrier class; -1: none */
	enum coll_state state;
	int err;	     /* error of all operations; 0: none */
	bool no_route;	     /* the group uses messages only */
	bool oversubscribed; /* more members than CPUs */
	/*
	 * maximum number of children of a tree node, the minimum of all
	 * members' requests; 0: binomial tree
	 */
	unsigned arity;
	uint8_t form;	     /* enum weft_cunit_form of barriers */
	int join_collisions; /* joins that collided with another join */
	unsigned pending;    /* outstanding operations of the caller */
	struct weft_peer **member;
	bool *gone; /* members that have left or are dead, as known here */
	int gone_count;
	/* bit mask of children whose subtrees have left completely */
	unsigned below;
	bool lost;		/* a member died before it left */
	bool tree_broken;	/* the tree no longer forwards leave notices */
	struct coll_last *each; /* last notices; NULL: not started */
	/* binomial tree for messages about the group; its root is member 0 */
	struct weft_tree msg_tree;
	/* tree implemented by messages; NULL: the group has a class route */
	struct weft_cunit_group *by_msg;
	struct nic_chain *chain;      /* chained events of the unit, or NULL */
	struct weft_cunit_group *hw;  /* the class route, or NULL */
	struct weft_cunit_group *bar; /* the barrier class, or NULL */
	/* tree for reductions that do not depend on the order; NULL: none */
	struct weft_cunit_group *unordered;
	bool msg_used;
	struct nic_net *net; /* class route on a modelled network, or NULL */
	struct weft_tree tree;
	/* descriptor tree; the machine defines its number of levels */
	struct weft_tree wide;
	struct weft_list longs; /* long vectors, oldest first */
	struct nic_long *bulk;	/* state of long vectors; NULL: use packets */
	uint64_t points; /* synchronisation points this member has arrived at */
	uint64_t long_posts;
	struct coll_check check;
	/* mapped segments of the other members, or NULL */
	void **segment;
	/* mapped segments of the other members' barrier classes, or NULL */
	void **bar_segment;
	/* joining */
	struct weft_coll_call call;
	struct join_vote common;
	/* node or host location of each member, one word each */
	uint64_t *word;
	uint64_t agree;
	void (*joined)(void *arg, struct weft_nic_group *c, int err);
	void *joined_arg;
};

/* A packet for a group that this member has not joined yet. */
struct coll_unclaimed {
	struct weft_list link;
	struct weft_peer *src;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* State of the collectives of an endpoint. */
struct grp {
	const struct weft_cunit_geo *geo;
	struct weft_cunit_geo msg_geo;
	uint64_t routes;   /* free class routes */
	uint64_t barriers; /* free barrier classes */
	int node;	   /* number of the emulated node; -1: unknown */
	/* children of a node in trees on this host; 0: binomial tree */
	unsigned arity;
	unsigned pending;
	int watching;
	unsigned polls; /* number of polls while an operation was pending */
	bool checks;	/* a group has a query to answer */
	struct weft_list groups;
	struct weft_list unclaimed;
	unsigned unclaimed_count;
	struct weft_hash joins; /* number of joins per list of members */
	uint64_t ended[COLL_ENDED];
	unsigned ended_count;
	struct weft_pool ops;
};

/* Returns the parent of a member in the message tree; -1 for member 0. */
static inline int coll_parent(const struct weft_nic_group *c, int member)
{
	return c->msg_tree.parent[member];
}

/* Returns whether the member is a child of this one in the message tree. */
static inline bool coll_is_below(const struct weft_nic_group *c, int member)
{
	return coll_parent(c, member) == c->me;
}

/*
 * grp.c. msg_send: sends a message of the message tree. replay: delivers
 * packets that arrived before the join. route_release: releases the class
 * route. free: frees the group. fail: fails all operations of all members.
 */
void grp_msg_send(void *group, int member, const struct weft_cunit_msg *msg,
		  const void *payload);
void grp_replay(struct weft_nic_group *c);
void grp_route_release(struct weft_nic_group *c);
void grp_free(struct weft_nic_group *c);
void grp_fail(struct weft_nic_group *c, int err);
/*
 * Send a packet without payload. notify: to a member, unless it is gone.
 * notify_peer: to a peer from which a packet arrived, about any group.
 */
void grp_notify(struct weft_nic_group *c, int member, enum coll_notice what,
		uint32_t aux);
void grp_notify_peer(struct weft_nic *nic, struct weft_peer *peer, uint64_t key,
		     enum coll_notice what, uint32_t aux);

/*
 * grp_last.c. notice: handles a last notice (false: invalid). lost: handles the
 * loss of a member of a large group. left: called when this member has left and
 * others have started their last notices. reclaim: starts the end of broken
 * groups. ended: remembers the key of a freed group. respond: returns whether
 * the packet was for a remembered group.
 */
bool nic_last_notice(struct weft_nic_group *c, int from,
		     const struct weft_pkt *pkt);
void nic_last_lost(struct weft_nic_group *c, int member);
void nic_last_left(struct weft_nic_group *c);
void nic_last_reclaim(struct weft_nic *nic);
void nic_last_ended(struct weft_nic_group *c);
bool nic_last_respond(struct weft_nic *nic, struct weft_peer *src,
		      const struct weft_pkt *pkt);

/*
 * grp_check.c. poll: checks operations that have waited for a long time.
 * receive: handles a message (false: invalid). fail: fails the group at all
 * members.
 */
void nic_check_poll(struct weft_nic *nic);
bool nic_check_receive(struct weft_nic_group *c, int from,
		       const struct weft_cunit_msg *m, const void *payload);
void nic_check_fail(struct weft_nic_group *c);

/* grp_join.c: continues a join that waits for another member's memory. */
void grp_join_step(struct weft_nic_group *c);
/* Unmaps the segments that are mapped for the group. */
void grp_segments_close(struct weft_nic_group *c);
/* Fails a join: a member died before all had joined. */
void grp_join_fail(struct weft_nic_group *c, int err);

/* grp_op.c: size of an operation in the pool. */
extern const size_t grp_op_bytes;

/* vectors of at least this many bytes are not sent in packets */
#define COLL_LONG_BYTES	  65536u
/*
 * Larger groups always use packets: their slices would be small, and each
 * member would read from all others.
 */
#define COLL_LONG_MEMBERS 128

/*
 * Long vectors, grp_long.c. open: 0; -EAGAIN: call again; -EOPNOTSUPP: not
 * possible here. applies: returns whether this is a long vector. post: never
 * fails. move: progresses as far as possible. ready: returns whether move would
 * do anything; if not, sets the word to watch.
 */
int nic_long_open(struct weft_nic_group *c);
void nic_long_close(struct weft_nic_group *c);
bool nic_long_applies(const struct weft_nic_group *c,
		      const struct weft_grp_work *w);
void nic_long_post(struct weft_nic_group *c, struct weft_grp_work *w);
void nic_long_move(struct weft_nic_group *c);
bool nic_long_ready(const struct weft_nic_group *c,
		    struct weft_cunit_watch *watch);
bool nic_long_spin(struct weft_grp_work *w, unsigned polls);
void nic_long_fail(struct weft_nic_group *c, int err);
/* Returns the synchronisation point that this member waits at, or 0. */
uint64_t nic_long_syncpoint(const struct weft_nic_group *c);

#endif

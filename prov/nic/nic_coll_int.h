/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups as the engine keeps them; nic_coll.c only, and where it hooks in. */
#ifndef WEFT_PROV_NIC_COLL_INT_H
#define WEFT_PROV_NIC_COLL_INT_H

#include "prov/nic/nic_coll.h"
#include "prov/nic/nic_coll_chain.h"
#include "prov/wire/wire.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/base/pool.h"

/* An exact sum needs packets of 280 bytes, and rows stay as long. */
#define COLL_ARITY_MAX	   128
#define COLL_MSG_BYTES	   2048 /* payload of a message of the tree, at most */
#define COLL_UNCLAIMED_MAX 65536
#define COLL_TRIES	   8
/* So few tell each other everything; more tell their neighbours in a tree. */
#define COLL_FEW	   16
#define COLL_ENDED	   256 /* keys of large groups that are remembered */

enum coll_state {
	COLL_GATHERING,
	COLL_OPENING,
	COLL_AGREEING,
	COLL_READY,
	COLL_FAILED,
};

/* What a member says of himself when he joins; all of it is anded. */
struct join_word {
	uint64_t routes;   /* free ones, a bit each; 0: no common memory */
	uint64_t soon;	   /* the same, and those that he has left */
	uint64_t barriers; /* free barrier classes */
	/* as many ones as the inputs of a node that he wants; none: pairs */
	uint64_t arity[COLL_ARITY_MAX / 64];
	uint64_t notes; /* enum join_note */
};

enum join_note {
	JOIN_ROOMY = 1,	 /* he knows as many processors as there are members */
	JOIN_PLACED = 2, /* he wants a tree by places, and knows his own */
	JOIN_PLAIN = 4,	 /* his node has the number that he has in the set */
};

#define JOIN_WORDS (sizeof(struct join_word) / sizeof(uint64_t))

/* Packets of a group without a payload, by their flags. */
enum coll_note {
	COLL_LEFT,	 /* the sender has left */
	COLL_LEFT_BELOW, /* and everybody below him in the tree */
	COLL_LEFT_ALL,	 /* everybody has */
	COLL_LOST,	 /* the group is lost: a member died; aux: errno */
	COLL_LEFT_EACH,	 /* the sender's last word, to each: nic_coll_each.c */
	COLL_GONE,	 /* aux: a member that will not speak any more */
};

/* What neighbours tell each other apart from the group: nic_coll_check.c. */
enum {
	COLL_SAYS_LONG = 16, /* up: this takes long */
	COLL_SAYS_ASK,	     /* down: how far are you? */
	COLL_SAYS_PROGRESS,  /* up: so far */
};

struct coll_each;
struct coll_word;

struct coll_check {
	uint64_t mark; /* how far this member was */
	uint64_t since_ns;
	uint64_t patience_ns;
	uint64_t answer; /* question that member 0 waits for, or 0 */
	bool broken;	 /* members called different operations */
	/* of member 0 */
	bool wanted;  /* somebody waits long */
	bool suspect; /* for what all had done, as it seemed */
	uint64_t round;
	int told;		/* answers to it; 0: none is missing */
	struct coll_word *word; /* the answers; NULL: never asked */
	struct coll_word *done; /* by all, before the last question */
};

struct weft_nic_group {
	struct weft_nic *nic;
	struct weft_list link;
	uint64_t key; /* its name on the wire */
	int n;
	int me;
	int route;   /* -1: none */
	int barrier; /* barrier class, -1: none */
	enum coll_state state;
	int err;	  /* everything fails with this; 0: healthy */
	bool no_route;	  /* by messages only */
	bool crowded;	  /* more members than processors */
	unsigned arity;	  /* that all agree on; 0: pairs */
	uint8_t form;	  /* enum weft_cu_form, of barriers */
	int tries;	  /* joins that met another */
	unsigned pending; /* operations of the caller */
	struct weft_peer **member;
	bool *gone; /* has left, or is dead, as far as this member knows */
	int gone_count;
	unsigned below; /* children, a bit each, below whom all have left */
	bool lost;	/* somebody died before he left */
	bool torn;	/* the tree does not tell any more who has left */
	struct coll_each *each; /* then: who has spoken; NULL: not yet */
	/* pairs of members, who talk about the group; its root is member 0 */
	struct weft_cu_tree talk;
	struct weft_cu_group
		*by_msg;	   /* by messages; there from the beginning */
	struct nic_chain *chain;   /* events of the unit, or NULL */
	struct weft_cu_group *hw;  /* the class route, or NULL */
	struct weft_cu_group *bar; /* the barrier class, or NULL */
	/* the same, where it also sums what depends on no order; or NULL */
	struct weft_cu_group *loose;
	bool msg_used;	     /* by an operation */
	struct nic_net *net; /* the same on a modelled network, or NULL */
	struct weft_cu_tree tree;
	struct weft_cu_tree wide; /* of descriptors, by the machine's levels */
	struct weft_list longs;	  /* long vectors, oldest first */
	struct nic_long *bulk;	  /* NULL: they go in packets */
	uint64_t points;	  /* meetings this member has arrived at */
	uint64_t long_posts;
	struct coll_check check;
	/* rows of others that are mapped here, or NULL; of the barrier, too */
	void **row;
	void **bar_row;
	/* joining */
	struct weft_cu_call call;
	struct join_word common;
	uint64_t *word; /* of each member: his node, or where he runs */
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

/* An endpoint's collectives. */
struct nic_coll {
	const struct weft_cu_geo *geo;
	struct weft_cu_geo msg_geo;
	uint64_t routes;   /* free class routes */
	uint64_t barriers; /* free barrier classes */
	int node;	   /* number of the emulated node, or -1 */
	unsigned arity;	   /* of trees on this host; 0: pairs */
	unsigned pending;
	int watching;
	unsigned polls; /* while something was pending */
	bool checks;	/* a group has a question to look at */
	struct weft_list groups;
	struct weft_list unclaimed;
	unsigned unclaimed_count;
	struct weft_hash joins; /* times a list of members was joined */
	uint64_t ended[COLL_ENDED];
	unsigned ended_count;
	struct weft_pool ops;
};

/* The parent of a member in the tree by messages; -1: it is member 0. */
static inline int coll_parent(const struct weft_nic_group *c, int member)
{
	return c->talk.parent[member];
}

/* Is he a child of this member there? */
static inline bool coll_is_below(const struct weft_nic_group *c, int member)
{
	return coll_parent(c, member) == c->me;
}

/* nic_coll.c: sends for a tree by messages; hands unclaimed packets over; gives
 * the class route back; frees; fails everything here and elsewhere. */
void nic_coll_say(void *group, int member, const struct weft_cu_msg *msg,
		  const void *payload);
void nic_coll_replay(struct weft_nic_group *c);
void nic_coll_give_back(struct weft_nic_group *c);
void nic_coll_free(struct weft_nic_group *c);
void nic_coll_fail(struct weft_nic_group *c, int err);
/* A packet without payload to a member that lives, or about any group. */
void nic_coll_tell(struct weft_nic_group *c, int member, enum coll_note what,
		   uint32_t aux);
void nic_coll_note_to(struct weft_nic *nic, struct weft_peer *peer,
		      uint64_t key, enum coll_note what, uint32_t aux);

/*
 * nic_coll_each.c. take: one of its notes (false: it made no sense). lost: a
 * member of a large group is no more. left: this member has left, and the
 * others speak already. reclaim: begins the end of groups that are torn. ended:
 * a group is freed. answer: was the packet for one of these?
 */
bool nic_each_take(struct weft_nic_group *c, int from,
		   const struct weft_pkt *pkt);
void nic_each_lost(struct weft_nic_group *c, int member);
void nic_each_left(struct weft_nic_group *c);
void nic_each_reclaim(struct weft_nic *nic);
void nic_each_ended(struct weft_nic_group *c);
bool nic_each_answer(struct weft_nic *nic, struct weft_peer *src,
		     const struct weft_pkt *pkt);

/*
 * nic_coll_check.c: looks after those who wait long; takes a word of another
 * member (false: it made no sense); fails the group everywhere.
 */
void nic_check_poll(struct weft_nic *nic);
bool nic_check_take(struct weft_nic_group *c, int from,
		    const struct weft_cu_msg *m, const void *payload);
void nic_check_fail(struct weft_nic_group *c);

/* nic_coll_join.c: goes on with a join that waits for somebody's memory. */
void nic_coll_join_step(struct weft_nic_group *c);
/* Gives the rows back that are mapped for the group. */
void nic_coll_rows_close(struct weft_nic_group *c);
/* A member died before all had joined. */
void nic_coll_join_fail(struct weft_nic_group *c, int err);

/* nic_coll_op.c: what the pool of operations holds. */
extern const size_t nic_coll_op_bytes;

/* Shorter vectors go in packets. */
#define COLL_LONG_BYTES	  65536u
/* And those of larger groups: slices get small, and all read from all. */
#define COLL_LONG_MEMBERS 128

/*
 * Long vectors, nic_coll_long.c. open: 0; -EAGAIN: ask again; -EOPNOTSUPP: not
 * here. wants: is it one? post: never refuses. move: as far as it goes now.
 * ready: would move do anything; what to watch if not.
 */
int nic_long_open(struct weft_nic_group *c);
void nic_long_close(struct weft_nic_group *c);
bool nic_long_wants(const struct weft_nic_group *c,
		    const struct weft_nic_coll_work *w);
void nic_long_post(struct weft_nic_group *c, struct weft_nic_coll_work *w);
void nic_long_move(struct weft_nic_group *c);
bool nic_long_ready(const struct weft_nic_group *c,
		    struct weft_cu_watch *watch);
bool nic_long_spin(struct weft_nic_coll_work *w, unsigned turns);
void nic_long_fail(struct weft_nic_group *c, int err);
/* The meeting that this member waits at, or 0. */
uint64_t nic_long_point(const struct weft_nic_group *c);

#endif

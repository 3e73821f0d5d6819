/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal header of the collective unit: a group. */
#ifndef WEFT_CUNIT_GROUP_H
#define WEFT_CUNIT_GROUP_H

#include "prov/group/cunit/cunit.h"
#include "src/base/attr.h"
#include "src/base/must.h"

#include <string.h>

struct weft_cunit_group {
	struct weft_cunit_geo geo;
	struct weft_tree tree;
	bool flat;
	bool flat_shared; /* flat, and areas are shared */
	bool oversubscribed;
	uint8_t form;		   /* enum weft_cunit_form */
	struct cunit_board *board; /* board at the tree's root; NULL: none */
	int n;
	int me;
	int err;	   /* error with which all operations fail; 0: none */
	uint64_t posted;   /* next packet number */
	uint64_t sent;	   /* packets sent by this member */
	uint64_t consumed; /* packets read by this member */
	uint64_t credits;  /* epochs at which this member has arrived */
	uint64_t clear;	   /* packets below this number may be sent */
	uint64_t atomics;  /* atomics of this member on arrival counters */
	uint32_t own_sig_history;
	uint32_t *sig_history; /* hash of earlier operations: cunit_sign() */
	uint64_t read_by[WEFT_CUNIT_FLAT]; /* small group: known read counts */
	size_t slot_bytes;
	struct weft_coll_call *head; /* oldest operation, being read */
	struct weft_coll_call *tail;
	/* oldest operation with packets to send */
	struct weft_coll_call *sending;
	void (*wake)(void *arg, struct weft_event *event_word);
	bool fence;
	/* sends a message to a member; NULL: shared areas */
	void (*send)(void *arg, int member, const struct weft_cunit_msg *msg,
		     const void *payload);
	void *arg;
	int (*reach)(void *arg, int member, void **segment_p);
	bool all_mapped;  /* all segments are mapped */
	uint8_t *scratch; /* memory for one payload, or for a fold */
	struct cunit_head
		*segment[]; /* segment of each member; NULL: not mapped */
};

/* cunit_group.c: maps the segments of members [from, to); see attr.reach. */
int cunit_segments_map(struct weft_cunit_group *g, int from, int to);

/*
 * Returns whether this member is accessed by messages instead of shared memory.
 */
static inline bool cunit_uses_messages(const struct weft_cunit_group *g,
				       int member)
{
	return g->send && member != g->me;
}

/*
 * Sets the signature, which must be equal at all members. It covers the
 * operation and, through sig_history, earlier operations in which some members
 * did not read the packets of all others.
 */
static inline void cunit_sign(const struct weft_cunit_group *g,
			      struct weft_coll_call *op)
{
	op->sig = *g->sig_history;
	if (op->kind == WEFT_COLL_BARRIER)
		return;
	op->sig ^=
		(uint32_t)op->kind << 28 | (uint32_t)op->op << 24 |
		(uint32_t)op->type << 20 |
		((uint32_t)op->root * 31u + (uint32_t)op->count) % (1u << 20);
}

static inline uint32_t cunit_sig_barrier(const struct weft_cunit_group *g)
{
	return *g->sig_history;
}

/*
 * Returns the signature of one packet; it differs from those of older packets
 * in the slot.
 */
static inline uint32_t cunit_sig(const struct weft_coll_call *op, uint64_t seq)
{
	return op->sig ^ (uint32_t)seq;
}

/* State of a packet on its path up the tree. */
struct cunit_climb {
	struct weft_cunit_group *g;
	const struct weft_coll_call *op;
	uint64_t seq;
	size_t bytes;
	uint32_t sig;
	uint32_t flags;
	bool mixed; /* inputs had different signatures */
};

/*
 * Fills a packet. The signature is stored last: a reader that reads too early,
 * because a number or counter was forged, must not find a valid signature
 * before the payload is there.
 */
static inline void cunit_packet_fill(struct cunit_packet *p, uint32_t sig,
				     const void *data, size_t bytes)
{
	if (bytes == 8) {
		memcpy(p->payload, data, 8);
	} else if (bytes) {
		memcpy(p->payload, data, bytes);
		/*
		 * R7 pairs with A0 of a reader that a forged number admits too
		 * early. A packet of one line needs no fence: it is stored as a
		 * whole.
		 */
		if (bytes > sizeof(p->payload))
			weft_fence_release();
	}
	atomic_signal_fence(memory_order_release);
	p->sig = sig;
}

static inline void cunit_climb_store(const struct cunit_climb *c,
				     struct cunit_packet *p, const void *data)
{
	p->flags = (uint16_t)c->flags;
	cunit_packet_fill(p, c->mixed ? ~c->sig : c->sig, data, c->bytes);
}

static inline struct weft_event *
cunit_event_word(const struct weft_cunit_group *g, unsigned which)
{
	return &g->segment[g->tree.root]->event_word[which];
}

/* Notifies waiting members; called after a store that they may wait for. */
static inline void cunit_notify(struct weft_cunit_group *g, unsigned which)
{
	struct weft_event *event_word = cunit_event_word(g, which);

	if (!g->wake)
		return;
	/*
	 * F0 orders the store before the load of the waiters; without F0,
	 * waiters use membarrier
	 */
	if (g->fence)
		weft_fence_full();
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (weft_unlikely(weft_event_has_waiters(event_word)))
		g->wake(g->arg, event_word);
}

/* Returns the slot of a member's published packet seq, complete or not. */
static inline struct cunit_packet *cunit_slot(const struct weft_cunit_group *g,
					      int member, uint64_t seq)
{
	return (struct cunit_packet *)((char *)(g->segment[member] + 1) +
				       (seq % CUNIT_SLOTS) * g->slot_bytes +
				       sizeof(struct cunit_count));
}

/* Publishes packet seq of this member in slot p; the caller notifies. */
static inline void cunit_publish(struct weft_cunit_group *g,
				 struct cunit_packet *p, uint32_t sig,
				 uint64_t seq, const void *data, size_t bytes)
{
	WEFT_ASSERT(seq + 1 - g->consumed <= CUNIT_SLOTS &&
		    bytes <= g->geo.packet_bytes);
	p->flags = 0;
	p->lag = (uint16_t)(seq + 1 - g->consumed);
	cunit_packet_fill(p, sig, data, bytes);
	/*
	 * R0 pairs with A0 in cunit_packet_available(), flat_wait() and
	 * flat_sync(): the packet is written before its number.
	 */
	weft_store64(&p->seq, seq + 1);
}

/* Small group: derives member's read count from its packet seq. */
static inline void cunit_read_count_update(struct weft_cunit_group *g,
					   int member, uint64_t seq,
					   unsigned lag)
{
	if (weft_likely(lag <= CUNIT_SLOTS &&
			seq + 1 > g->read_by[member] + lag))
		g->read_by[member] = seq + 1 - lag;
}

/* Appends op: its packets are read after those of earlier operations. */
static inline void cunit_enqueue(struct weft_cunit_group *g,
				 struct weft_coll_call *op)
{
	WEFT_ASSERT(!g->head == !g->tail && !op->next);
	if (g->tail)
		g->tail->next = op;
	else
		g->head = op;
	g->tail = op;
}

/* Returns whether this operation must pass every node of the tree. */
static inline bool cunit_uses_events(const struct weft_cunit_group *g,
				     unsigned kind)
{
	return g->form == WEFT_CUNIT_EVENTS && kind == WEFT_COLL_BARRIER;
}

/*
 * cunit_credit.c: polls the credits for packet seq, which may not be sent yet.
 */
bool cunit_credit_poll(struct weft_cunit_group *g, uint64_t seq);
/* cunit_credit.c: called when this member has read all packets of a window. */
void cunit_credit_return(struct weft_cunit_group *g);

/* Returns whether packet seq may be sent. */
static inline bool cunit_credit_has(struct weft_cunit_group *g, uint64_t seq)
{
	WEFT_ASSERT(g->consumed <= g->sent && g->sent <= g->posted);
	return weft_likely(seq < g->clear) || cunit_credit_poll(g, seq);
}

/* Counts one packet as read by this member. */
static inline void cunit_credit_read(struct weft_cunit_group *g)
{
	WEFT_ASSERT(g->consumed < g->sent);
	if (++g->consumed % CUNIT_WINDOW == 0)
		cunit_credit_return(g);
}

weft_au64 *cunit_credit_word(const struct weft_cunit_group *g, uint64_t seq,
			     uint64_t *want_p);
/*
 * cunit_credit.c: returns the number of packets that all members must have read
 * before packet seq may be sent.
 */
uint64_t cunit_credit_needs(const struct weft_cunit_group *g, uint64_t seq);

/* cunit_packet.c: sends packet number call->sent of a call. */
void cunit_packet_send(struct weft_cunit_group *g, struct weft_coll_call *call);
/* cunit_packet.c: reads the next packet; false: not available yet. */
bool cunit_packet_read(struct weft_cunit_group *g, struct weft_coll_call *call);
/*
 * cunit_packet.c: returns whether cunit_packet_read would succeed; if not, sets
 * the word to wait for.
 */
bool cunit_packet_available(const struct weft_cunit_group *g,
			    const struct weft_coll_call *call,
			    weft_au64 **word_p);
/* cunit_packet.c: maps the segments that the call reads. */
int cunit_packet_segments_map(struct weft_cunit_group *g,
			      const struct weft_coll_call *call);
/* cunit_packet.c: sets signature, bytes and packets. */
void cunit_packet_plan(struct weft_cunit_group *g, struct weft_coll_call *call);

/* cunit_board.c: short reductions with more members than processors. */
static inline struct cunit_board_slot *
cunit_board_slot(const struct weft_cunit_group *g, uint64_t seq)
{
	return &g->board->slot[seq % CUNIT_SLOTS];
}

static inline struct cunit_packet *
cunit_board_out(const struct weft_cunit_group *g, uint64_t seq)
{
	return &cunit_board_slot(g, seq)->out;
}
/* cunit_packet.c: returns whether this operation uses the board. */
bool cunit_uses_board(const struct weft_cunit_group *g,
		      const struct weft_coll_call *op);
void cunit_board_arrive(struct weft_cunit_group *g,
			const struct weft_coll_call *op, uint64_t seq,
			const void *data, size_t bytes);
void cunit_board_barrier(struct weft_cunit_group *g, uint32_t sig,
			 uint64_t seq);
void cunit_board_credit(struct weft_cunit_group *g, uint64_t epoch);

/* cunit_node.c: sends this member's contribution to packet seq up the tree. */
void cunit_node_arrive(struct weft_cunit_group *g,
		       const struct weft_coll_call *op, uint64_t seq,
		       const void *data, size_t bytes);
/* cunit_node.c: records this member's arrival at the next epoch. */
void cunit_node_credit(struct weft_cunit_group *g);

/* cunit_msg.c: messages that replace stores into an inaccessible segment. */
enum cunit_what {
	CUNIT_MSG_UP,	   /* a contribution for a cell */
	CUNIT_MSG_OUT,	   /* a published packet */
	CUNIT_MSG_CREDIT,  /* arrival at an epoch */
	CUNIT_MSG_CREDITS, /* all members arrived at an epoch: credits return */
};
void cunit_msg_publish(struct weft_cunit_group *g,
		       const struct weft_coll_call *call, int origin,
		       uint64_t seq, size_t bytes);
void cunit_msg_credits(struct weft_cunit_group *g, uint64_t epoch);
/*
 * cunit_node.c: handles a contribution received in a message, and continues up
 * the tree.
 */
void cunit_node_up(struct weft_cunit_group *g, const struct weft_cunit_msg *m,
		   const void *payload);
void cunit_node_credit_at(struct weft_cunit_group *g, int member,
			  uint64_t epoch);

#endif

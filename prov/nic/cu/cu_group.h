/* SPDX-License-Identifier: BSD-3-Clause */
/* A group as the files of this folder see it. */
#ifndef WEFT_NIC_CU_GROUP_H
#define WEFT_NIC_CU_GROUP_H

#include "prov/nic/cu/cu.h"
#include "src/base/attr.h"

#include <string.h>

struct weft_cu_group {
	struct weft_cu_geo geo;
	struct weft_cu_tree tree;
	bool flat;
	bool flat_shared; /* flat, and over shared areas */
	bool crowd;
	uint8_t form; /* enum weft_cu_form */
	bool in_line; /* sums take one member after the other, from 0 on */
	struct cu_board *board; /* of the tree's root; NULL: none */
	int n;
	int me;
	int err;	   /* everything fails with this; 0: healthy */
	uint64_t posted;   /* packets that have a number */
	uint64_t sent;	   /* packets handed out by this member */
	uint64_t consumed; /* packets this member is done with */
	uint64_t credits;  /* epochs this member has counted himself in */
	uint64_t clear;	   /* packets below may be sent */
	uint64_t atomics;  /* on counts, of this member */
	uint32_t own_trail;
	uint32_t *trail; /* what members agreed on so far: cu_sign() */
	uint64_t read_by[WEFT_CU_FLAT]; /* small group: as far as we know */
	size_t slot_bytes;
	struct weft_cu_call *head; /* oldest operation, being read */
	struct weft_cu_call *tail;
	struct weft_cu_call *sending; /* oldest that has packets to send */
	void (*wake)(void *arg, struct weft_bell *bell);
	bool fence;
	void (*send)(void *arg, int member, const struct weft_cu_msg *msg,
		     const void *payload); /* NULL: shared areas */
	void *arg;
	int (*reach)(void *arg, int member, void **row_p);
	bool all;	       /* all rows are there */
	uint8_t *scratch;      /* payloads: one, or as many as a fold needs */
	struct cu_head *row[]; /* of each member; NULL: nobody asked for it */
};

/* cu_group.c: finds the rows of members [from, to); see attr.reach. */
int cu_reach(struct weft_cu_group *g, int from, int to);

/* Is this member told by messages, his row being out of reach? */
static inline bool cu_by_msg(const struct weft_cu_group *g, int member)
{
	return g->send && member != g->me;
}

/*
 * What every member must agree on about an operation, and, in the trail, about
 * those before that some members leave without a word of the others.
 */
static inline void cu_sign(const struct weft_cu_group *g,
			   struct weft_cu_call *op)
{
	op->sig = *g->trail;
	if (op->kind == WEFT_CU_BARRIER)
		return;
	op->sig ^=
		(uint32_t)op->kind << 28 | (uint32_t)op->op << 24 |
		(uint32_t)op->type << 20 |
		((uint32_t)op->root * 31u + (uint32_t)op->count) % (1u << 20);
}

static inline uint32_t cu_sig_barrier(const struct weft_cu_group *g)
{
	return *g->trail;
}

/* The same of one packet: what lies there from another lap is not it. */
static inline uint32_t cu_sig(const struct weft_cu_call *op, uint64_t seq)
{
	return op->sig ^ (uint32_t)seq;
}

/* What goes up a tree: the packet's identity and what was met on the way. */
struct cu_climb {
	struct weft_cu_group *g;
	const struct weft_cu_call *op;
	uint64_t seq;
	size_t bytes;
	uint32_t sig;
	uint32_t flags;
	bool mixed; /* inputs that meant different operations */
};

/*
 * The signature comes last: who was let in by a number or a count that somebody
 * has forged must not find it before the payload.
 */
static inline void cu_packet_fill(struct cu_packet *p, uint32_t sig,
				  const void *data, size_t bytes)
{
	if (bytes == 8) {
		memcpy(p->payload, data, 8);
	} else if (bytes) {
		memcpy(p->payload, data, bytes);
		/* R7 pairs with A0, forged; one line comes as a whole */
		if (bytes > sizeof(p->payload))
			weft_fence_release();
	}
	atomic_signal_fence(memory_order_release);
	p->sig = sig;
}

static inline void cu_climb_write(const struct cu_climb *c, struct cu_packet *p,
				  const void *data)
{
	p->flags = (uint16_t)c->flags;
	cu_packet_fill(p, c->mixed ? ~c->sig : c->sig, data, c->bytes);
}

static inline struct weft_bell *cu_bell(const struct weft_cu_group *g,
					unsigned which)
{
	return &g->row[g->tree.root]->bell[which];
}

/* After a store that others may sleep for. */
static inline void cu_tell(struct weft_cu_group *g, unsigned which)
{
	struct weft_bell *bell = cu_bell(g, which);

	if (!g->wake)
		return;
	/* F0: store, then load; sleepers that can have a membarrier instead */
	if (g->fence)
		weft_fence_full();
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (weft_unlikely(weft_bell_asks(bell)))
		g->wake(g->arg, bell);
}

/* The published packet of a member, wherever it may be in its life. */
static inline struct cu_packet *cu_slot(const struct weft_cu_group *g,
					int member, uint64_t seq)
{
	return (struct cu_packet *)((char *)(g->row[member] + 1) +
				    (seq % CU_SLOTS) * g->slot_bytes +
				    sizeof(struct cu_count));
}

/* A small group learns from member's packet seq how far he has read. */
static inline void cu_learn(struct weft_cu_group *g, int member, uint64_t seq,
			    unsigned lag)
{
	if (weft_likely(lag <= CU_SLOTS && seq + 1 > g->read_by[member] + lag))
		g->read_by[member] = seq + 1 - lag;
}

/* Its packets will be read when those of the operations before are. */
static inline void cu_enqueue(struct weft_cu_group *g, struct weft_cu_call *op)
{
	if (g->tail)
		g->tail->next = op;
	else
		g->head = op;
	g->tail = op;
}

/* Does this go up the tree, node by node, in spite of shorter ways? */
static inline bool cu_by_events(const struct weft_cu_group *g, unsigned kind)
{
	return g->form == WEFT_CU_EVENTS && kind == WEFT_CU_BARRIER;
}

/* cu_credit.c: may packet seq be sent? The word to watch if not. */
bool cu_credit_has(struct weft_cu_group *g, uint64_t seq);
weft_au64 *cu_credit_word(const struct weft_cu_group *g, uint64_t seq,
			  uint64_t *want_p);
/* cu_credit.c: so many packets everybody must have read for that. */
uint64_t cu_credit_needs(const struct weft_cu_group *g, uint64_t seq);
/* cu_credit.c: this member has read one more packet. */
void cu_credit_read(struct weft_cu_group *g);

/* cu_packet.c: packet number call->sent of a call goes out. */
void cu_packet_send(struct weft_cu_group *g, struct weft_cu_call *call);
/* cu_packet.c: takes the next packet in; false: it is not there yet. */
bool cu_packet_read(struct weft_cu_group *g, struct weft_cu_call *call);
/* cu_packet.c: would cu_packet_read succeed? The word it waits for if not. */
bool cu_packet_there(const struct weft_cu_group *g,
		     const struct weft_cu_call *call, weft_au64 **word_p);
/* cu_packet.c: finds the rows that the call reads. */
int cu_packet_reach(struct weft_cu_group *g, const struct weft_cu_call *call);
/* cu_packet.c: sets signature, bytes and packets. */
void cu_packet_plan(struct weft_cu_group *g, struct weft_cu_call *call);

/* cu_board.c: short reductions of a crowd. */
static inline struct cu_board_slot *cu_board_slot(const struct weft_cu_group *g,
						  uint64_t seq)
{
	return &g->board->slot[seq % CU_SLOTS];
}

static inline struct cu_packet *cu_board_out(const struct weft_cu_group *g,
					     uint64_t seq)
{
	return &cu_board_slot(g, seq)->out;
}
/* cu_packet.c: does this go there? */
bool cu_on_board(const struct weft_cu_group *g, const struct weft_cu_call *op);
void cu_board_arrive(struct weft_cu_group *g, const struct weft_cu_call *op,
		     uint64_t seq, const void *data, size_t bytes);
void cu_board_barrier(struct weft_cu_group *g, uint32_t sig, uint64_t seq);
void cu_board_credit(struct weft_cu_group *g, uint64_t epoch);

/* cu_node.c: this member's contribution to packet seq goes up the tree. */
void cu_node_arrive(struct weft_cu_group *g, const struct weft_cu_call *op,
		    uint64_t seq, const void *data, size_t bytes);
/* cu_node.c: this member counts himself in at the next epoch. */
void cu_node_credit(struct weft_cu_group *g);

/* cu_msg.c: messages that stand for stores into a row out of reach. */
enum cu_what {
	CU_MSG_UP,	/* a contribution for a cell */
	CU_MSG_OUT,	/* a published packet */
	CU_MSG_CREDIT,	/* a credit counted in */
	CU_MSG_CREDITS, /* an epoch is complete */
};
void cu_msg_publish(struct weft_cu_group *g, const struct weft_cu_call *call,
		    int origin, uint64_t seq, size_t bytes);
void cu_msg_credits(struct weft_cu_group *g, uint64_t epoch);
/* cu_node.c: the halves that a message continues. */
void cu_node_up(struct weft_cu_group *g, const struct weft_cu_msg *m,
		const void *payload);
void cu_node_credit_at(struct weft_cu_group *g, int member, uint64_t epoch);

#endif

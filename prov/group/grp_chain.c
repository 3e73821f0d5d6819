/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on a tree of chained events (grp_chain.h).
 *
 * A broadcast is divided into packets, which are numbered across the group. Its
 * root sends them to all members and completes; the other members receive them
 * as they arrive. Every member, also the root, receives every packet once; at
 * that time the members below it have the packet already, since the unit
 * forwards it first. When half of the slots have been received, all members
 * pass a synchronisation point (a credit), after which the root may reuse these
 * slots. A barrier is a separate point. One point of each kind is outstanding
 * at a time.
 *
 * The contents of a packet are not trusted: they are compared, never used.
 */
#include "prov/group/grp_chain.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_WINDOW (WEFT_CHAIN_SLOTS / 2)
#define CHAIN_ROOM   (WEFT_CHAIN_LONG - sizeof(struct chain_head))

struct chain_head {
	uint64_t seq;
	uint32_t sig;
	uint32_t root;
};

struct chain_list {
	struct weft_coll_call *head;
	struct weft_coll_call *tail;
};

struct nic_chain {
	struct weft_chain *chain;
	const struct weft_chain_ops *ops;
	int me;
	int err;
	bool differs;
	/* nic_chain_poll() is active; completion callbacks may call it again */
	bool busy;
	uint64_t posted; /* next packet number */
	uint64_t due;	 /* packets of this member that were not sent yet */
	uint64_t broadcast;
	uint64_t received_count;
	/* credit windows at whose end this member has arrived */
	uint64_t credits;
	uint64_t barriers;
	uint64_t arrived; /* posted barriers that have been started */
	struct chain_list broadcasts;
	struct chain_list syncs;
};

int nic_chain_open(struct weft_unit *u, const struct weft_chain_ops *ops,
		   const struct weft_chain_attr *attr, struct nic_chain **c_p)
{
	struct nic_chain *c = calloc(1, sizeof(*c));
	int err = c ? ops->open(u, attr, &c->chain) : -ENOMEM;

	if (err) {
		free(c);
		return err;
	}
	c->ops = ops;
	c->me = attr->me;
	*c_p = c;
	return 0;
}

static void list_push(struct chain_list *l, struct weft_coll_call *call)
{
	call->next = NULL;
	if (l->tail)
		l->tail->next = call;
	else
		l->head = call;
	l->tail = call;
}

/*
 * Removes a call from the list and completes it. prev: the preceding call, or
 * NULL.
 */
static void list_end(struct chain_list *l, struct weft_coll_call *prev,
		     struct weft_coll_call *call)
{
	if (prev)
		prev->next = call->next;
	else
		l->head = call->next;
	if (l->tail == call)
		l->tail = prev;
	call->done(call);
}

static void list_fail(struct chain_list *l, int err)
{
	while (l->head) {
		l->head->err = err;
		list_end(l, NULL, l->head);
	}
}

void nic_chain_fail(struct nic_chain *c, int err)
{
	c->err = err;
	list_fail(&c->broadcasts, err);
	list_fail(&c->syncs, err);
}

void nic_chain_close(struct nic_chain *c)
{
	if (!c)
		return;
	nic_chain_fail(c, -ECANCELED);
	c->ops->close(c->chain);
	free(c);
}

/* ---- broadcasts ---------------------------------------------------------- */

/* Returns the value that must be equal at all members. */
static uint32_t call_sig(const struct weft_coll_call *call)
{
	return (uint32_t)call->root * 31u + (uint32_t)call->bytes * 7u +
	       (uint32_t)(call->packets << 24);
}

static size_t bytes_at(const struct weft_coll_call *call, size_t k)
{
	size_t left = call->bytes - k * CHAIN_ROOM;

	return left < CHAIN_ROOM ? left : CHAIN_ROOM;
}

/* Returns whether the slot of packet seq may be filled. */
static bool has_credit(const struct nic_chain *c, uint64_t seq)
{
	uint64_t all = c->ops->passed(c->chain, WEFT_CHAIN_CREDIT);

	return seq < (all + 2) * CHAIN_WINDOW;
}

/*
 * Sends the next packet of a broadcast whose root is this member. Returns 0;
 * -EAGAIN if the packet cannot be sent yet; or another -errno.
 */
static int broadcast_send_one(struct nic_chain *c, struct weft_coll_call *call)
{
	uint64_t seq = call->first + call->sent;
	size_t bytes = bytes_at(call, call->sent);
	const struct chain_head h = { .seq = seq,
				      .sig = call->sig,
				      .root = (uint32_t)c->me };
	unsigned char *slot = c->ops->slot(c->chain, seq);
	int err;

	if (!has_credit(c, seq))
		return -EAGAIN;
	memcpy(slot, &h, sizeof(h));
	if (bytes)
		memcpy(slot + sizeof(h),
		       (char *)call->out + call->sent * CHAIN_ROOM, bytes);
	err = c->ops->broadcast(c->chain, seq, sizeof(h) + bytes);
	if (err)
		return err;
	call->sent++;
	c->broadcast++;
	c->due--;
	return 0;
}

/*
 * Sends as many packets as possible; completes the broadcasts whose packets
 * have all been sent.
 */
static void broadcasts_send(struct nic_chain *c)
{
	struct weft_coll_call *prev = NULL, *call, *next;
	int err = 0;

	for (call = c->broadcasts.head; call && !err; call = next) {
		next = call->next;
		if (call->root != c->me) {
			prev = call;
			continue;
		}
		while (!err && call->sent < call->packets)
			err = broadcast_send_one(c, call);
		if (err == -EAGAIN)
			return;
		call->err = err;
		list_end(&c->broadcasts, prev, call);
	}
}

/*
 * Returns the pending broadcast from another root to which packet seq belongs,
 * or NULL.
 */
static struct weft_coll_call *call_of(const struct nic_chain *c, uint64_t seq,
				      struct weft_coll_call **prev_p)
{
	struct weft_coll_call *call = c->broadcasts.head;

	*prev_p = NULL;
	while (call && (call->root == c->me || seq < call->first ||
			seq >= call->first + call->packets)) {
		*prev_p = call;
		call = call->next;
	}
	return call;
}

static void packet_receive(struct nic_chain *c, const unsigned char *packet)
{
	struct weft_coll_call *prev,
		*call = call_of(c, c->received_count, &prev);
	struct chain_head h;
	size_t bytes;

	memcpy(&h, packet, sizeof(h));
	if (h.seq != c->received_count || (!call && h.root != (uint32_t)c->me))
		c->differs = true;
	c->received_count++;
	if (!call)
		return;
	bytes = bytes_at(call, call->read);
	if (h.sig != call->sig || h.root != (uint32_t)call->root)
		call->err = -EPROTO;
	else if (bytes)
		memcpy((char *)call->out + call->read * CHAIN_ROOM,
		       packet + sizeof(h), bytes);
	if (++call->read == call->packets)
		list_end(&c->broadcasts, prev, call);
}

static void broadcasts_receive(struct nic_chain *c)
{
	while (c->received_count < c->posted) {
		uint64_t lap = c->received_count / WEFT_CHAIN_SLOTS + 1;
		uint64_t received =
			c->ops->received(c->chain, c->received_count);

		/* forward to the members below before completing here */
		if (received < lap || !c->ops->run(c->chain))
			return;
		c->differs |= received > lap;
		packet_receive(c, c->ops->slot(c->chain, c->received_count));
	}
}

/* Arrives at the credit point of each received window, one at a time. */
static void broadcasts_credit(struct nic_chain *c)
{
	if (c->credits < c->received_count / CHAIN_WINDOW &&
	    c->ops->passed(c->chain, WEFT_CHAIN_CREDIT) == c->credits &&
	    !c->ops->arrive(c->chain, WEFT_CHAIN_CREDIT))
		c->credits++;
}

/* ---- barriers ------------------------------------------------------------ */

static void barriers_progress(struct nic_chain *c)
{
	while (c->syncs.head) {
		if (!c->syncs.head->sent) {
			if (c->ops->arrive(c->chain, WEFT_CHAIN_BARRIER))
				return;
			c->syncs.head->sent = 1;
			c->arrived++;
		}
		if (c->ops->passed(c->chain, WEFT_CHAIN_BARRIER) < c->arrived ||
		    !c->ops->run(c->chain))
			return;
		list_end(&c->syncs, NULL, c->syncs.head);
	}
}

/* ---- post, poll, open and close ------------------------------------------ */

bool nic_chain_can(const struct weft_coll_call *call)
{
	return call->kind == WEFT_COLL_BARRIER || call->kind == WEFT_COLL_BCAST;
}

bool nic_chain_poll(struct nic_chain *c)
{
	if (c->received_count == c->posted && !c->syncs.head &&
	    c->credits == c->received_count / CHAIN_WINDOW)
		return true;
	if (!c->err && !c->busy) {
		c->busy = true;
		broadcasts_send(c);
		broadcasts_receive(c);
		broadcasts_credit(c);
		/*
		 * first check the packets that were received before the barrier
		 */
		if (c->differs)
			nic_chain_fail(c, -EPROTO);
		barriers_progress(c);
		c->busy = false;
	}
	return !c->differs;
}

void nic_chain_post(struct nic_chain *c, struct weft_coll_call *call)
{
	call->flags = 0;
	call->err = c->err;
	call->sent = call->read = 0;
	call->packets = 0;
	if (c->err) {
		call->done(call);
		return;
	}
	if (call->kind == WEFT_COLL_BARRIER) {
		c->barriers++;
		list_push(&c->syncs, call);
	} else {
		call->bytes = call->count * weft_cunit_bytes(call->type);
		call->packets = (call->bytes + CHAIN_ROOM - 1) / CHAIN_ROOM;
		call->packets += !call->packets;
		call->sig = call_sig(call);
		call->first = c->posted;
		c->posted += call->packets;
		c->due += call->root == c->me ? call->packets : 0;
		list_push(&c->broadcasts, call);
	}
	nic_chain_poll(c);
}

void nic_chain_state(const struct nic_chain *c, struct nic_chain_state *s)
{
	*s = (struct nic_chain_state){
		.posted = c->posted,
		.due = c->due,
		.broadcast = c->broadcast,
		.received_count = c->received_count,
		.barriers = c->barriers,
		.passed = c->ops->passed(c->chain, WEFT_CHAIN_BARRIER) +
			  c->ops->passed(c->chain, WEFT_CHAIN_CREDIT),
	};
}

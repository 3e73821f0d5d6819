/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving messages. A message that matches a posted receive is copied to the
 * receive's buffer; otherwise it becomes a struct nic_msg, which contains the
 * bytes of a small message, points to heap memory into which an eager message
 * arrives, or contains only the announcement of a large message.
 *
 *   whole     got == len
 *   arriving  got < len, and the peer's rx_msg points to it
 *   announced rts
 *
 * Eager messages of one peer arrive one at a time (their packets are not
 * interleaved), so the peer's record contains the destination of NIC_NEXT:
 * rx_op, a receive being filled, or rx_msg.
 */
#include "prov/nic/nic_recv.h"
#include "prov/mem/mem.h"
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rndv.h"
#include "prov/nic/nic_send.h"
#include "src/base/copy.h"
#include "src/base/must.h"

#include <stdlib.h>

/* ---- receives ------------------------------------------------------------ */

static struct weft_match *match_for(struct weft_nic *nic, unsigned flags)
{
	return flags & WEFT_OP_TAGGED ? &nic->match[1] : &nic->match[0];
}

/*
 * Reports a matching search of the interface to the backend: the number of
 * entries compared, and the time at which the matching receive was posted (0:
 * it is being posted now, or there is none).
 */
static WEFT_COLD void searched(struct weft_nic *nic, uint64_t entries,
			       uint64_t posted_ps)
{
	struct weft_carrier *c = nic->unit->carrier;

	c->ops->backend->searched(c, entries, posted_ps);
}

static WEFT_COLD void posted_searched(struct weft_nic *nic,
				      const struct weft_match *m,
				      const struct weft_match_recv *r)
{
	const struct weft_nic_op *op =
		r ? weft_container_of(r, struct weft_nic_op, m) : NULL;

	searched(nic, weft_match_posted_searched(m, r), op ? op->addr : 0);
}

/*
 * Ends the receive of one message in a multi buffer; after the last one, the
 * buffer is released.
 */
static void part_end(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_nic_op *parent = op->parent;

	WEFT_ASSERT(parent->children);
	if (--parent->children || parent->state != NIC_CLOSED)
		return;
	if (parent->err) {
		parent->flags |= WEFT_OP_RELEASE;
		nic_done(nic, parent, parent->err);
		return;
	}
	op->flags |= WEFT_OP_RELEASE;
	weft_nic_op_put(parent);
}

void nic_recv_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	if (!err && op->olen)
		err = -EOVERFLOW;
	if (weft_unlikely(op->parent != NULL))
		part_end(nic, op);
	nic_done(nic, op, err);
}

/*
 * Ends a receive whose message is complete. flags and id belong to the sender's
 * operation.
 */
static void recv_end(struct weft_nic *nic, struct weft_nic_op *op,
		     unsigned flags, uint32_t id)
{
	WEFT_ASSERT(op->kind == WEFT_RECV && !op->linked);
	op->flags &= (uint16_t)~WEFT_OP_ACK;
	op->remote_id = id;
	if (flags & WEFT_OP_ACK)
		nic_fin_then_done(nic, op, 0);
	else
		nic_recv_done(nic, op, 0);
}

void nic_recv_fail(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	weft_match_unpost(match_for(nic, op->flags), &op->m);
	op->len = 0;
	op->tag = 0;
	op->data = 0;
	op->peer = NULL;
	if (op->children) {
		op->state = NIC_CLOSED;
		op->err = err;
		return;
	}
	if (op->flags & WEFT_OP_MULTI)
		op->flags |= WEFT_OP_RELEASE;
	nic_done(nic, op, err);
}

/*
 * Returns an op that receives a message of `len` bytes into its part of a multi
 * buffer; NULL: out of memory.
 */
static struct weft_nic_op *child_get(struct weft_nic *nic,
				     struct weft_nic_op *parent, uint64_t len)
{
	struct weft_nic_op *op = weft_nic_op_get(nic);

	WEFT_ASSERT(parent->m.posted && parent->state == NIC_NEW);
	if (!op)
		return NULL;
	op->context = parent->context;
	op->comp_flags = parent->comp_flags;
	op->kind = WEFT_RECV;
	op->flags = parent->flags & (uint16_t)~WEFT_OP_MULTI;
	op->m.ignore = parent->m.ignore;
	op->iov[0] = parent->iov[0];
	op->iov_count = 1;
	op->len = parent->len;
	op->parent = parent;
	parent->children++;
	if (len > parent->len)
		len = parent->len;
	parent->len -= len;
	parent->iov[0].iov_base = (char *)parent->iov[0].iov_base + len;
	parent->iov[0].iov_len -= len;
	if (parent->len < nic->min_multi || !parent->len) {
		weft_match_unpost(match_for(nic, parent->flags), &parent->m);
		parent->state = NIC_CLOSED;
	}
	return op;
}

/* Sets the fields of op from which the completion describes the message. */
static inline void recv_match_fill(struct weft_nic_op *op,
				   struct weft_peer *src, unsigned flags,
				   uint64_t tag, uint64_t data)
{
	op->peer = src;
	op->tag = tag;
	op->data = data;
	op->flags |= flags & WEFT_OP_DATA;
}

/*
 * Truncates a message to the buffer: op->len becomes the number of bytes that
 * fit, op->olen the number of bytes that do not.
 */
static inline void recv_fit(struct weft_nic_op *op, uint64_t len)
{
	if (weft_unlikely(len > op->len)) {
		op->olen = len - op->len;
		return;
	}
	op->len = len;
}

/*
 * Removes and returns the posted receive that matches a message of `len` bytes.
 * A matching multi buffer stays posted; a new child operation is returned
 * instead. NULL: no match (*err_p 0) or no memory (*err_p -EAGAIN).
 */
static inline struct weft_nic_op *recv_take(struct weft_nic *nic,
					    struct weft_peer *src,
					    const struct weft_pkt *pkt,
					    uint64_t len, int *err_p)
{
	struct weft_match *m = match_for(nic, pkt->flags);
	struct weft_match_recv *r = weft_match_arrive(m, src->index, pkt->tag);
	struct weft_nic_op *op;

	*err_p = 0;
	if (weft_unlikely(nic->unit_matches))
		posted_searched(nic, m, r);
	if (!r)
		return NULL;
	op = weft_container_of(r, struct weft_nic_op, m);
	if (weft_unlikely(op->flags & WEFT_OP_MULTI)) {
		op = child_get(nic, op, len);
		if (!op)
			*err_p = -EAGAIN;
		return op;
	}
	weft_match_unpost(m, r);
	return op;
}

/* ---- unexpected messages ------------------------------------------------- */

static struct nic_msg *msg_new(struct weft_nic *nic, struct weft_peer *src,
			       const struct weft_pkt *pkt, uint64_t len)
{
	struct nic_msg *u = weft_pool_get(&nic->msgs);

	if (!u)
		return NULL;
	u->m.src = src->index;
	u->m.tag = pkt->tag;
	u->src = src;
	u->len = len;
	u->data = pkt->data;
	u->got = 0;
	u->remote_id = pkt->aux;
	u->flags = pkt->flags & NIC_WIRE_FLAGS;
	u->rts = 0;
	u->dropped = 0;
	u->left = 0;
	u->lost = 0;
	u->heap = NULL;
	weft_list_init(&u->link);
	return u;
}

static void *msg_bytes(struct nic_msg *u)
{
	return u->heap ? u->heap : u->bytes;
}

/*
 * Allocates heap memory for the bytes of u if they do not fit u->bytes;
 * -EAGAIN: out of memory.
 */
static int msg_alloc(struct nic_msg *u)
{
	if (u->len <= sizeof(u->bytes))
		return 0;
	u->heap = malloc(u->len);
	return u->heap ? 0 : -EAGAIN;
}

/* Decrements the number of kept messages of a peer that has closed or died. */
static WEFT_COLD void gone_msg_remove(struct nic_msg *u)
{
	struct nic_peer *p = u->src->up;

	WEFT_ASSERT(p->left);
	if (!--p->left)
		weft_list_remove(&p->gone);
}

void nic_msg_free(struct weft_nic *nic, struct nic_msg *u)
{
	if (weft_unlikely(u->left))
		gone_msg_remove(u);
	weft_list_remove(&u->link);
	free(u->heap);
	weft_pool_put(&nic->msgs, u);
}

static void msg_ack(struct weft_nic *nic, struct nic_msg *u)
{
	if (u->flags & WEFT_OP_ACK || u->rts)
		nic_fin(nic, u->src, u->remote_id, 0);
}

/*
 * Discards a message: sends the FIN that its sender waits for, if any, and
 * drops the bytes that still arrive.
 */
static void msg_drop(struct weft_nic *nic, struct nic_msg *u)
{
	if (!u->rts && u->got < u->len && !u->lost) {
		u->dropped = 1;
		return;
	}
	msg_ack(nic, u);
	nic_msg_free(nic, u);
}

/*
 * Makes op the destination of an arriving message, and copies the bytes
 * received so far.
 */
static void msg_join(struct weft_nic *nic, struct nic_msg *u,
		     struct weft_nic_op *op)
{
	struct nic_peer *p = u->src->up;
	uint64_t n = u->got < op->len ? u->got : op->len;

	WEFT_ASSERT(p->rx_msg == u && !p->rx_op && u->got < u->len);
	nic_scatter(op->iov, op->iov_count, 0, msg_bytes(u), n);
	op->moved = u->got;
	op->limit = u->len;
	op->remote_id = u->remote_id;
	op->flags |= u->flags & WEFT_OP_ACK;
	p->rx_msg = NULL;
	p->rx_op = op;
	nic_msg_free(nic, u);
}

/* Delivers message u, which has been removed from all queues, to op. */
static void msg_take(struct weft_nic *nic, struct nic_msg *u,
		     struct weft_nic_op *op)
{
	recv_match_fill(op, u->src, u->flags, u->m.tag, u->data);
	recv_fit(op, u->len);
	if (u->rts) {
		struct nic_segs segs = u->segs;
		struct weft_mem_share *memory = u->heap;

		op->remote_id = u->remote_id;
		u->heap = NULL;
		nic_msg_free(nic, u);
		nic_pull(nic, op, &segs, memory);
		free(memory);
		return;
	}
	if (u->got < u->len) {
		msg_join(nic, u, op);
		return;
	}
	nic_scatter(op->iov, op->iov_count, 0, msg_bytes(u), op->len);
	recv_end(nic, op, u->flags, u->remote_id);
	nic_msg_free(nic, u);
}

/* ---- packets ------------------------------------------------------------- */

static WEFT_COLD int msg_keep(struct weft_nic *nic, struct weft_peer *src,
			      const struct weft_pkt *pkt, const void *payload)
{
	struct nic_msg *u = msg_new(nic, src, pkt, pkt->len);

	if (!u)
		return -EAGAIN;
	if (msg_alloc(u)) {
		nic_msg_free(nic, u);
		return -EAGAIN;
	}
	memcpy(msg_bytes(u), payload, pkt->len);
	u->got = u->len;
	weft_match_add(match_for(nic, pkt->flags), &u->m);
	return 0;
}

/*
 * Slow path for an arriving message: no receive is posted, the receive's buffer
 * is not a single segment of sufficient length, or the sender waits for FIN.
 */
static WEFT_NOINLINE int msg_slow_path(struct weft_nic *nic,
				       struct weft_peer *src,
				       const struct weft_pkt *pkt,
				       const void *payload)
{
	int err;
	struct weft_nic_op *op = recv_take(nic, src, pkt, pkt->len, &err);

	if (!op)
		return err ? err : msg_keep(nic, src, pkt, payload);
	recv_match_fill(op, src, pkt->flags, pkt->tag, pkt->data);
	recv_fit(op, pkt->len);
	nic_scatter(op->iov, op->iov_count, 0, payload, op->len);
	recv_end(nic, op, pkt->flags, pkt->aux);
	return 0;
}

/* Fast path: returns the receive that the message completes, or NULL. */
static inline struct weft_nic_op *recv_fast_path(const struct weft_match *m,
						 uint32_t src,
						 const struct weft_pkt *pkt)
{
	struct weft_match_recv *r = weft_match_first(m, src, pkt->tag);
	struct weft_nic_op *op = weft_container_of(r, struct weft_nic_op, m);

	if (weft_unlikely(!r || (op->flags & WEFT_OP_MULTI) ||
			  op->iov_count != 1 || pkt->len > op->len ||
			  (pkt->flags & WEFT_OP_ACK)))
		return NULL;
	return op;
}

WEFT_HOT int nic_got_msg(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload)
{
	struct weft_match *m = match_for(nic, pkt->flags);
	struct weft_nic_op *op = recv_fast_path(m, src->index, pkt);

	if (weft_unlikely(!op))
		return msg_slow_path(nic, src, pkt, payload);
	weft_match_unpost(m, &op->m);
	recv_match_fill(op, src, pkt->flags, pkt->tag, pkt->data);
	op->len = pkt->len;
	/* 8 bytes: inline, no call of memcpy() */
	if (weft_likely(op->len == sizeof(uint64_t)))
		memcpy(op->iov[0].iov_base, payload, sizeof(uint64_t));
	else if (op->len) /* an empty message may have no buffer */
		weft_copy_piece(op->iov[0].iov_base, payload, op->len,
				nic->copy_span);
	nic_done(nic, op, 0);
	return 0;
}

/*
 * Completes the receive of an eager message whose bytes are all in its buffer.
 */
static void eager_in(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_nic_op *op = p->rx_op;

	WEFT_ASSERT(op->moved == op->limit);
	p->rx_op = NULL;
	recv_end(nic, op, op->flags, op->remote_id);
}

/* Adds bytes to the arriving message; refuses more bytes than announced. */
static int eager_bytes(struct weft_nic *nic, struct nic_peer *p,
		       const void *from, size_t n)
{
	struct weft_nic_op *op = p->rx_op;
	struct nic_msg *u = p->rx_msg;
	size_t fits;

	WEFT_ASSERT(!op || !u);
	if (op) {
		if (n > op->limit - op->moved)
			return -EPROTO;
		fits = op->moved < op->len ? op->len - op->moved : 0;
		nic_scatter(op->iov, op->iov_count, op->moved, from,
			    n < fits ? n : fits);
		op->moved += n;
		if (op->moved == op->limit)
			eager_in(nic, p);
		return 0;
	}
	if (!u || n > u->len - u->got)
		return -EPROTO;
	memcpy((char *)msg_bytes(u) + u->got, from, n);
	u->got += n;
	if (u->got < u->len)
		return 0;
	p->rx_msg = NULL;
	if (u->dropped)
		msg_drop(nic, u);
	return 0;
}

int nic_got_first(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload)
{
	struct nic_peer *p = src->up;
	struct weft_nic_op *op;
	uint64_t total;
	int err;

	if (pkt->len < sizeof(total) || p->rx_op || p->rx_msg)
		return -EPROTO;
	memcpy(&total, payload, sizeof(total));
	if (total > NIC_EAGER_CAP || total <= pkt->len - sizeof(total))
		return -EPROTO;
	op = recv_take(nic, src, pkt, total, &err);
	if (err)
		return err;
	if (op) {
		recv_match_fill(op, src, pkt->flags, pkt->tag, pkt->data);
		recv_fit(op, total);
		op->flags |= pkt->flags & WEFT_OP_ACK;
		op->remote_id = pkt->aux;
		op->limit = total;
		p->rx_op = op;
	} else {
		p->rx_msg = msg_new(nic, src, pkt, total);
		if (!p->rx_msg)
			return -EAGAIN;
		if (msg_alloc(p->rx_msg)) {
			nic_msg_free(nic, p->rx_msg);
			p->rx_msg = NULL;
			return -EAGAIN;
		}
		weft_match_add(match_for(nic, pkt->flags), &p->rx_msg->m);
	}
	return eager_bytes(nic, p, (const char *)payload + sizeof(total),
			   pkt->len - sizeof(total));
}

int nic_got_next(struct weft_nic *nic, struct weft_peer *src,
		 const struct weft_pkt *pkt, const void *payload)
{
	return eager_bytes(nic, src->up, payload, pkt->len);
}

/*
 * Reads an announcement. If it has no segments, it announces typed data and may
 * describe the sender's memory for a device; *memory_p then points to this
 * description in the payload.
 */
static int rts_read(const struct weft_pkt *pkt, const void *payload,
		    uint64_t *len_p, struct nic_segs *segs,
		    const void **memory_p)
{
	const size_t head = offsetof(struct nic_rts, segs.seg);
	const char *behind = (const char *)payload + sizeof(*len_p);
	uint64_t sum;

	*memory_p = NULL;
	if (pkt->len < head)
		return -EPROTO;
	memcpy(len_p, payload, sizeof(*len_p));
	memcpy(segs, behind, offsetof(struct nic_segs, seg));
	if (!segs->count && pkt->len == head + sizeof(struct weft_mem_share))
		*memory_p = (const char *)payload + head;
	if (!segs->count && (pkt->len == head || *memory_p))
		return *len_p ? 0 : -EPROTO;
	if (nic_segs_get(segs, behind, pkt->len - sizeof(*len_p), &sum) ||
	    sum != *len_p)
		return -EPROTO;
	return 0;
}

int nic_got_rts(struct weft_nic *nic, struct weft_peer *src,
		const struct weft_pkt *pkt, const void *payload)
{
	struct weft_mem_share memory;
	struct nic_segs segs;
	struct nic_msg *u;
	struct weft_nic_op *op;
	const void *described;
	uint64_t len;
	int err;

	if (rts_read(pkt, payload, &len, &segs, &described))
		return -EPROTO;
	if (described)
		memcpy(&memory, described, sizeof(memory));
	op = recv_take(nic, src, pkt, len, &err);
	if (err)
		return err;
	if (op) {
		recv_match_fill(op, src, pkt->flags, pkt->tag, pkt->data);
		recv_fit(op, len);
		op->remote_id = pkt->aux;
		nic_pull(nic, op, &segs, described ? &memory : NULL);
		return 0;
	}
	u = msg_new(nic, src, pkt, len);
	if (!u)
		return -EAGAIN;
	/*
	 * if there is no memory for the description, the message will be sent
	 * in packets
	 */
	u->heap = described ? malloc(sizeof(memory)) : NULL;
	if (u->heap)
		memcpy(u->heap, &memory, sizeof(memory));
	u->rts = 1;
	u->segs = segs;
	weft_match_add(match_for(nic, pkt->flags), &u->m);
	return 0;
}

/* ---- posted receives ----------------------------------------------------- */

/*
 * For a receive from an address whose former peer is gone: finds a message that
 * the former peer sent before. The former peer's record can no longer be found
 * by its address, so op->peer may be the record of a successor.
 */
static WEFT_COLD struct weft_match_msg *
gone_search(struct weft_nic *nic, struct weft_match *m,
	    const struct weft_nic_op *op)
{
	struct weft_match_recv want = op->m;
	struct weft_match_msg *um;
	struct weft_list *n;
	struct nic_peer *p;

	if (!op->peer || op->m.src == WEFT_MATCH_ANY)
		return NULL;
	for (n = nic->gone.next; n != &nic->gone; n = n->next) {
		p = weft_container_of(n, struct nic_peer, gone);
		if (!weft_name_equal(p->peer->name, op->peer->name))
			continue;
		want.src = p->peer->index;
		um = weft_match_search(m, &want);
		if (um)
			return um;
	}
	return NULL;
}

/* Returns the unexpected message that matches the receive, or NULL. */
static inline struct weft_match_msg *msg_find(struct weft_nic *nic,
					      struct weft_match *m,
					      const struct weft_nic_op *op)
{
	struct weft_match_msg *um = NULL;

	if (weft_unlikely(!weft_list_empty(&nic->gone)))
		um = gone_search(nic, m, op);
	return um ? um : weft_match_search(m, &op->m);
}

static struct nic_msg *claimed_find(struct weft_nic *nic, void *context)
{
	struct weft_list *n;
	struct nic_msg *u;

	for (n = nic->claimed.next; n != &nic->claimed; n = n->next) {
		u = weft_container_of(n, struct nic_msg, link);
		if (u->claim == context)
			return u;
	}
	return NULL;
}

static int recv_claimed(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_msg *u = claimed_find(nic, op->context);
	int err;

	if (!u)
		return -EINVAL;
	if (!nic_ready(nic))
		return -ENOMEM;
	weft_list_remove(&u->link);
	if (!(op->flags & WEFT_OP_DISCARD) && !u->lost) {
		msg_take(nic, u, op);
		return 0;
	}
	recv_match_fill(op, u->src, u->flags, u->m.tag, u->data);
	op->len = 0;
	err = op->flags & WEFT_OP_DISCARD ? 0 : -(int)u->lost;
	msg_drop(nic, u);
	nic_done(nic, op, err);
	return 0;
}

/*
 * Receives all matching unexpected messages that fit, then posts the multi
 * buffer.
 */
static int recv_multi(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_match *m = match_for(nic, op->flags);
	struct weft_match_msg *um;
	struct nic_msg *u;
	struct weft_nic_op *part;

	weft_match_post(m, &op->m);
	while (op->m.posted && (um = weft_match_search(m, &op->m))) {
		u = weft_container_of(um, struct nic_msg, m);
		part = nic_ready(nic) ? child_get(nic, op, u->len) : NULL;
		if (!part)
			return 0;
		weft_match_remove(m, um);
		msg_take(nic, u, part);
	}
	return 0;
}

/*
 * Slow path for posting a receive: an unexpected message matches, or the
 * receive is of an uncommon kind.
 */
static WEFT_NOINLINE int recv_slow_path(struct weft_nic *nic,
					struct weft_nic_op *op)
{
	struct weft_match *m = match_for(nic, op->flags);
	struct weft_match_msg *um;

	if (op->flags & WEFT_OP_CLAIM)
		return recv_claimed(nic, op);
	if (op->flags & WEFT_OP_MULTI)
		return recv_multi(nic, op);
	um = msg_find(nic, m, op);
	if (nic->unit_matches)
		searched(nic, weft_match_msgs_searched(m, um), 0);
	if (!um) {
		weft_match_post(m, &op->m);
		if (op->peer && op->peer->lost)
			nic_recv_fail(nic, op, -(int)op->peer->lost);
		return 0;
	}
	if (weft_unlikely(!nic_ready(nic)))
		return -ENOMEM;
	weft_match_remove(m, um);
	msg_take(nic, weft_container_of(um, struct nic_msg, m), op);
	return 0;
}

WEFT_HOT int weft_nic_recv(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_match *m = match_for(nic, op->flags);

	if (weft_unlikely(nic->unit_matches))
		op->addr = nic->unit->carrier->ops->backend->now_ps(
			nic->unit->carrier, false);
	if (weft_unlikely((op->flags & (WEFT_OP_CLAIM | WEFT_OP_MULTI)) ||
			  op->peer || !weft_list_empty(&m->msgs) ||
			  !weft_list_empty(&nic->gone)))
		return recv_slow_path(nic, op);
	weft_match_post(m, &op->m);
	return 0;
}

int weft_nic_peek(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct weft_match *m = match_for(nic, op->flags);
	struct weft_match_msg *um = msg_find(nic, m, op);
	struct nic_msg *u;

	op->len = 0;
	if (!um) {
		op->peer = NULL;
		op->tag = op->m.tag;
		op->data = 0;
		nic_done(nic, op, -ENOMSG);
		return 0;
	}
	if ((op->flags & WEFT_OP_DISCARD) && !nic_ready(nic))
		return -ENOMEM;
	u = weft_container_of(um, struct nic_msg, m);
	recv_match_fill(op, u->src, u->flags, u->m.tag, u->data);
	op->len = u->len;
	if (op->flags & (WEFT_OP_CLAIM | WEFT_OP_DISCARD))
		weft_match_remove(m, um);
	if (op->flags & WEFT_OP_DISCARD) {
		msg_drop(nic, u);
	} else if (op->flags & WEFT_OP_CLAIM) {
		u->claim = op->context;
		weft_list_push_back(&nic->claimed, &u->link);
	}
	nic_done(nic, op, 0);
	return 0;
}

bool nic_msg_cancel(struct weft_nic *nic, struct weft_peer *src, unsigned flags,
		    uint32_t id)
{
	struct weft_match *m = match_for(nic, flags);
	struct weft_list *n, *tmp;
	struct nic_msg *u;

	weft_list_each(n, tmp, &m->msgs) {
		u = weft_container_of(n, struct nic_msg, m.order);
		if (u->src != src || u->remote_id != id ||
		    (!u->rts && u->got < u->len))
			continue;
		weft_match_remove(m, &u->m);
		nic_msg_free(nic, u);
		return true;
	}
	return false;
}

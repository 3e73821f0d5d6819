/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on a class route of the modelled network (grp_net.h).
 *
 * An operation is divided into packets of the network; each member sends its
 * contribution to every packet, in the same order, and takes the result of
 * every packet. A broadcast is the bitwise or of the root's bytes and the other
 * members' zeroes, as in the machine's own software, so no member receives a
 * packet for which it has no buffer. If switches have no arithmetic, a
 * broadcast has rounds of one window each: a barrier, after which all members
 * have buffers, then packets that every switch copies. A member that gets no
 * result is done when its contribution is sent.
 *
 * If events of the interfaces are chained, every member has buffers for half a
 * window, and a root sends at once. If half a window of packets has been sent
 * since the last operation that synchronises all members (a reduction or a
 * barrier), the next packet of a broadcast is a barrier: a member that has
 * passed it knows that all members have received the packets of the previous
 * half window, whose slots are free.
 */
#include "prov/group/grp_net.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* window in packets, with chained events */
#define NET_CHAIN_WINDOW (WEFT_BACKEND_WINDOW / 2)

struct nic_net {
	struct weft_carrier *carrier;
	unsigned id;
	int me;
	int err;
	uint64_t posted; /* next packet number */
	uint64_t taken;	 /* number of packets completed at this member */
	struct weft_coll_call *head;
	struct weft_coll_call *tail;
	size_t packet_size; /* bytes of a packet */
	bool copies_bcast; /* broadcasts are copied, not combined with zeroes */
	bool sums;
	bool chained;
	/*
	 * with chained events: number of the packet before which all members
	 * have synchronised
	 */
	uint64_t synced;
	/* with chained events: value of synced after all posted operations */
	uint64_t sync_posted;
};

uint32_t grp_combine(unsigned op, unsigned type, void *acc, const void *in,
		     size_t bytes)
{
	if (!weft_cunit_supports(op, type))
		return 0;
	return weft_cunit_combine(op, type, acc, in,
				  bytes / weft_cunit_bytes(type));
}

int nic_net_open(struct weft_carrier *carrier,
		 const struct weft_backend_route *attr, struct nic_net **n_p)
{
	unsigned id;
	int ret = carrier->ops->backend->routes->open(carrier, attr, &id);
	struct nic_net *n;

	if (ret)
		return ret;
	n = calloc(1, sizeof(*n));
	if (!n) {
		carrier->ops->backend->routes->close(carrier, id);
		return -ENOMEM;
	}
	n->carrier = carrier;
	n->id = id;
	n->me = attr->me;
	n->packet_size = carrier->mtu < WEFT_BACKEND_PART_MAX
				 ? carrier->mtu
				 : WEFT_BACKEND_PART_MAX;
	n->copies_bcast =
		carrier->ops->backend->routes->can(carrier, WEFT_COLL_BCAST);
	n->sums = carrier->ops->backend->routes->can(carrier,
						     WEFT_COLL_ALLREDUCE);
	n->chained = carrier->ops->backend->routes->chained(carrier, id);
	*n_p = n;
	return 0;
}

int nic_net_id(const struct nic_net *n)
{
	return (int)n->id;
}

bool nic_net_chained(const struct nic_net *n)
{
	return n->chained;
}

static void net_finish(struct nic_net *n)
{
	struct weft_coll_call *call = n->head;

	n->head = call->next;
	if (!n->head)
		n->tail = NULL;
	call->done(call);
}

void nic_net_fail(struct nic_net *n, int err)
{
	n->err = err;
	while (n->head) {
		n->head->err = err;
		net_finish(n);
	}
}

void nic_net_close(struct nic_net *n)
{
	if (!n)
		return;
	nic_net_fail(n, -ECANCELED);
	n->carrier->ops->backend->routes->close(n->carrier, n->id);
	free(n);
}

/* ---- an operation in packets --------------------------------------------- */

WEFT_HOT bool nic_net_can(const struct nic_net *n,
			  const struct weft_coll_call *call)
{
	if (call->kind == WEFT_COLL_REDUCE || call->kind == WEFT_COLL_ALLREDUCE)
		return n->sums;
	return call->kind == WEFT_COLL_BARRIER || call->kind == WEFT_COLL_BCAST;
}

/* Returns the bytes of a packet, in whole elements. */
static size_t packet_bytes(const struct nic_net *n,
			   const struct weft_coll_call *call)
{
	size_t elem = weft_cunit_bytes(call->type);

	return elem ? n->packet_size / elem * elem : n->packet_size;
}

/* Returns the number of packets that a member may have in flight. */
static uint64_t window(const struct nic_net *n)
{
	return n->chained ? NET_CHAIN_WINDOW : WEFT_BACKEND_WINDOW;
}

static bool is_copied_bcast(const struct nic_net *n,
			    const struct weft_coll_call *call)
{
	return call->kind == WEFT_COLL_BCAST && n->copies_bcast;
}

/*
 * Returns whether this packet of a broadcast is the barrier that starts a
 * round.
 */
static bool is_round(const struct nic_net *n, const struct weft_coll_call *call,
		     size_t k)
{
	if (!is_copied_bcast(n, call))
		return false;
	return n->chained ? (call->phase + k) % NET_CHAIN_WINDOW ==
				    NET_CHAIN_WINDOW - 1
			  : !(k % WEFT_BACKEND_WINDOW);
}

/*
 * Returns the number of barriers among the packets of a broadcast before packet
 * k.
 */
static size_t rounds_before(const struct nic_net *n,
			    const struct weft_coll_call *call, size_t k)
{
	if (n->chained)
		return (call->phase + k) / NET_CHAIN_WINDOW;
	return (k + WEFT_BACKEND_WINDOW - 1) / WEFT_BACKEND_WINDOW;
}

/* Returns the offset of a packet's bytes. */
static size_t offset_at(const struct nic_net *n,
			const struct weft_coll_call *call, size_t k)
{
	if (is_copied_bcast(n, call))
		k -= rounds_before(n, call, k);
	return k * packet_bytes(n, call);
}

static size_t bytes_at(const struct nic_net *n,
		       const struct weft_coll_call *call, size_t k)
{
	size_t packet_size = packet_bytes(n, call), at;

	if (is_round(n, call, k))
		return 0;
	at = offset_at(n, call, k);
	if (at >= call->bytes)
		return 0;
	return call->bytes - at < packet_size ? call->bytes - at : packet_size;
}

/* Returns the number of barriers needed for `count` packets with data. */
static size_t rounds_of(const struct nic_net *n,
			const struct weft_coll_call *call, size_t count)
{
	size_t each = window(n) - 1;
	size_t before = n->chained ? each - call->phase : 0;

	return count > before ? (count - before + each - 1) / each : 0;
}

static size_t packets_of(const struct nic_net *n,
			 const struct weft_coll_call *call)
{
	size_t packet_size = packet_bytes(n, call);
	size_t count =
		call->bytes ? (call->bytes + packet_size - 1) / packet_size : 1;

	return is_copied_bcast(n, call) ? count + rounds_of(n, call, count)
					: count;
}

static bool gets_result(const struct nic_net *n,
			const struct weft_coll_call *call)
{
	return call->kind != WEFT_COLL_REDUCE || call->root == n->me;
}

/* Returns whether this contribution can be combined by an atomic on 8 bytes. */
static bool fits_atomic(const struct weft_backend_part *part)
{
	if (part->kind == WEFT_COLL_BARRIER)
		return true;
	return !part->fp && part->bytes <= 8 &&
	       (part->op == WEFT_NUM_BAND || part->op == WEFT_NUM_BOR ||
		part->op == WEFT_NUM_BXOR ||
		(part->op == WEFT_NUM_SUM &&
		 part->bytes == weft_cunit_bytes(part->type)));
}

static void fill_part(const struct nic_net *n,
		      const struct weft_coll_call *call,
		      struct weft_backend_part *part)
{
	*part = (struct weft_backend_part){
		.kind = WEFT_COLL_ALLREDUCE,
		.op = call->op,
		.type = call->type,
		.fp = call->type >= WEFT_NUM_F32,
		.root = (uint32_t)call->root,
		.bytes = (uint32_t)bytes_at(n, call, call->sent),
		.seq = call->first + call->sent,
		.quiet = call->sent + 1 < call->packets &&
			 call->sent % (window(n) / 4) &&
			 !is_round(n, call, call->sent) &&
			 !is_round(n, call, call->sent + 1),
	};
	if (call->kind == WEFT_COLL_BARRIER || is_round(n, call, call->sent))
		part->kind = WEFT_COLL_BARRIER;
	else if (call->kind == WEFT_COLL_REDUCE)
		part->kind = WEFT_COLL_REDUCE;
	else if (call->kind == WEFT_COLL_BCAST && n->copies_bcast)
		part->kind = WEFT_COLL_BCAST;
	if (call->kind == WEFT_COLL_BCAST) {
		part->op = WEFT_NUM_BOR;
		part->type = WEFT_NUM_U8;
		part->fp = false;
	}
	/*
	 * Members other than the root contribute zeroes to a broadcast, which
	 * need not be added, so these members only increment the arrival
	 * counter by an atomic.
	 */
	part->word = fits_atomic(part) ||
		     (call->kind == WEFT_COLL_BCAST && call->root != n->me);
}

/* Returns this member's bytes of the next packet. */
static const void *source(const struct nic_net *n,
			  const struct weft_coll_call *call)
{
	static const unsigned char zeroes[WEFT_BACKEND_PART_MAX];
	size_t at;

	if (is_round(n, call, call->sent))
		return NULL;
	at = offset_at(n, call, call->sent);
	if (call->kind == WEFT_COLL_BCAST)
		return call->root == n->me ? (char *)call->out + at
					   : (const void *)zeroes;
	return call->in ? (const char *)call->in + at : NULL;
}

/*
 * Returns whether all members are ready for the round. Only the root of a
 * copied broadcast waits for this; in all other cases the result is true.
 */
static bool all_ready(const struct nic_net *n,
		      const struct weft_coll_call *call)
{
	size_t round = call->sent / WEFT_BACKEND_WINDOW * WEFT_BACKEND_WINDOW;

	if (!is_copied_bcast(n, call) || call->root != n->me ||
	    is_round(n, call, call->sent))
		return true;
	if (n->chained)
		return call->first + call->sent < n->synced + NET_CHAIN_WINDOW;
	return call->read > round;
}

static bool send_one(struct nic_net *n, struct weft_coll_call *call)
{
	struct weft_carrier *c = n->carrier;
	struct weft_backend_part part;

	if (call->first + call->sent - n->taken >= window(n) ||
	    !all_ready(n, call))
		return false;
	fill_part(n, call, &part);
	if (c->ops->backend->routes->send(c, n->id, &part, source(n, call)))
		return false;
	call->sent++;
	return true;
}

/*
 * Returns whether receiving the result of packet k implies that all members
 * have arrived.
 */
static bool is_sync(const struct nic_net *n, const struct weft_coll_call *call,
		    size_t k)
{
	return call->kind == WEFT_COLL_BARRIER ||
	       call->kind == WEFT_COLL_ALLREDUCE || is_round(n, call, k);
}

static bool packet_receive(struct nic_net *n, struct weft_coll_call *call)
{
	struct weft_carrier *c = n->carrier;
	struct weft_backend_part part = { .seq = call->first + call->read };
	bool keep = call->out && call->kind != WEFT_COLL_BARRIER &&
		    !(call->kind == WEFT_COLL_BCAST && call->root == n->me) &&
		    !is_round(n, call, call->read);
	size_t at = keep ? offset_at(n, call, call->read) : 0;

	if (gets_result(n, call)) {
		if (c->ops->backend->routes->take(c, n->id, &part,
						  keep ? (char *)call->out + at
						       : NULL))
			return false;
		call->flags |= part.flags & ~WEFT_BACKEND_DIFFER;
		if (part.flags & WEFT_BACKEND_DIFFER)
			call->err = -EPROTO;
		if (is_sync(n, call, call->read))
			n->synced = part.seq + 1;
	}
	call->read++;
	n->taken++;
	return true;
}

WEFT_HOT static bool net_progress(struct nic_net *n)
{
	bool moved = false;

	for (struct weft_coll_call *call = n->head; call; call = call->next) {
		while (call->sent < call->packets && send_one(n, call))
			moved = true;
		if (call->sent < call->packets)
			break;
	}
	while (n->head) {
		struct weft_coll_call *call = n->head;

		while (call->read < call->sent && packet_receive(n, call))
			moved = true;
		if (call->read < call->packets)
			break;
		net_finish(n);
	}
	return moved;
}

WEFT_HOT void nic_net_poll(struct nic_net *n)
{
	while (n->head && net_progress(n))
		;
}

WEFT_HOT int nic_net_poll_woken(struct nic_net *n, int budget)
{
	int got = n->carrier->ops->poll(n->carrier, budget);

	nic_net_poll(n);
	return got;
}

static uint32_t phase_of(const struct nic_net *n)
{
	uint64_t gone = n->posted - n->sync_posted;

	return (uint32_t)(gone < NET_CHAIN_WINDOW ? gone
						  : NET_CHAIN_WINDOW - 1);
}

/*
 * Records which packet of a call is the last to synchronise all members, if any
 * does.
 */
static void sync_record(struct nic_net *n, const struct weft_coll_call *call)
{
	for (size_t k = call->packets; k > 0; k--) {
		if (is_sync(n, call, k - 1)) {
			n->sync_posted = call->first + k;
			return;
		}
		if (call->packets - k == NET_CHAIN_WINDOW)
			return;
	}
}

WEFT_HOT void nic_net_post(struct nic_net *n, struct weft_coll_call *call)
{
	call->flags = 0;
	call->err = n->err;
	call->sent = call->read = 0;
	call->next = NULL;
	if (n->err) {
		call->done(call);
		return;
	}
	call->bytes = call->kind == WEFT_COLL_BARRIER
			      ? 0
			      : call->count * weft_cunit_bytes(call->type);
	call->first = n->posted;
	call->phase = phase_of(n);
	call->packets = packets_of(n, call);
	sync_record(n, call);
	n->posted += call->packets;
	if (n->tail)
		n->tail->next = call;
	else
		n->head = call;
	n->tail = call;
	nic_net_poll(n);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arbitration between the packets that request senders. After all events of a
 * tick, a node serves the ports whose state has changed, with explicit
 * round-robin state. net_grant.c sends the packet that is chosen.
 *
 * A new head of a queue is granted a free port at once, but after packets that
 * already wait for that port. If no port is free, the bit of its slot is set in
 * the request masks of all ports that it may use. A packet on a deterministic
 * channel that stays in its ring needs one free packet buffer; a packet that
 * enters a ring must leave one more buffer free (the bubble).
 */
#include "prov/net/net_arbiter.h"
#include "prov/net/net_grant.h"
#include "prov/net/net_prefetch.h"
#include "prov/net/net_slot.h"
#include "prov/net/net_switched.h"
#include "prov/net/net_tile.h"
#include "prov/net/net_wormhole.h"
#include "prov/net/tree/net_tree.h"

enum { BATCH = 32 }; /* nodes whose cache lines are prefetched together */

/* ---- port requests of slots ---------------------------------------------- */

/* Requests all ports that the packet at the head of a slot may use. */
static void slot_request(struct net_step *s, unsigned slot,
			 const struct net_packet *p)
{
	struct net_out *out = net_outs(s->net, s->id);
	uint64_t w;

	WEFT_GUARD_ASSERT(p->det < s->net->ports);
	for (w = p->want; w; w &= w - 1)
		net_mask_set(out[__builtin_ctzll(w)].dyn, slot);
	net_mask_set(out[p->det].esc, slot);
	s->node->waiting |= p->want | 1ull << p->det;
}

static inline bool is_shut(const struct net_step *s, unsigned slot)
{
	const struct net *net = s->net;

	return slot < NET_SLOT_FIFO &&
	       net_slot_queue(net, slot) < net->cfg.dyn_queues &&
	       (uint64_t)s->node->shut >> net_slot_in(net, slot) & 1;
}

/* ---- arbitration --------------------------------------------------------- */

/* Like fits(), on machines with shared tokens. */
WEFT_COLD static bool fits_shared(const struct net_step *s, unsigned port,
				  uint32_t pi, unsigned have)
{
	const struct net *net = s->net;

	return have >= net->cost[net_packet(net, pi)->chunks] &&
	       !(net->rare & NET_RARE_WORM && net_worm_must_wait(s, port, pi));
}

/* Returns whether tokens suffice for the packet; have: tokens of its VC. */
static inline bool fits(const struct net_step *s, unsigned port, uint32_t pi,
			unsigned have, unsigned need)
{
	if (weft_unlikely(s->net->off_pool))
		return fits_shared(s, port, pi, have);
	return have >= need;
}

/* Serves deterministic packets from receivers. Returns whether one was sent. */
static bool serve_det(struct net_step *s, unsigned port, unsigned vc)
{
	struct net_out *o = net_out(s, port);
	unsigned on = NET_WAIT_DET + 2 * (vc - 1), enter = on + 1;
	unsigned have = net_tokens(s->net, s->id, port, vc);
	bool can_on =
		o->waits >> on & 1 && fits(s, port, o->list[on].head, have, 1);
	bool can_enter =
		o->waits >> enter & 1 && fits(s, port, o->list[enter].head,
					      have, net_hop(s, port)->need);

	if (can_on && !(can_enter && o->rr_bits & 2)) {
		o->rr_bits |= 2;
		net_grant_det(s, port, vc, on);
		return true;
	}
	if (can_enter) {
		o->rr_bits &= (uint8_t)~2u;
		net_grant_det(s, port, vc, enter);
		return true;
	}
	return false;
}

static bool serve_inject_det(struct net_step *s, unsigned port, unsigned vc)
{
	const struct net_out *o = net_out(s, port);
	uint32_t pi;

	if (!(o->vcs >> vc & 1))
		return false;
	pi = net_slot_head(s->net, s->id,
			   NET_SLOT_FIFO + net_inject_next(o, vc));
	if (!fits(s, port, pi, net_tokens(s->net, s->id, port, vc),
		  net_hop(s, port)->need))
		return false;
	net_grant_inject(s, port, vc);
	return true;
}

/*
 * Serves slots of the mask on the dynamic VC; room: tokens to leave unused.
 * Returns whether a packet was sent.
 */
static bool serve_dyn(struct net_step *s, unsigned port, uint64_t m0,
		      uint64_t m1, unsigned room)
{
	struct net *net = s->net;
	struct net_out *o = net_out(s, port);
	unsigned slot;
	uint32_t head, cost;

	net_mask_readable(net, s->node, &m0, &m1);
	if (!(m0 | m1))
		return false;
	slot = net_mask_next(m0, m1, o->rr & 127);
	head = net_slot_head(net, s->id, slot);
	cost = net_cost(net, net_packet(net, head)->chunks, 0);
	if (s->node->room[port] < cost + room)
		return false;
	o->rr = (uint8_t)((slot + 1) & 127);
	net_grant_slot(s, port, NET_VC_DYN, slot);
	return true;
}

/*
 * Serves slots of the mask on the bubble channel. Returns whether a packet was
 * sent.
 */
static bool serve_esc(struct net_step *s, unsigned port, uint64_t m0,
		      uint64_t m1)
{
	struct net *net = s->net;
	struct net_out *o = net_out(s, port);
	unsigned have, slot;

	if (!(m0 | m1) || !net->has_escapes)
		return false;
	have = net_tokens(net, s->id, port, NET_VC_DET);
	if (!have)
		return false;
	if (have < net_hop(s, port)->need) {
		m0 &= net->ring[port][0];
		m1 &= net->ring[port][1];
		if (!(m0 | m1))
			return false;
		slot = net_mask_next(m0, m1, o->rr & 127);
		net_grant_slot(s, port, NET_VC_DET, slot);
		return true;
	}
	net_mask_readable(net, s->node, &m0, &m1);
	if (!(m0 | m1))
		return false;
	slot = net_mask_next(m0, m1, o->rr & 127);
	o->rr = (uint8_t)((slot + 1) & 127);
	net_grant_slot(s, port, NET_VC_DET, slot);
	return true;
}

WEFT_INLINE bool serve_receivers(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);
	bool det = o->waits >> NET_WAIT_DET & 3;

	o->rr_bits ^= det;
	if (det && o->rr_bits & 1 && serve_det(s, port, NET_VC_DET))
		return true;
	if (serve_dyn(s, port, o->dyn[0], o->dyn[1] & ~FIFO_BITS, 0))
		return true;
	if (det && serve_det(s, port, NET_VC_DET))
		return true;
	return serve_esc(s, port, o->esc[0], o->esc[1] & ~FIFO_BITS);
}

static bool serve_injection(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);

	if (serve_dyn(s, port, 0, o->dyn[1] & FIFO_BITS,
		      s->net->cfg.inject_room))
		return true;
	if (serve_inject_det(s, port, NET_VC_DET))
		return true;
	return serve_esc(s, port, 0, o->esc[1] & FIFO_BITS);
}

/* Returns the VC on which the head of a list can be sent, or -1. */
static int row_channel(const struct net_step *s, unsigned port, uint32_t pi,
		       unsigned need)
{
	const struct net *net = s->net;
	const struct net_packet *p = net_packet(net, pi);

	if (!pi)
		return -1;
	if (p->want && s->node->room[port] >= net->cost[p->chunks])
		return NET_VC_DYN;
	if (p->want && !net->has_escapes)
		return -1;
	return net_tokens(net, s->id, port, NET_VC_DET) < need ? -1
							       : NET_VC_DET;
}

/*
 * Serves a port of a tiled router, where adaptive packets also wait in lists.
 */
WEFT_COLD static void serve_rows(struct net_step *s, unsigned port)
{
	enum { ON = NET_WAIT_DET, ENTER };
	struct net_out *o = net_out(s, port);
	int on = row_channel(s, port, o->list[ON].head, 1);
	int enter = row_channel(s, port, o->list[ENTER].head,
				net_hop(s, port)->need);

	if (on >= 0 && !(enter >= 0 && o->rr_bits & 2)) {
		o->rr_bits |= 2;
		net_grant_det_rare(s, port, (unsigned)on, ON);
	} else if (enter >= 0) {
		o->rr_bits &= (uint8_t)~2u;
		net_tile_pin_link(s->net, o->list[ENTER].head, port);
		net_grant_det_rare(s, port, (unsigned)enter, ENTER);
	}
}

/* Serves packets from links, and injection once per through_share grants. */
WEFT_INLINE void serve_normal(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);
	bool inject = (o->dyn[1] | o->esc[1]) & FIFO_BITS ||
		      o->vcs & 1u << NET_VC_DET;

	if (inject && o->share >= s->net->cfg.through_share &&
	    serve_injection(s, port)) {
		o->share = 0;
		return;
	}
	if (serve_receivers(s, port)) {
		o->share = (uint8_t)(inject ? o->share + (o->share < 255) : 0);
		return;
	}
	if (inject)
		serve_injection(s, port);
}

/* Serves traffic of higher priority. Returns whether a packet was sent. */
static bool serve_urgent(struct net_step *s, unsigned port)
{
	unsigned vc;

	if (net_tree_fits(s, port, NET_WAIT_DOWN)) {
		net_tree_grant(s, port, NET_WAIT_DOWN);
		return true;
	}
	if (net_tree_fits(s, port, NET_WAIT_UP)) {
		net_tree_grant(s, port, NET_WAIT_UP);
		return true;
	}
	for (vc = NET_VC_SYS; vc >= NET_VC_HIGH; vc--)
		if (serve_det(s, port, vc) || serve_inject_det(s, port, vc))
			return true;
	return false;
}

#define WAITS_CLASS  (1u << NET_WAIT_DOWN | 1u << NET_WAIT_UP)
#define WAITS_NORMAL (3u << NET_WAIT_DET)

static inline bool has_requests(const struct net_out *o)
{
	return (o->dyn[0] | o->dyn[1] | o->esc[0] | o->esc[1]) != 0 ||
	       o->waits | o->vcs;
}

WEFT_NOINLINE static void serve_normal_rare(struct net_step *s, unsigned port)
{
	if (net_tile_router(s))
		serve_rows(s, port);
	else
		serve_normal(s, port);
}

/* Serves a port without priorities: system packets alternate with others. */
WEFT_COLD static void serve_alternating(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);

	o->rr_bits ^= 4;
	if (o->rr_bits & 4) {
		if (!serve_urgent(s, port))
			serve_normal_rare(s, port);
		return;
	}
	serve_normal_rare(s, port);
	if (!(s->node->busy >> port & 1))
		serve_urgent(s, port);
}

/* Serves the packets that request a port. */
WEFT_INLINE void serve_requests(struct net_step *s, unsigned port, bool rare)
{
	struct net_out *o = net_out(s, port);

	if (o->waits & ~WAITS_NORMAL || o->vcs & ~(1u << NET_VC_DET)) {
		if (rare && s->net->cfg.system_alternate) {
			serve_alternating(s, port);
			return;
		}
		if (serve_urgent(s, port))
			return;
	}
	if (rare)
		serve_normal_rare(s, port);
	else
		serve_normal(s, port);
}

/*
 * Serves a port with wormhole switching: class routes first, then the channels
 * in turn, each with the next segment of its packet, or a new packet.
 */
WEFT_COLD static void serve_channels(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);
	unsigned n = s->net->cfg.channels, last = o->channel, channel, i;

	if (o->waits & WAITS_CLASS) {
		serve_urgent(s, port);
		return;
	}
	for (i = 1; i <= n && !(s->node->busy >> port & 1); i++) {
		channel = (last + i) % n;
		if (net_worm(s->net, s->id, port, channel)->packet)
			net_worm_send(s, port, channel);
		else if (has_requests(o))
			serve_requests(s, port, true);
	}
	if (!has_requests(o) && !net_worm_unsent(s, port))
		s->node->waiting &= ~(1ull << port);
}

/* Serves a port of a node or a switch in a network of switches. */
WEFT_COLD static void serve_switched(struct net_step *s, unsigned port)
{
	if (s->id < s->net->ends)
		serve_inject_det(s, port, NET_VC_DET);
	else
		net_switched_serve(s, port);
}

WEFT_INLINE void serve_port(struct net_step *s, unsigned port, bool rare)
{
	if (s->node->busy >> port & 1)
		return;
	if (rare && s->net->rare & NET_RARE_WORM) {
		serve_channels(s, port);
		return;
	}
	if (!has_requests(net_out(s, port))) {
		s->node->waiting &= ~(1ull << port);
		return;
	}
	if (rare && s->net->rare & NET_RARE_SWITCHED)
		serve_switched(s, port);
	else
		serve_requests(s, port, rare);
}

/*
 * Returns the free port with the most tokens that a new head may use, or -1.
 * Branch-free, because the branches would be unpredictable.
 */
static inline int best_port(const struct net_step *s, uint64_t want, int cost)
{
	const struct net_node *n = s->node;
	int best = 0, score, tie = ~n->rr & 1, port = -1, i;

	for (want &= ~n->busy; want; want &= want - 1) {
		i = __builtin_ctzll(want);
		score = n->room[i] >= cost ? n->room[i] : -1;
		port = score + tie > best ? i : port;
		best = score > best ? score : best;
	}
	return port;
}

/*
 * Like best_port(), but takes the waiting time behind each port into account.
 */
WEFT_COLD static int best_ahead(const struct net_step *s, uint64_t want,
				uint32_t cost)
{
	const struct net_node *n = s->node;
	const uint16_t *ahead = net_port_delay(s->net, s->id);
	int best = INT32_MIN, score, tie = ~n->rr & 1, port = -1, i;

	for (want &= ~n->busy; want; want &= want - 1) {
		i = __builtin_ctzll(want);
		score = (int)n->room[i] - ahead[i];
		if (n->room[i] < cost || score + tie <= best)
			continue;
		port = i;
		best = score > best ? score : best;
	}
	return port;
}

/*
 * Returns whether a new head may enter the bubble channel; a packet that is
 * already in the ring may use the last buffer.
 */
WEFT_INLINE bool may_escape(const struct net_step *s,
			    const struct net_packet *p, unsigned slot)
{
	const struct net *net = s->net;
	unsigned need = net_mask_has(net->ring[p->det], slot)
				? 1
				: net_hop(s, p->det)->need;

	return net->has_escapes && !(s->node->busy >> p->det & 1) &&
	       net_tokens(net, s->id, p->det, NET_VC_DET) >= need;
}

/*
 * Serves a new head in a tiled router: sends the packet by a port for which no
 * packet waits, moves it to a row buffer, or leaves it in its queue.
 */
static void serve_tile(struct net_step *s, unsigned slot)
{
	uint32_t pi = net_slot_head(s->net, s->id, slot);
	const struct net_packet *p = net_packet(s->net, pi);
	unsigned in = net_slot_in(s->net, slot);
	uint32_t cost = s->net->cost[p->chunks];
	int port = best_port(s, p->want & ~s->node->waiting, (int)cost);

	s->node->rr++;
	if (port >= 0 && net_tile_has_room(s, in, (unsigned)port, p->vc)) {
		net_grant_head_rare(s, (unsigned)port, NET_VC_DYN, slot, pi);
		return;
	}
	port = net_tile_choose(s, in, pi);
	if (port < 0)
		return;
	net_queue_pop(s, slot);
	s->dirty |= net_tile_enter(s, in, pi, (unsigned)port);
}

/*
 * Serves a new head: sends it by a free port, moves it to the bubble channel,
 * or lets it wait.
 */
WEFT_INLINE void serve_fresh(struct net_step *s, unsigned slot, bool rare)
{
	struct net *net = s->net;
	uint32_t pi = net_slot_head(s->net, s->id, slot), cost;
	struct net_packet *p = net_packet(net, pi);
	unsigned vc = NET_VC_DYN;
	int port;

	if (is_shut(s, slot)) {
		slot_request(s, slot, p);
		return;
	}
	cost = net_cost(net, p->chunks, 0);
	if (slot >= NET_SLOT_FIFO)
		cost += net->cfg.inject_room;
	if (rare && net->rare & NET_RARE_AHEAD)
		port = best_ahead(s, p->want, cost);
	else
		port = best_port(s, p->want, (int)cost);
	s->node->rr++;
	if (port < 0 && may_escape(s, p, slot)) {
		port = p->det;
		vc = NET_VC_DET;
	}
	if (port >= 0) {
		if (rare)
			net_grant_head_rare(s, (unsigned)port, vc, slot, pi);
		else
			net_grant_head(s, (unsigned)port, vc, slot, pi);
		return;
	}
	slot_request(s, slot, p);
}

/* Serves all changed ports, then new heads, which may change other ports. */
WEFT_INLINE void serve_node(struct net_step *s, bool rare)
{
	uint64_t m0, m1;
	unsigned n;

	for (;;) {
		while (s->dirty) {
			n = (unsigned)__builtin_ctzll(s->dirty);
			s->dirty &= s->dirty - 1;
			serve_port(s, n, rare);
		}
		m0 = s->fresh[0];
		m1 = s->fresh[1];
		if (!(m0 | m1))
			return;
		n = net_mask_next(m0, m1, s->node->rr % 128);
		net_mask_clear(s->fresh, n);
		if (rare && s->net->rare & NET_RARE_SWITCHED)
			net_switched_route(s, n);
		else if (rare && net_tile_router(s))
			serve_tile(s, n);
		else
			serve_fresh(s, n, rare);
	}
}

WEFT_INLINE void serve_marks(struct net_step *s, bool rare)
{
	struct net_mark *m;
	uint32_t i;

	for (i = 1; i <= s->marks; i++) {
		m = &s->mark[i];
		if (s->net->large && i % BATCH == 1)
			net_prefetch_marks(s->net, m,
					   s->marks - i < BATCH
						   ? s->marks - i + 1
						   : BATCH);
		net_step_at(s, m->node);
		WEFT_GUARD_ASSERT(s->node->mark == i &&
				  m->node < s->net->nodes);
		s->node->mark = 0;
		s->dirty = m->dirty;
		s->fresh[0] = m->fresh[0];
		s->fresh[1] = m->fresh[1];
		serve_node(s, rare);
	}
	s->marks = 0;
}

WEFT_NOINLINE static void serve_marks_rare(struct net_step *s)
{
	serve_marks(s, true);
}

void net_arbiter_serve(struct net_step *s)
{
	if (weft_unlikely(s->net->rare))
		serve_marks_rare(s);
	else
		serve_marks(s, false);
}

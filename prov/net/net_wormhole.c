/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wormhole switching with held paths. A receiver has a FIFO of fifo_bytes for
 * each channel of its link. A packet is sent in segments of this size:
 *
 *    sender k    |-- 0 --|-- 1 --|- 2 -|        segment j is sent when
 *    sender k+1     |-- 0 --|-- 1 --|- 2 -|     - its head has arrived
 *         credit <--'  <----'                   - segment j - 1 leaves the
 *                                                 next FIFO (credit)
 *
 * If the head is blocked at a node, the segments behind it stay in the FIFOs
 * of the previous nodes, and the channels of these links stay occupied. The
 * other channels of a link use the link meanwhile; channels with segments to
 * send alternate. The channels of a path are released by the acknowledgement,
 * which returns on the path and never waits.
 *
 * A path in a tree goes up, then down, and a target stores all segments, so no
 * cycle of packets can wait for each other. Packets of one source to one
 * target that use one route stay in order: the last segment of a packet waits
 * for the packets ahead of it at the same sender.
 */
#include "prov/net/net_wormhole.h"
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_nic_int.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_wheel.h"

/* Payload of the token events of channels. */
enum { RELEASE = 1, CREDIT, SEGMENT, ACK };

static uint32_t fifo_ticks(const struct net *net, unsigned rate)
{
	return net_wire_ticks(&net->cfg, net->cfg.fifo_bytes, net->rate[rate]);
}

static unsigned segments(const struct net *net, const struct net_packet *p)
{
	uint32_t each = fifo_ticks(net, 0);

	return (net_packet_len(net, 0, p) + each - 1) / each;
}

/* Returns the link time of a segment. */
static uint32_t segment_ticks(const struct net *net, unsigned rate,
			      const struct net_packet *p, unsigned segment,
			      unsigned total)
{
	uint32_t each = fifo_ticks(net, rate), from = segment * each;
	uint32_t len = net_packet_len(net, rate, p);

	if (segment + 1 < total)
		return each;
	return (len > from ? len - from : 1) + net->cfg.protocol_ticks;
}

static void push_event(struct net_step *s, uint64_t at, uint32_t link,
		       unsigned channel, unsigned vc, uint32_t what)
{
	net_wheel_put(s->net, at, NET_EV_TOKEN,
		      net_word(net_link_peer(link), NET_EV_TOKEN,
			       net_link_port(link),
			       channel << NET_WORM_VC_BITS | vc, what));
}

/* ---- senders ------------------------------------------------------------- */

static bool link_failed(const struct net_step *s, unsigned port)
{
	return s->net->off_fault &&
	       net_fault_link(s->net, s->id, port)->state != NET_LINK_UP;
}

static unsigned free_channel(const struct net_step *s, unsigned port)
{
	unsigned n = s->net->cfg.channels, last = net_out(s, port)->channel, i;

	for (i = 1; i < n; i++)
		if (!net_worm(s->net, s->id, port, (last + i) % n)->packet)
			break;
	return (last + i) % n;
}

unsigned net_worm_start(struct net_step *s, unsigned port, unsigned vc,
			uint32_t pi, uint32_t hop, uint32_t *busy_p)
{
	struct net *net = s->net;
	const struct net_packet *p = net_packet(net, pi);
	unsigned channel = free_channel(s, port), total = segments(net, p);
	struct net_worm *w = net_worm(net, s->id, port, channel);
	bool to_end = net_link_peer(s->link[port]) < net->ends;
	bool source = s->id < net->ends;

	WEFT_GUARD_ASSERT(!w->packet && total <= UINT8_MAX);
	w->packet = pi;
	w->since = (uint32_t)s->now;
	w->hop = (uint16_t)hop;
	w->total = (uint8_t)total;
	w->sent = 1;
	w->credit = (uint8_t)(to_end ? total : 1);
	w->vc = (uint8_t)vc;
	w->from_port = source ? NET_WORM_NONE : p->in;
	w->from_channel = source ? 0 : p->zone;
	if (!source)
		net_worm(net, s->id, p->in, p->zone)->to_port = (uint8_t)port;
	net_out(s, port)->channel = (uint8_t)channel;
	if (total > 1)
		s->node->waiting |= 1ull << port;
	*busy_p = segment_ticks(net, net_hop(s, port)->rate, p, 0, total);
	return channel << NET_WORM_VC_BITS | vc;
}

/* Reports to the previous sender that a segment leaves the FIFO. */
static void send_credit(struct net_step *s, unsigned port, unsigned channel)
{
	push_event(s, s->now + net_hop(s, port)->token_ticks, s->link[port],
		   channel, 0, CREDIT);
}

void net_worm_leave(struct net_step *s, unsigned port,
		    const struct net_packet *p)
{
	if (segments(s->net, p) > 1)
		send_credit(s, port, p->zone);
}

/*
 * Returns whether a packet with the same source, target and route as p, which
 * was granted the port before tick `since`, has segments left.
 */
static bool flow_ahead(const struct net_step *s, unsigned port,
		       const struct net_packet *p, uint32_t since)
{
	const struct net *net = s->net;
	const struct net_packet *q;
	unsigned i;

	if (p->flags & NET_P_DYN)
		return false;
	for (i = 0; i < net->cfg.channels; i++) {
		const struct net_worm *x = net_worm(net, s->id, port, i);

		if (!x->packet || x->sent == x->total ||
		    (int32_t)(x->since - since) >= 0)
			continue;
		q = net_packet(net, x->packet);
		if (q->dst == p->dst &&
		    net_mrec(net, q->msg)->src == net_mrec(net, p->msg)->src)
			return true;
	}
	return false;
}

bool net_worm_must_wait(const struct net_step *s, unsigned port, uint32_t pi)
{
	const struct net_packet *p = net_packet(s->net, pi);

	return segments(s->net, p) == 1 &&
	       flow_ahead(s, port, p, (uint32_t)s->now);
}

static bool can_send(const struct net_step *s, unsigned port,
		     const struct net_worm *w)
{
	const struct net_worm *in;

	if (w->sent == w->total || w->sent >= w->credit)
		return false;
	if (w->from_port != NET_WORM_NONE) {
		in = net_worm(s->net, s->id, w->from_port, w->from_channel);
		if (w->sent >= in->arrived)
			return false;
	}
	return w->sent + 1 < w->total ||
	       !flow_ahead(s, port, net_packet(s->net, w->packet), w->since);
}

bool net_worm_send(struct net_step *s, unsigned port, unsigned channel)
{
	struct net *net = s->net;
	struct net_worm *w = net_worm(net, s->id, port, channel);
	struct net_packet *p = net_packet(net, w->packet);
	uint32_t busy;

	if (!w->packet || !can_send(s, port, w))
		return false;
	busy = segment_ticks(net, net_hop(s, port)->rate, p, w->sent, w->total);
	w->sent++;
	if (link_failed(s, port))
		/* the dead link has cut off the packet */
		p->flags |= NET_P_BAD;
	net_out(s, port)->channel = (uint8_t)channel;
	s->node->busy |= 1ull << port;
	push_event(s, s->now + w->hop, s->link[port], channel, 0, SEGMENT);
	net_wheel_after(s, busy, NET_EV_TAIL,
			net_word(s->id, NET_EV_TAIL, port, 0, 0));
	if (w->from_port != NET_WORM_NONE && w->sent < w->total)
		send_credit(s, w->from_port, w->from_channel);
	return true;
}

bool net_worm_unsent(const struct net_step *s, unsigned port)
{
	unsigned i;

	for (i = 0; i < s->net->cfg.channels; i++) {
		const struct net_worm *w = net_worm(s->net, s->id, port, i);

		if (w->packet && w->sent < w->total)
			return true;
	}
	return false;
}

/* ---- receivers ----------------------------------------------------------- */

void net_worm_arrive(struct net_step *s, uint32_t node, unsigned port,
		     unsigned vc, uint32_t pi)
{
	struct net_packet *p = net_packet(s->net, pi);
	unsigned channel = net_worm_channel(vc);
	struct net_worm *w = net_worm(s->net, node, port, channel);

	WEFT_GUARD_ASSERT(!w->in_packet);
	p->vc = vc & ((1u << NET_WORM_VC_BITS) - 1);
	p->in = (uint8_t)port;
	p->zone = (uint8_t)channel;
	w->in_packet = pi;
	w->arrived = 1;
	w->to_port = NET_WORM_NONE;
}

void net_worm_store(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_worm *w = net_worm(net, s->id, port, p->zone);
	unsigned total = segments(net, p);
	uint64_t end = p->want, tail;

	if (w->arrived < total)
		return;
	tail = s->now +
	       segment_ticks(net, net_hop(s, port)->rate, p, total - 1, total) -
	       net->cfg.protocol_ticks;
	tail = tail * net->cfg.tick_ps + p->frac;
	net_nic_stored(s, port, pi, tail > end ? tail : end);
}

/* Releases the path by which a dropped packet reached this node. */
static void drain(struct net_step *s, unsigned port, unsigned channel)
{
	struct net_worm *w = net_worm(s->net, s->id, port, channel);

	if (w->arrived < segments(s->net, net_packet(s->net, w->in_packet))) {
		send_credit(s, port, channel);
		return;
	}
	w->in_packet = 0;
	push_event(s, s->now + net_hop(s, port)->token_ticks, s->link[port],
		   channel, 0, RELEASE);
}

void net_worm_lost(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net *net = s->net;
	const struct net_packet *p = net_packet(net, pi);
	struct net_worm *out =
		net_worm(net, s->id, port, net_out(s, port)->channel);
	struct net_worm *in;

	out->sent = out->total;
	if (s->id < net->ends)
		return;
	/* only this channel is released, at the end of the first segment */
	out->from_port = NET_WORM_NONE;
	in = net_worm(net, s->id, p->in, p->zone);
	in->to_port = NET_WORM_DRAIN;
	/* the segments behind the first one have not been sent yet */
	if (out->total == 1)
		drain(s, p->in, p->zone);
}

static void segment_arrived(struct net_step *s, uint32_t node, unsigned port,
			    unsigned channel)
{
	struct net_worm *w = net_worm(s->net, node, port, channel);
	struct net_node *n = net_node(s->net, node);

	WEFT_GUARD_ASSERT(w->in_packet);
	w->arrived++;
	if (w->to_port == NET_WORM_DRAIN) {
		net_step_at(s, node);
		drain(s, port, channel);
	} else if (node < s->net->ends) {
		net_step_at(s, node);
		net_worm_store(s, port, w->in_packet);
	} else if (w->to_port != NET_WORM_NONE &&
		   !(n->busy >> w->to_port & 1)) {
		net_mark(s, n, node)->dirty |= 1ull << w->to_port;
	}
}

/* ---- release of paths ---------------------------------------------------- */

/*
 * Forwards the release to the previous node of the path, from `port` of this
 * node at tick `at`; ack: with the acknowledgement, which is lost if the link
 * is dead.
 */
static void release_before(struct net_step *s, uint64_t at, unsigned port,
			   unsigned channel, uint32_t pi, bool ack)
{
	struct net *net = s->net;
	const struct net_hop *h = net_hop(s, port);
	struct net_packet *p = net_packet(net, pi);

	at += h->ticks;
	if (ack && link_failed(s, port)) {
		net_fault_held_ack_lost(s, port, pi);
		ack = false;
	}
	if (ack) {
		p->frac = (uint16_t)(p->frac + h->frac);
		at += p->frac / net->cfg.tick_ps;
		p->frac = (uint16_t)(p->frac % net->cfg.tick_ps);
	}
	push_event(s, at, s->link[port], channel, 0, ack ? ACK : RELEASE);
}

bool net_worm_release(struct net_step *s, uint32_t node, unsigned port,
		      uint32_t pi, uint64_t time_ps, bool acked)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	struct net_worm *w;
	uint64_t at;

	if (port >= net->ports)
		return false;
	w = net_worm(net, node, port, p->zone);
	if (w->in_packet != pi)
		return false;
	w->in_packet = 0;
	net_step_at(s, node);
	time_ps += net->cfg.ack_ps;
	at = time_ps / net->cfg.tick_ps;
	if (acked)
		p->frac = (uint16_t)(time_ps % net->cfg.tick_ps);
	release_before(s, at, port, p->zone, pi, acked);
	return true;
}

/* Releases a channel; the source also reports the acknowledgement. */
static void released(struct net_step *s, unsigned port, unsigned channel,
		     bool ack)
{
	struct net *net = s->net;
	struct net_worm *w = net_worm(net, s->id, port, channel), *in;
	uint32_t pi = w->packet, ticks;

	WEFT_GUARD_ASSERT(pi);
	w->packet = 0;
	if (w->from_port != NET_WORM_NONE) {
		in = net_worm(net, s->id, w->from_port, w->from_channel);
		in->in_packet = 0;
		release_before(s, s->now, w->from_port, w->from_channel, pi,
			       ack);
	} else if (ack) {
		ticks = net_wire_ticks(&net->cfg, net->cfg.ack_bytes,
				       net->rate[0]);
		net_nic_stored(s, NET_LOCAL_PORT, pi,
			       (s->now + ticks) * net->cfg.tick_ps +
				       net_packet(net, pi)->frac);
	}
}

void net_worm_event(struct net_step *s, uint64_t word)
{
	uint32_t node = net_word_node(word);
	unsigned port = net_word_port(word), what = net_word_payload(word);
	unsigned channel = net_worm_channel(net_word_vc(word));
	struct net_node *n = net_node(s->net, node);
	struct net_worm *w = net_worm(s->net, node, port, channel);

	if (what == SEGMENT) {
		segment_arrived(s, node, port, channel);
		return;
	}
	if (what == CREDIT) {
		w->credit++;
	} else {
		net_step_at(s, node);
		released(s, port, channel, what == ACK);
		net_pool_return(s->net, node, port, w->vc, 1);
	}
	if ((n->waiting & ~n->busy) >> port & 1)
		net_mark(s, n, node)->dirty |= 1ull << port;
}

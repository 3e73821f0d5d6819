/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive side of a node's network interface. Each receiver has an engine that
 * stores incoming packets. An acknowledgement reuses the record of its packet.
 * The net_up callbacks report completions.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_nic_int.h"
#include "prov/net/net_pool.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_wheel.h"
#include "prov/net/net_wormhole.h"

/* ---- reception engines --------------------------------------------------- */

/* Returns the ticks from the arrival of a packet's head to that of its tail. */
static uint32_t arrival_ticks(const struct net *net, const struct net_packet *p)
{
	if (weft_likely(!(net->rare & NET_RARE_TAIL)) || net->cfg.wormhole)
		return net_packet_len(net, 0, p);
	return p->tail;
}

/* Returns the time at which the reception engine for a packet is free. */
static uint64_t *engine_free(struct net_step *s, unsigned port,
			     const struct net_packet *p)
{
	struct net *net = s->net;

	if (weft_unlikely(p->vc >= NET_VC_HIGH) && net->cfg.torus_fifos)
		return &net_nic(net, s->id)
				->class_ps[p->vc == NET_VC_SYS
						   ? NET_CLASS_SYS
						   : NET_CLASS_HIGH];
	return &s->in[port].free_ps;
}

/* Returns when a packet whose head arrives now is completely stored. */
static uint64_t reception_end(struct net_step *s, unsigned port,
			      const struct net_packet *p)
{
	struct net *net = s->net;
	uint64_t *free_ps = engine_free(s, port, p);
	struct net_mrec *m = net_mrec(net, p->msg);
	const struct net_path *path = net_path_in(net, m);
	uint64_t head = s->now * net->cfg.tick_ps + p->frac;
	uint64_t end =
		head + (uint64_t)arrival_ticks(net, p) * net->cfg.tick_ps;
	uint64_t t;

	if (weft_unlikely(p->flags & NET_P_ACK))
		return end;
	if (!(m->flags & NET_M_SEEN) && m->dst == s->id) {
		m->flags |= NET_M_SEEN;
		s->node->active += net_mrec_bytes(m);
	}
	t = (head > *free_ps ? head : *free_ps) +
	    p->bytes * path->reception_ps_per_byte_x1000 / 1000;
	if (end < t)
		end = t;
	t = net_memory_end(net, s->id, head, p->bytes);
	if (end < t)
		end = t;
	t = net_bus_end(net, s->id, path->bus_in, head, p->bytes,
			path->burst_in_bytes);
	if (end < t)
		end = t;
	if (weft_unlikely(net->words)) {
		t = net_bus_miss(net, s->id, path->bus_in,
				 net_packet_word(net, m, p));
		if (end < t)
			end = t;
		/* a packet is stored after its address has been looked up */
		t = net_bus_lookup(net, s->id, path->bus_in,
				   net_packet_word(net, m, p),
				   head > *free_ps ? head : *free_ps) +
		    p->bytes * path->reception_ps_per_byte_x1000 / 1000;
		if (end < t)
			end = t;
	}
	WEFT_GUARD_ASSERT(end >= head);
	*free_ps = end;
	return end;
}

void net_nic_receive(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint32_t back = s->link[port];
	uint64_t end = reception_end(s, port, p);

	if (weft_unlikely(net->rare & NET_RARE_WORM)) {
		/* preliminary: set to a later time if the tail arrives later */
		p->want = end;
		net_worm_store(s, port, pi);
		return;
	}
	if (weft_unlikely(net->rare & NET_RARE_WORDS))
		net_words_ready(s, port, net_tick_of(net, end), p);
	else
		net_wheel_put(net,
			      net_tick_of(net, end) +
				      net_hop(s, port)->token_ticks,
			      NET_EV_TOKEN,
			      net_word(net_link_peer(back), NET_EV_TOKEN,
				       net_link_port(back), p->vc,
				       net_cost(net, p->chunks, p->vc)));
	net_nic_stored(s, port, pi, end);
}

bool net_nic_deposit(struct net_step *s, unsigned port, uint32_t pi)
{
	struct net *net = s->net;
	uint32_t ci = net_packet_get(net);
	struct net_packet *c = net_packet(net, ci);

	if (!ci)
		return false;
	*c = *net_packet(net, pi);
	net->copies++;
	net_nic_stored(s, port, ci, reception_end(s, port, c));
	return true;
}

/* ---- callbacks ----------------------------------------------------------- */

/*
 * Counts packets that arrive out of order: a packet is in order if all packets
 * still to be delivered come after it in the message.
 */
static void check_order(struct net *net, const struct net_mrec *m,
			const struct net_packet *p)
{
	uint32_t most = net_path(net, m)->packet_bytes;
	uint64_t after = net_mrec_bytes(m) - p->seq - p->bytes;

	if (!most)
		most = net->cfg.payload_bytes;
	if (m->flags & (NET_P_DYN | NET_P_DEPOSIT | NET_P_SPREAD) || m->fate ||
	    m->vc_zone & NET_MREC_MAPPED)
		return;
	net->disorder += (after + most - 1) / most + 1 != m->left;
}

/* Returns the cookie passed to net_send. */
static uint64_t cookie_of(const struct net *net, const struct net_mrec *m)
{
	return m->flags & NET_M_ACKED
		       ? net_mrec(net, (uint32_t)m->cookie)->cookie
		       : m->cookie;
}

/*
 * Releases the path of a delivered packet; acked: with its acknowledgement.
 * Returns false if the packet holds no path.
 */
static bool release_path(struct net_step *s, const struct net_call *c,
			 bool acked)
{
	return s->net->rare & NET_RARE_WORM &&
	       net_worm_release(s, net_word_node(c->word),
				net_word_port(c->word),
				net_word_payload(c->word), c->time_ps, acked);
}

/*
 * Sends the record of the packet back as its acknowledgement; record wi counts
 * the acknowledgements.
 */
static void send_ack(struct net_step *s, const struct net_call *c, uint32_t pi,
		     uint32_t wi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_mrec *w = net_mrec(net, wi);
	struct net_msg back = { .src = w->src, .dst = w->dst };
	unsigned fifo = net_ack_fifo(net);

	p->msg = wi;
	p->dst = w->dst;
	p->bytes = (uint16_t)net->cfg.ack_bytes;
	p->chunks = (uint8_t)net_chunks(net, p->bytes);
	p->flags = NET_P_ACK | NET_P_SPREAD;
	p->kind = net->cfg.ack_wire_bytes ? NET_FORM_ACK : 0;
	p->vc = NET_VC_SYS;
	p->frac = (uint16_t)((c->time_ps + net->cfg.ack_ps) % net->cfg.tick_ps);
	net->injected++;
	if (back.src == back.dst) {
		net_step_at(s, back.src);
		net_nic_stored(s, NET_LOCAL_PORT, pi,
			       c->time_ps + net->cfg.ack_ps);
		return;
	}
	if (release_path(s, c, true))
		return;
	net_routing_plan(net, &back, p->rem);
	net_routing_start(net, p);
	net_event_schedule(net, c->time_ps + net->cfg.ack_ps, NET_EV_WAKE,
			   net_word(w->src, NET_EV_WAKE, fifo, 0, pi));
}

static void acknowledged(struct net_step *s, const struct net_call *c,
			 uint32_t pi)
{
	struct net *net = s->net;
	uint32_t wi = net_packet(net, pi)->msg;
	struct net_mrec *w = net_mrec(net, wi);
	uint64_t cookie = w->cookie;

	WEFT_GUARD_ASSERT(net->delivered < net->injected && w->left);
	net->delivered++;
	net_packet_put(net, pi);
	w->left--;
	net_nic_ack_done(net, w);
	if (w->left)
		return;
	net_mrec_put(net, wi);
	if (s->up->acked)
		s->up->acked(s->arg, c->time_ps, cookie,
			     net_word_node(c->word));
}

void net_nic_deliver(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t pi = net_word_payload(c->word), node = net_word_node(c->word);
	struct net_packet p = *net_packet(net, pi);
	struct net_mrec *m = net_mrec(net, p.msg);
	uint64_t cookie = cookie_of(net, m);
	bool last, lost = m->fate & NET_FATE_LOST;

	if (weft_unlikely(net->rare & NET_RARE_WORM) &&
	    (p.flags & (NET_P_BAD | NET_P_ACK) || !(m->flags & NET_M_ACKED)))
		release_path(s, c, false);
	if (weft_unlikely(p.flags & NET_P_BAD)) {
		net_fault_packet_discard(s, c);
		return;
	}
	if (weft_unlikely(net->off_fault) &&
	    (net_fault_neterr_arrived(s, c) || net_fault_error_arrived(s, c) ||
	     net_fault_order_hold(s, c))) {
		release_path(s, c, false);
		return;
	}
	if (p.flags & NET_P_ACK) {
		acknowledged(s, c, pi);
		return;
	}
	WEFT_GUARD_ASSERT(m->flags & NET_P_DEPOSIT && m->dst != node
				  ? net->copies > 0
				  : net->delivered < net->injected);
	if (m->flags & NET_P_DEPOSIT && m->dst != node)
		net->copies--;
	else
		net->delivered++;
	check_order(net, m, &p);
	if (m->flags & NET_M_ACKED)
		send_ack(s, c, pi, (uint32_t)m->cookie);
	else
		net_packet_put(net, pi);
	WEFT_GUARD_ASSERT(m->left);
	last = --m->left == 0;
	if (last) {
		WEFT_GUARD_ASSERT(!(m->flags & NET_M_SEEN) ||
				  net_node(net, m->dst)->active >=
					  net_mrec_bytes(m));
		if (m->flags & NET_M_SEEN)
			net_node(net, m->dst)->active -= net_mrec_bytes(m);
		net_nic_msg_free(net, p.msg);
	}
	if (s->up->packet)
		s->up->packet(s->arg, c->time_ps, cookie, node, p.seq, p.bytes);
	if (weft_unlikely(lost)) {
		if (last && s->up->lost)
			s->up->lost(s->arg, c->time_ps, cookie, node);
		return;
	}
	if (s->up->arrived &&
	    (p.flags & NET_P_DEPOSIT ? p.flags & NET_P_LAST : last))
		s->up->arrived(s->arg, c->time_ps, cookie, node);
}

void net_nic_sent(struct net_step *s, const struct net_call *c)
{
	const struct net_mrec *m = net_mrec(s->net, net_word_payload(c->word));

	if (s->up->sent)
		s->up->sent(s->arg, c->time_ps, cookie_of(s->net, m), m->src);
}

void net_nic_timer(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t mi = net_word_payload(c->word);
	uint64_t cookie = net_mrec(net, mi)->cookie;

	WEFT_GUARD_ASSERT(net->timers);
	net->timers--;
	net_mrec_put(net, mi);
	if (net_word_vc(c->word) == NET_TIMER_WORD) {
		if (s->up->word)
			s->up->word(s->arg, c->time_ps, cookie,
				    net_word_node(c->word),
				    net_word_port(c->word));
		return;
	}
	if (weft_unlikely(net_word_vc(c->word))) {
		if (s->up->dead)
			s->up->dead(s->arg, c->time_ps, (uint32_t)cookie);
		return;
	}
	if (s->up->timer)
		s->up->timer(s->arg, c->time_ps, cookie);
}

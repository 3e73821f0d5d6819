/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets on links with errors, and on dead links.
 *
 * If links check packets, the link retransmits a bad packet and all packets
 * behind it from its window (go-back-N). The model represents this as a delay:
 * the packet arrives later, still in order.
 *
 * If only the target checks packets, it discards a bad packet and notifies the
 * source's interface, which retransmits. A packet with an uncorrectable memory
 * word is handled in the same way. With care.error_bytes the notification is a
 * packet, which may be delayed or lost like others. A packet sent to a dead
 * link is lost: its source times out, retries as often as the machine does,
 * then reports the message lost.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_nic_int.h"
#include "prov/net/net_pool.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_wheel.h"

#include "src/base/hash.h"

#include <stdlib.h>

/* backoff after resend_tries attempts; doubles with each further attempt */
#define BACKOFF_PS	1000000u
/* maximum number of doublings, for a limit of 64 us */
#define BACKOFF_DOUBLES 6u

static uint64_t ticks_of(const struct net *net, uint64_t ps)
{
	return (ps + net->cfg.tick_ps - 1) / net->cfg.tick_ps;
}

/* ---- bit errors ---------------------------------------------------------- */

/* Returns the bytes on the wire of a packet outside class routes. */
static uint32_t wire_bytes(const struct net *net, const struct net_packet *p)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t bytes = net_wire_bytes(cfg, p->chunks);

	if (p->kind == NET_FORM_ACK)
		return cfg->ack_wire_bytes;
	if (p->kind == NET_FORM_ERROR)
		return cfg->care.error_bytes;
	if (p->kind)
		bytes +=
			cfg->path[p->kind - 1].header_bytes - cfg->header_bytes;
	return bytes;
}

static void count_retry(struct net *net, struct net_fault_link *l)
{
	struct net_fault_count *sum = &net_faults(net)->sum;

	sum->retries++;
	sum->alarms += ++l->retries == net->cfg.care.retry_alarm;
}

/*
 * Sends a packet until no error is detected or the retry limit is reached.
 * Returns the delay in ticks; each retry takes `retry` ticks.
 */
static uint32_t try_link(struct net_step *s, unsigned port, unsigned vc,
			 const struct net_packet *p, uint32_t bytes,
			 uint64_t retry, enum net_fault_found *found_p)
{
	struct net *net = s->net;
	struct net_fault_link *l = net_fault_link(net, s->id, port);
	uint64_t id = (uint64_t)s->id * NET_PORTS_MAX + port, late = 0;
	uint8_t wrong[NET_FAULT_WIRE];
	unsigned n = 0;

	for (;;) {
		struct net_fault_count *sum;

		*found_p = net_fault_bits_draw(net, l, id, l->tries++, bytes,
					       wrong);
		if (*found_p != NET_FOUND_BAD && *found_p != NET_FOUND_HEADER)
			break;
		sum = &net_faults(net)->sum;
		l->bad++;
		sum->bad++;
		sum->header += *found_p == NET_FOUND_HEADER;
		if (net->cfg.care.checked == NET_CHECKED_END)
			break;
		count_retry(net, l);
		late += retry;
		if (++n == NET_FAULT_TRIES || late > UINT32_MAX / 2)
			break;
	}
	l->retry_ticks += late;
	if (*found_p == NET_FOUND_MISSED) {
		l->escaped++;
		net_faults(net)->sum.escaped++;
	}
	/* packets that the link's code refuses are not included in the CRCs */
	if (net->cfg.care.link_crc && *found_p != NET_FOUND_BAD &&
	    *found_p != NET_FOUND_HEADER)
		net_fault_crc_update(net, l, p, vc, bytes,
				     *found_p == NET_FOUND_GOOD ? NULL : wrong);
	return (uint32_t)late;
}

/* Returns the ticks from the end of a bad packet to its link-level retry. */
static uint64_t retry_ticks(struct net_step *s, unsigned port)
{
	const struct net_hop *h = net_hop(s, port);
	uint64_t told = (uint64_t)h->ticks + h->token_ticks;
	uint64_t wait = s->net->cfg.care.retry_ps;

	return wait ? ticks_of(s->net, wait) : told;
}

/* Generates memory errors for reading the packet from this node's buffers. */
static void read_words(struct net_step *s, struct net_packet *p, uint32_t bytes)
{
	struct net_fault_node *m = net_fault_node(s->net, s->id);
	struct net_fault_count *sum = &net_faults(s->net)->sum;
	uint32_t before = m->corrected, alarm = s->net->cfg.care.ecc_alarm;
	uint32_t lost = net_fault_memory_read(s->net, s->id, bytes);

	sum->alarms += alarm && before < alarm && m->corrected >= alarm;
	if (!lost)
		return;
	sum->poisoned++;
	p->flags |= NET_P_BAD;
	if (s->net->cfg.care.internal == NET_INTERNAL_HALT)
		net_fault_halt(s);
}

/* ---- dead links ---------------------------------------------------------- */

/* Schedules the timeout of a packet that is lost after `busy` ticks. */
static void schedule_timeout(struct net_step *s, unsigned port, unsigned vc,
			     uint32_t pi, uint32_t busy)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint64_t at = (s->now + busy) * net->cfg.tick_ps +
		      net->cfg.care.ack_timeout_ps;

	p->flags |= NET_P_BAD;
	p->dirs |= NET_PACKET_LOST;
	net_fault_order_wait(net, pi);
	p->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_event_schedule(net, at, NET_EV_DELIVER,
			   net_word(s->id, NET_EV_DELIVER, port, vc, pi));
}

void net_fault_held_ack_lost(struct net_step *s, unsigned port, uint32_t pi)
{
	schedule_timeout(s, port, NET_VC_SYS, pi, 0);
}

/* Handles a lost packet; its source detects the loss by timeout. */
static void packet_lost(struct net_step *s, unsigned port, unsigned vc,
			uint32_t pi, uint32_t busy)
{
	schedule_timeout(s, port, vc, pi, busy);
	net_wheel_after(
		s, busy, NET_EV_TOKEN,
		net_word(s->id, NET_EV_TOKEN, port, vc,
			 net_cost(s->net, net_packet(s->net, pi)->chunks, vc)));
}

/*
 * Returns the ticks by which a link delays the head of a packet because the
 * link is store-and-forward after an error, so that bad packets are not
 * forwarded. The last packet before the link returns to cut-through occupies it
 * for two more ticks, because its head arrives together with its tail, before
 * the head of the next packet.
 */
static uint32_t store_forward(const struct net *net, struct net_fault_link *l,
			      struct net_packet *p, bool bad, uint32_t *busy_p)
{
	uint32_t len = p->tail;

	if (bad)
		l->whole = net->cfg.care.store_forward;
	if (!l->whole)
		return 0;
	*busy_p += --l->whole ? 0 : 2;
	p->tail = 0;
	return len;
}

uint32_t net_fault_link_send(struct net_step *s, unsigned port, unsigned vc,
			     uint32_t pi, uint32_t *busy_p)
{
	struct net *net = s->net;
	struct net_fault_link *l = net_fault_link(net, s->id, port);
	struct net_packet *p = net_packet(net, pi);
	uint32_t bytes = wire_bytes(net, p), late, bad = l->bad;
	enum net_fault_found found;

	if (l->state == NET_LINK_DEAD) {
		packet_lost(s, port, vc, pi, *busy_p);
		return NET_FAULT_LOST;
	}
	read_words(s, p, bytes);
	if (!l->ber)
		return store_forward(net, l, p, false, busy_p);
	late = try_link(s, port, vc, p, bytes, *busy_p + retry_ticks(s, port),
			&found);
	*busy_p += late;
	late += store_forward(net, l, p, l->bad != bad, busy_p);
	if (found == NET_FOUND_GOOD || found == NET_FOUND_MISSED)
		return late;
	p->flags |= NET_P_BAD; /* the target discards the packet */
	if (found != NET_FOUND_AT_END && net->cfg.care.retrain_ps) {
		*busy_p += (uint32_t)ticks_of(net, net->cfg.care.retrain_ps);
		net_faults(net)->sum.retrains++;
	}
	return late;
}

/*
 * Returns the ticks by which errors delay a packet of a class route. Such a
 * packet is never discarded: where the source would retransmit it, this hop
 * takes longer by the same time.
 */
uint32_t net_fault_coll_send(struct net_step *s, unsigned port, uint32_t pi,
			     uint32_t len)
{
	struct net *net = s->net;
	const struct net_config *cfg = &net->cfg;
	const struct net_packet *p = net_packet(net, pi);
	struct net_fault_link *l = net_fault_link(net, s->id, port);
	uint32_t bytes = net_wire_bytes(cfg, p->chunks), late = 0, attempts;
	uint64_t retry = len + retry_ticks(s, port);
	enum net_fault_found found;

	if (p->kind == WEFT_COLL_BARRIER && cfg->barrier_bytes)
		bytes = cfg->barrier_bytes;
	if (l->state == NET_LINK_DEAD) {
		l->detours++;
		net_faults(net)->sum.detours++;
		return (uint32_t)ticks_of(net, cfg->care.ack_timeout_ps);
	}
	if (!l->ber)
		return 0;
	for (attempts = 0; attempts < NET_FAULT_TRIES; attempts++) {
		late += try_link(s, port, NET_VC_COLL0, p, bytes, retry,
				 &found);
		if (found != NET_FOUND_BAD && found != NET_FOUND_HEADER)
			break;
		net_faults(net)->sum.discarded++;
		net_faults(net)->sum.resends++;
		late += (uint32_t)(retry +
				   ticks_of(net, cfg->care.resend_ps +
							 cfg->care.retrain_ps));
	}
	return late;
}

/* ---- retransmission ------------------------------------------------------ */

/* Returns the backoff of the source's interface. */
static uint64_t backoff(const struct net *net, uint32_t attempts)
{
	uint32_t tries = net->cfg.care.resend_tries, more;

	if (attempts < tries)
		return 0;
	more = attempts - tries < BACKOFF_DOUBLES ? attempts - tries
						  : BACKOFF_DOUBLES;
	return (uint64_t)BACKOFF_PS << more;
}

/* Puts the packet into its source's network FIFO again. */
static void retransmit(struct net_step *s, uint32_t pi, uint64_t at)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	struct net_mrec *m = net_mrec(net, p->msg);
	struct net_msg route = { .src = m->src, .dst = p->dst };
	uint32_t count = p->dirs >> NET_RESENDS_SHIFT;
	bool ack = p->flags & NET_P_ACK;
	unsigned fifo = ack ? net_ack_fifo(net) : net_nic_engine(net, m);

	if ((count & NET_RESENDS_MAX) < NET_RESENDS_MAX)
		count++;
	m->fate |= NET_FATE_RESENT;
	p->vc = ack ? NET_VC_SYS : m->vc_zone & 15;
	p->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_routing_plan(net, &route, p->rem);
	net_routing_start(net, p);
	p->dirs = (p->dirs & 0xffff) | count << NET_RESENDS_SHIFT;
	net_faults(net)->sum.resends++;
	net_event_schedule(net, at, NET_EV_WAKE,
			   net_word(m->src, NET_EV_WAKE, fifo, 0, pi));
}

/* Returns whether the packet is a network error message. */
static bool is_neterr(const struct net_packet *p)
{
	return p->flags & NET_P_ACK && p->flags & NET_P_NETERR;
}

/*
 * Sends a network error message from the source of the data to its target,
 * reusing the record of the lost acknowledgement.
 */
static void neterr_send(struct net_step *s, uint32_t pi, uint64_t at)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_mrec *w = net_mrec(net, p->msg);
	struct net_msg route = { .src = w->dst, .dst = w->src };

	p->flags |= NET_P_NETERR;
	p->dst = w->src;
	p->vc = NET_VC_SYS;
	p->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_routing_plan(net, &route, p->rem);
	net_routing_start(net, p);
	net_faults(net)->sum.neterrs++;
	net_event_schedule(
		net, at, NET_EV_WAKE,
		net_word(w->dst, NET_EV_WAKE, net_ack_fifo(net), 0, pi));
}

bool net_fault_neterr_arrived(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t pi = net_word_payload(c->word);
	struct net_packet *p = net_packet(net, pi);

	if (!is_neterr(p))
		return false;
	p->flags &= (uint8_t)~NET_P_NETERR;
	p->dst = net_mrec(net, p->msg)->dst;
	retransmit(s, pi, c->time_ps + net->cfg.ack_ps);
	return true;
}

/* Retransmits a packet, or requests a lost acknowledgement again. */
static void resend(struct net_step *s, uint32_t pi, uint64_t at, bool timed_out)
{
	const struct net_packet *p = net_packet(s->net, pi);

	if (is_neterr(p) ||
	    (timed_out && p->flags & NET_P_ACK && s->net->cfg.care.neterr))
		neterr_send(s, pi, at);
	else
		retransmit(s, pi, at);
}

static bool is_error_response(const struct net_packet *p)
{
	return p->flags & NET_P_ACK && p->flags & NET_P_ERROR;
}

/* Restores the packet of an error response from its record. */
static void error_undo(const struct net *net, struct net_packet *p)
{
	uint32_t counts = p->dirs & ~0xffffu;

	net_nic_refill(net, p);
	p->dirs = (p->dirs & 0xffff) | counts;
}

/*
 * Sends an error response from the target, reusing the record of the discarded
 * packet.
 */
static void error_send(struct net_step *s, const struct net_call *c,
		       uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_mrec *m = net_mrec(net, p->msg);
	struct net_msg route = { .src = p->dst, .dst = m->src };
	uint64_t at = c->time_ps + net->cfg.ack_ps;
	uint32_t counts = p->dirs & ~0xffffu;

	p->dst = m->src;
	p->bytes = p->chunks = 0;
	p->flags = NET_P_ACK | NET_P_ERROR | NET_P_SPREAD;
	p->kind = NET_FORM_ERROR;
	p->vc = NET_VC_SYS;
	p->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_routing_plan(net, &route, p->rem);
	net_routing_start(net, p);
	p->dirs = (p->dirs & 0xffff) | counts;
	net_event_schedule(
		net, at, NET_EV_WAKE,
		net_word(route.src, NET_EV_WAKE, net_ack_fifo(net), 0, pi));
}

bool net_fault_error_arrived(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t pi = net_word_payload(c->word), attempts;
	struct net_packet *p = net_packet(net, pi);
	const struct net_mrec *m = net_mrec(net, p->msg);
	uint64_t cookie = m->cookie;

	if (!is_error_response(p))
		return false;
	if (m->flags & NET_M_ACKED)
		cookie = net_mrec(net, (uint32_t)m->cookie)->cookie;
	net_faults(net)->sum.error_events++;
	attempts = p->dirs >> NET_RESENDS_SHIFT & NET_RESENDS_MAX;
	error_undo(net, p);
	retransmit(s, pi,
		   c->time_ps + net->cfg.care.resend_ps +
			   backoff(net, attempts));
	if (s->up->error)
		s->up->error(s->arg, c->time_ps, cookie, m->src);
	return true;
}

/* Handles a lost packet, for which no acknowledgement will arrive. */
static void ack_lost(struct net *net, uint32_t wi)
{
	struct net_mrec *w = net_mrec(net, wi);

	w->left--;
	net_nic_ack_done(net, w);
	if (!w->left)
		net_mrec_put(net, wi);
}

static void message_lost(struct net_step *s, const struct net_call *c,
			 uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet p = *net_packet(net, pi);
	struct net_mrec *m = net_mrec(net, p.msg);
	uint64_t cookie = m->cookie;
	uint32_t node = m->dst, n = 1;

	net_fault_order_skip(s, c, pi, node);
	net->delivered++; /* the packet is no longer in flight */
	net_packet_put(net, pi);
	if (p.flags & NET_P_ACK) {
		ack_lost(net, p.msg);
		return;
	}
	if (m->flags & NET_M_ACKED) {
		cookie = net_mrec(net, (uint32_t)m->cookie)->cookie;
		ack_lost(net, (uint32_t)m->cookie);
	}
	net_faults(net)->sum.lost += !(m->fate & NET_FATE_LOST);
	m->fate |= NET_FATE_LOST;
	/* a deposit packet is lost for all remaining nodes of its line */
	if (p.flags & NET_P_DEPOSIT)
		for (unsigned d = 0; d < net->cfg.dims; d++)
			n += (uint32_t)abs(p.rem[d]);
	m->left -= n;
	if (m->left)
		return;
	if (m->flags & NET_M_SEEN)
		net_node(net, m->dst)->active -= net_mrec_bytes(m);
	net_nic_msg_free(net, p.msg);
	if (s->up->lost)
		s->up->lost(s->arg, c->time_ps, cookie, node);
}

/* Counts a timeout of the packet. Returns false at the retry limit. */
static bool count_timeout(struct net *net, struct net_packet *p)
{
	const struct net_mrec *m = net_mrec(net, p->msg);
	uint32_t n = (p->dirs >> NET_TIMEOUTS_SHIFT & NET_TIMEOUTS_MAX) + 1;

	net_faults(net)->sum.timeouts++;
	p->dirs &= ~(NET_PACKET_LOST | NET_TIMEOUTS_MAX << NET_TIMEOUTS_SHIFT);
	p->dirs |= n << NET_TIMEOUTS_SHIFT;
	return n <= net->cfg.care.resend_tries &&
	       !net_fault_node(net, m->src)->dead &&
	       !(p->flags & NET_P_ACK && net_fault_node(net, m->dst)->dead);
}

void net_fault_packet_discard(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	const struct net_reliability *care = &net->cfg.care;
	uint32_t pi = net_word_payload(c->word), attempts;
	struct net_packet *p = net_packet(net, pi);
	uint64_t at = c->time_ps;
	bool timed_out = p->dirs & NET_PACKET_LOST;
	bool response;

	p->flags &= (uint8_t)~NET_P_BAD;
	response = is_error_response(p);
	if (response)
		error_undo(net, p);
	attempts = p->dirs >> NET_RESENDS_SHIFT & NET_RESENDS_MAX;
	if (timed_out) {
		if (!count_timeout(net, p)) {
			message_lost(s, c, pi);
			return;
		}
	} else {
		net_faults(net)->sum.discarded++;
		net_fault_order_wait(net, pi);
		if (!care->resend_ps) {
			message_lost(s, c, pi);
			return;
		}
		if (care->error_bytes && !response && !(p->flags & NET_P_ACK)) {
			error_send(s, c, pi);
			return;
		}
		/*
		 * the notification travels back along the route of the packet
		 */
		at += (response ? care->ack_timeout_ps : 0) + care->resend_ps +
		      backoff(net, attempts) +
		      net_routing_hops(net, net_mrec(net, p->msg)->src,
				       p->dst) *
			      net->cfg.hop_ps;
	}
	resend(s, pi, at, timed_out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grants: a packet consumes tokens of a sender, leaves its queue and is sent on
 * the link, at packet granularity with virtual cut-through. net_arbiter.c
 * decides which packet is granted.
 */
#include "prov/net/net_grant.h"
#include "prov/net/net_counter.h"
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_slot.h"
#include "prov/net/net_tail.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_tile.h"
#include "prov/net/net_wheel.h"
#include "prov/net/net_wormhole.h"

/* ---- sending ------------------------------------------------------------- */

/*
 * Features that few machines have (net->rare) are in separate functions, so
 * that other machines do not test for them per packet.
 */

/* Consumes the tokens of a packet on a machine with shared tokens. */
WEFT_COLD static void take_shared_tokens(struct net_step *s, unsigned port,
					 unsigned vc,
					 const struct net_packet *p)
{
	struct net *net = s->net;
	uint32_t cost = net->cost[p->chunks];

	WEFT_GUARD_ASSERT(net_pool_left(net, s->id, port, vc) >= cost);
	net->excess += net_pool_left(net, s->id, port, vc) < cost;
	net_pool(net, s->id, port)->used[net_channel(vc)] += (uint16_t)cost;
	s->node->room[port] =
		(uint16_t)net_pool_left(net, s->id, port, NET_VC_DYN);
}

/* Consumes the tokens of a packet that is sent by a port. */
WEFT_INLINE void take_tokens(struct net_step *s, unsigned port, unsigned vc,
			     const struct net_packet *p, bool rare)
{
	struct net *net = s->net;
	struct net_node *n = s->node;
	uint32_t cost = vc ? 1 : net->cost[p->chunks];
	uint8_t *det;

	if (rare && net->rare & NET_RARE_SHARED) {
		take_shared_tokens(s, port, vc, p);
	} else if (vc) {
		det = &net_det_tokens(net, s->id, vc)[port];
		WEFT_GUARD_ASSERT(*det >= cost);
		net->excess += *det < cost;
		*det = (uint8_t)(*det - cost);
	} else {
		WEFT_GUARD_ASSERT(n->room[port] >= cost);
		net->excess += n->room[port] < cost;
		n->room[port] = (uint16_t)(n->room[port] - cost);
	}
	WEFT_GUARD_ASSERT(!(n->busy >> port & 1));
	net->excess += n->busy >> port & 1;
	n->busy |= 1ull << port;
}

/*
 * Returns the link time of a packet with a special header, in ticks. These
 * packets are counted separately, with those of class routes.
 */
WEFT_COLD static uint32_t form_busy(struct net_step *s, unsigned port,
				    const struct net_packet *p)
{
	struct net_out *o = net_out(s, port);
	uint32_t busy = net_packet_len(s->net, net_hop(s, port)->rate, p) +
			s->net->cfg.protocol_ticks;

	o->packets_coll++;
	o->chunks_coll += p->chunks;
	o->busy_coll += busy;
	return busy;
}

/*
 * Sends packet pi. rare is false on the fast path, which omits the uncommon
 * features of packets, links and machines.
 */
WEFT_INLINE void send_packet_as(struct net_step *s, unsigned port, unsigned vc,
				uint32_t pi, unsigned reader, bool rare)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_hop *h = net_hop(s, port);
	uint32_t link = s->link[port], hop = h->ticks;
	uint32_t busy =
		net_len(net, h->rate, p->chunks) + net->cfg.protocol_ticks;
	uint32_t frac = p->frac + (uint32_t)h->frac, late = 0;
	bool carry = frac >= net->cfg.tick_ps;

	WEFT_GUARD_ASSERT(link != NET_LINK_NONE && busy && pi);
	take_tokens(s, port, vc, p, rare);
	if (rare && p->kind)
		busy = form_busy(s, port, p);
	if (rare &&
	    (net->rare & (NET_RARE_TAIL | NET_RARE_WORM)) == NET_RARE_TAIL)
		hop += net_tail_send(s, port, p, &busy);
	net_routing_hop(net, p, s->id, port);
	net->hops++;
	net->escapes += net->has_escapes && vc && p->flags & NET_P_DYN;
	p->frac = (uint16_t)(frac - (carry ? net->cfg.tick_ps : 0));
	if (rare && net->rare & NET_RARE_COUNT)
		net_counter_sent(s, port, vc, p);
	if (rare && net->rare & NET_RARE_WORM)
		vc = net_worm_start(s, port, vc, pi, hop + carry, &busy);
	if (rare && net->rare & NET_RARE_FAULTS)
		late = net_fault_link_send(s, port, vc, pi, &busy);
	if (rare && late == NET_FAULT_LOST && net->rare & NET_RARE_WORM)
		net_worm_lost(s, port, pi);
	if (late != NET_FAULT_LOST)
		net_wheel_after(s, hop + carry + late, NET_EV_ARRIVE,
				net_word(net_link_peer(link), NET_EV_ARRIVE,
					 net_link_port(link), vc, pi));
	net_wheel_after(s, busy, NET_EV_TAIL,
			net_word(s->id, NET_EV_TAIL, port, 0, reader));
}

WEFT_NOINLINE static void launch_rare(struct net_step *s, unsigned port,
				      unsigned vc, uint32_t pi, unsigned reader)
{
	send_packet_as(s, port, vc, pi, reader, true);
}

/* Sends packet pi. reader: receiver that it leaves, plus one; 0: none. */
WEFT_INLINE void send_packet(struct net_step *s, unsigned port, unsigned vc,
			     uint32_t pi, unsigned reader, bool rare)
{
	if (rare || weft_unlikely(net_packet(s->net, pi)->kind))
		launch_rare(s, port, vc, pi, reader);
	else
		send_packet_as(s, port, vc, pi, reader, false);
}

/*
 * Counts a packet that arrived at receiver `port` and leaves by port `out`, and
 * returns its tokens to the previous sender.
 */
WEFT_INLINE void leave_receiver(struct net_step *s, unsigned port, unsigned out,
				const struct net_packet *p, bool rare)
{
	struct net *net = s->net;
	uint32_t back = s->link[port];
	uint32_t busy = net_packet_len(net, net_hop(s, out)->rate, p), left;

	if (rare && net->rare & NET_RARE_TAIL) {
		left = net_tail_left(s, p);
		busy = busy < left ? left : busy;
	}
	WEFT_GUARD_ASSERT((uint32_t)s->now - p->since <= INT32_MAX);
	s->in[port].wait_ticks += (uint32_t)s->now - p->since;
	if (rare && net->rare & NET_RARE_COUNT)
		net_counters(net, s->id, port)->wait_ticks[p->vc] +=
			(uint32_t)s->now - p->since;
	if (rare && net->rare & NET_RARE_WORM) {
		net_worm_leave(s, port, p);
		return;
	}
	if (rare && net->rare & NET_RARE_WORDS) {
		net_words_ready(s, port, s->now + busy, p);
		return;
	}
	net_wheel_after(s, busy + net_hop(s, port)->token_ticks, NET_EV_TOKEN,
			net_word(net_link_peer(back), NET_EV_TOKEN,
				 net_link_port(back), p->vc,
				 net_token_payload(s, p, rare)));
}

/*
 * Counts a packet that is leaving the dynamic VC; when all read paths are in
 * use, the VC is closed. Returns the receiver plus one, or 0 if its read paths
 * are not limited.
 */
static inline unsigned read_path(struct net_step *s, unsigned port)
{
	const struct net *net = s->net;
	struct net_node *n = s->node;

	if (!net->cfg.read_paths || port >= NET_READERS)
		return 0;
	WEFT_GUARD_ASSERT(n->reading[port] < net->cfg.read_paths);
	n->shut |=
		(uint16_t)((++n->reading[port] >= net->cfg.read_paths) << port);
	return port + 1;
}

/* ---- leaving a queue ----------------------------------------------------- */

void net_queue_pop(struct net_step *s, unsigned slot)
{
	struct net *net = s->net;
	struct net_in *in = &s->in[net_slot_in(net, slot)];
	unsigned q = net_slot_queue(net, slot);
	const struct net_packet *head;

	WEFT_GUARD_ASSERT(in->len[q] && in->head[q]);
	if (!--in->len[q])
		return;
	head = net_packet(net, in->head[q]);
	net_packet(net, head->next)->last = head->last;
	in->head[q] = head->next;
	net_mask_set(s->fresh, slot);
}

/* Grants `port` to the head of a slot that requests no other port. */
WEFT_INLINE void grant_head(struct net_step *s, unsigned port, unsigned vc,
			    unsigned slot, uint32_t pi, bool rare)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	unsigned in, reader = 0;

	if (slot >= NET_SLOT_FIFO) {
		if (rare)
			p->tail = 0;
		net_nic_fifo_pop(s, slot - NET_SLOT_FIFO);
	} else {
		in = net_slot_in(net, slot);
		net_queue_pop(s, slot);
		leave_receiver(s, in, port, p, rare);
		if (p->vc == NET_VC_DYN)
			reader = read_path(s, in);
	}
	send_packet(s, port, vc, pi, reader, rare);
}

void net_grant_head(struct net_step *s, unsigned port, unsigned vc,
		    unsigned slot, uint32_t pi)
{
	grant_head(s, port, vc, slot, pi, false);
}

void net_grant_head_rare(struct net_step *s, unsigned port, unsigned vc,
			 unsigned slot, uint32_t pi)
{
	grant_head(s, port, vc, slot, pi, true);
}

static void slot_withdraw(struct net_step *s, unsigned slot,
			  const struct net_packet *p)
{
	struct net_out *out = net_outs(s->net, s->id);
	uint64_t w;

	for (w = p->want; w; w &= w - 1)
		net_mask_clear(out[__builtin_ctzll(w)].dyn, slot);
	net_mask_clear(out[p->det].esc, slot);
}

void net_grant_slot(struct net_step *s, unsigned port, unsigned vc,
		    unsigned slot)
{
	uint32_t pi = net_slot_head(s->net, s->id, slot);

	WEFT_GUARD_ASSERT(pi);
	slot_withdraw(s, slot, net_packet(s->net, pi));
	if (weft_unlikely(s->net->rare))
		net_grant_head_rare(s, port, vc, slot, pi);
	else
		grant_head(s, port, vc, slot, pi, false);
}

static inline uint32_t pop_listed(struct net_step *s, unsigned port,
				  unsigned which)
{
	struct net_out *o = net_out(s, port);
	uint32_t pi = net_list_pop(s->net, &o->list[which]);

	WEFT_GUARD_ASSERT(pi && o->waits >> which & 1);
	if (!o->list[which].head)
		o->waits &= (uint8_t) ~(1u << which);
	return pi;
}

void net_grant_det_rare(struct net_step *s, unsigned port, unsigned vc,
			unsigned which)
{
	uint32_t pi = pop_listed(s, port, which);
	const struct net_packet *p = net_packet(s->net, pi);

	if (s->net->cfg.columns)
		s->dirty |= net_tile_leave(s, p);
	else
		leave_receiver(s, p->in, port, p, true);
	send_packet(s, port, vc, pi, 0, true);
}

void net_grant_det(struct net_step *s, unsigned port, unsigned vc,
		   unsigned which)
{
	uint32_t pi;

	if (weft_unlikely(s->net->rare)) {
		net_grant_det_rare(s, port, vc, which);
		return;
	}
	pi = pop_listed(s, port, which);
	leave_receiver(s, net_packet(s->net, pi)->in, port,
		       net_packet(s->net, pi), false);
	send_packet(s, port, vc, pi, 0, false);
}

unsigned net_inject_next(const struct net_out *o, unsigned vc)
{
	unsigned from = o->rr & 15u;
	uint32_t m = o->inject[vc], high = m >> from << from;

	WEFT_GUARD_ASSERT(m);
	return (unsigned)__builtin_ctz(high ? high : m);
}

void net_grant_inject(struct net_step *s, unsigned port, unsigned vc)
{
	struct net_out *o = net_out(s, port);
	unsigned f = net_inject_next(o, vc);
	uint32_t pi = net_slot_head(s->net, s->id, NET_SLOT_FIFO + f);

	o->inject[vc] &= (uint16_t) ~(1u << f);
	if (!o->inject[vc])
		o->vcs &= (uint8_t) ~(1u << vc);
	o->rr = (uint8_t)((NET_SLOT_FIFO + f + 1) & 127);
	net_nic_fifo_pop(s, f);
	if (weft_unlikely(s->net->rare)) {
		net_packet(s->net, pi)->tail = 0;
		send_packet(s, port, vc, pi, 0, true);
	} else {
		send_packet(s, port, vc, pi, 0, false);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operation of class routes. A contribution (part) passes the node's
 * collective engine, then waits in the combine table for the other inputs of
 * its packet, from this node and from its children. The ALU combines the
 * inputs; the result goes up to the root and is copied down every edge.
 *
 *          parent              up: credit_up of the member, list WAIT_UP
 *         ^  |                 down: credit_down of the child, WAIT_DOWN
 *      up |  v down            a buffer is released when its packet has
 *        member  <- parts      been combined, or all its copies have left
 *
 * Credits are counted per route and edge, so a route whose members are late
 * never delays another route; with coll_shared, the routes of a channel share
 * its tokens on every link (net_tree_link.c). On a machine where all channels
 * share tokens, packets of all routes take tokens of the link instead; such a
 * machine has no routes that wait for members (net_tree_supports).
 * net_tree_open.c opens and closes routes.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_counter.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_slot.h"
#include "prov/net/tree/net_tree.h"
#include "prov/net/tree/net_tree_int.h"
#include "prov/net/net_wheel.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Flag in the VC field of an event; events with this flag are sorted after
 * events without it.
 */
#define COLL_AFTER 8u
/*
 * Value of the port field of a credit event: the packet was not a barrier
 * packet.
 */
#define COLL_DATA  1u

static uint32_t coll_len(const struct net *net, const struct net_packet *p)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t full = net_len(net, 0, net_chunks(net, cfg->payload_bytes));

	if (p->kind == WEFT_COLL_BARRIER)
		return net_wire_ticks(cfg, cfg->barrier_bytes, net->rate[0]);
	if (!cfg->coll_packet_ticks)
		return net_len(net, 0, p->chunks) + cfg->protocol_ticks;
	return (net_len(net, 0, p->chunks) * cfg->coll_packet_ticks + full -
		1) /
	       full;
}

/* ---- contributions ------------------------------------------------------- */

static bool kind_valid(unsigned kind)
{
	return kind <= WEFT_COLL_ALLREDUCE ||
	       (kind >= NET_ACKED_BCAST && kind <= NET_QUERY);
}

int net_tree_send(struct net *net, uint64_t at, const struct net_part *part)
{
	uint64_t ps = at + net->cfg.coll_inject_ps;
	uint64_t tick = ps / net->cfg.tick_ps;
	struct net_packet *p;
	uint32_t mi, pi;

	if (part->node >= net->ends || !kind_valid(part->kind) ||
	    part->bytes > net->cfg.payload_bytes)
		return -EINVAL;
	mi = net_member_find(net, part->route, part->node);
	if (!mi)
		return -EINVAL;
	pi = net_part_get(net);
	if (!pi)
		return -EAGAIN;
	p = net_packet(net, pi);
	p->msg = mi;
	p->seq = part->seq;
	p->cookie = part->cookie;
	p->kind = part->kind;
	p->dst = part->kind < NET_ACKED_BCAST ? part->dst : part->node;
	p->bytes = (uint16_t)part->bytes;
	p->chunks = (uint8_t)net_chunks(net, part->bytes);
	p->flags = part->fp ? NET_P_FP : 0;
	if (p->kind == WEFT_COLL_BARRIER && !net_member(net, mi)->barrier &&
	    !net->cfg.query_ps) {
		/*
		 * A barrier without a free barrier class is an allreduce: a
		 * packet without payload through the ALU [SC11 II.C]. Its time
		 * is assumed to be the published time of floating-point
		 * operations, because barrier classes are described as the
		 * faster method [II.D].
		 */
		p->kind = WEFT_COLL_ALLREDUCE;
		p->flags = NET_P_FP;
	}
	p->in = NET_INPUT_LOCAL;
	p->frac = (uint16_t)(ps % net->cfg.tick_ps);
	if (tick < net->tick) {
		net->late++;
		tick = net->tick;
	}
	net_wheel_push(net, tick, net_part_word(net, NET_EV_PART, pi));
	return 0;
}

static void contribute(struct net_step *s, uint32_t pi);

void net_tree_part(struct net_step *s, uint64_t word)
{
	uint32_t pi = net_word_payload(word);
	struct net_packet *p = net_packet(s->net, pi);

	p->since = (uint32_t)s->now;
	if (p->kind == WEFT_COLL_BARRIER &&
	    !net_member(s->net, p->msg)->barrier)
		net_query_arrive(s, pi);
	else if (p->kind == WEFT_COLL_BARRIER || p->kind == NET_KIND_ANSWER)
		contribute(s, pi);
	else
		net_part_queue(s, pi);
}

static uint64_t engine_rate(const struct net *net)
{
	const struct net_config *cfg = &net->cfg;

	return cfg->coll_injection_ps_x1000
		       ? cfg->coll_injection_ps_x1000
		       : cfg->path[0].injection_ps_per_byte_x1000;
}

void net_tree_engine_start(struct net_step *s)
{
	struct net *net = s->net;
	struct net_nic *n = net_nic(net, s->id);
	struct net_packet *p = net_packet(net, n->part.head);
	uint64_t start = s->now * net->cfg.tick_ps, tick;

	if (n->part_busy || !n->part.head)
		return;
	if (p->since == (uint32_t)s->now)
		start += p->frac;
	if (start < n->part_ps)
		start = n->part_ps;
	n->part_ps = start + (net->cfg.header_bytes +
			      p->chunks * net->cfg.chunk_bytes) *
				     engine_rate(net) / 1000;
	n->part_busy = 1;
	tick = n->part_ps / net->cfg.tick_ps;
	net_wheel_push(net, tick > s->now ? tick : s->now + 1,
		       net_word(s->id, NET_EV_CBUILT, 0, 0, 0));
}

void net_tree_built(struct net_step *s, uint64_t word)
{
	struct net *net = s->net;
	struct net_nic *n = net_nic(net, s->id);
	uint32_t pi = net_list_pop(net, &n->part);
	struct net_packet *p = net_packet(net, pi);

	WEFT_GUARD_ASSERT(pi && n->part_busy);
	n->part_busy = 0;
	s->part = true;
	p->since = (uint32_t)s->now;
	p->frac = (uint16_t)(n->part_ps % net->cfg.tick_ps);
	contribute(s, pi);
}

/* ---- credits ------------------------------------------------------------- */

static void wait_for_port(struct net_step *s, unsigned port,
			  enum net_wait which, uint32_t pi)
{
	struct net_out *o = net_out(s, port);

	net_list_push(s->net, &o->list[which], pi);
	o->waits |= (uint8_t)(1u << which);
	s->node->waiting |= 1ull << port;
	s->dirty |= 1ull << port;
}

/*
 * Consumes a credit for packet pi of member m: a token of the link, or one of
 * the route's own credits. Returns false if none is left.
 */
static bool credit_take(struct net_step *s, const struct net_member *m,
			unsigned port, uint32_t pi, uint8_t *own)
{
	if (weft_unlikely(net_coll_uses_link(s->net, pi)))
		return net_coll_link_take(s->net, s->id, port, m->channel);
	if (!*own)
		return false;
	(*own)--;
	return true;
}

static void pump_up(struct net_step *s, struct net_member *m)
{
	while (m->up.head &&
	       credit_take(s, m, m->port_up, m->up.head, &m->credit_up)) {
		WEFT_GUARD_ASSERT(m->parent);
		wait_for_port(s, m->port_up, NET_WAIT_UP,
			      net_list_pop(s->net, &m->up));
	}
}

static void pump_down(struct net_step *s, struct net_member *child)
{
	while (child->down.head &&
	       credit_take(s, child, child->port_down, child->down.head,
			   &child->credit_down))
		wait_for_port(s, child->port_down, NET_WAIT_DOWN,
			      net_list_pop(s->net, &child->down));
}

/*
 * Returns the credit and the shared tokens for packet p's buffer at this node,
 * which becomes free at tick `at`.
 */
static void credit_back(struct net_step *s, uint64_t at, uint32_t mi,
			unsigned vc, const struct net_packet *p)
{
	struct net *net = s->net;
	const struct net_member *m = net_member(net, mi);
	uint32_t peer =
		net_member_node(net, vc == NET_VC_COLL0 ? mi : m->parent);
	unsigned port = vc == NET_VC_COLL0 ? m->port_down : m->port_up;

	at += net_hop(s, port)->token_ticks;
	net_wheel_push(net, at,
		       net_word(peer, NET_EV_CREDIT,
				p->kind == WEFT_COLL_BARRIER ? 0 : COLL_DATA,
				vc, mi));
	if (net_coll_shared(&net->cfg))
		net_wheel_push(net, at,
			       net_word(peer, NET_EV_TOKEN,
					net_link_port(s->link[port]), vc,
					net_token_payload(s, p, true)));
}

/*
 * Returns a token to a link's channel, and sends a packet that has waited for
 * it.
 */
WEFT_COLD static void link_credit(struct net_step *s,
				  const struct net_member *m, bool up)
{
	bool down = false;
	uint32_t mi = net_coll_link_return(s->net, s->id,
					   up ? m->port_up : m->port_down,
					   m->channel, &down);

	if (mi && down)
		pump_down(s, net_member(s->net, mi));
	else if (mi)
		pump_up(s, net_member(s->net, mi));
}

void net_tree_credit(struct net_step *s, uint64_t word)
{
	struct net_member *m = net_member(s->net, net_word_payload(word));
	unsigned most = net_tree_credits(s->net, net_word_vc(word));

	if (weft_unlikely(s->net->cfg.coll_shared) &&
	    net_word_port(word) == COLL_DATA) {
		link_credit(s, m, net_word_vc(word) == NET_VC_COLL0);
		return;
	}
	if (net_word_vc(word) == NET_VC_COLL0) {
		m->credit_up++;
		WEFT_GUARD_ASSERT(m->credit_up <= most);
		s->net->excess += m->credit_up > most;
		pump_up(s, m);
	} else {
		m->credit_down++;
		WEFT_GUARD_ASSERT(m->credit_down <= most);
		s->net->excess += m->credit_down > most;
		pump_down(s, m);
	}
}

/* ---- packets going down the tree ----------------------------------------- */

/*
 * Returns the time, ps, at which a packet whose head arrives at time `head` is
 * completely stored. With torus_fifos, one engine stores the packets of all
 * routes.
 */
static uint64_t reception_end(struct net_step *s, const struct net_packet *p,
			      uint64_t head)
{
	const struct net_config *cfg = &s->net->cfg;
	uint64_t end = head + (uint64_t)coll_len(s->net, p) * cfg->tick_ps, t;
	uint64_t *free_ps = &net_nic(s->net, s->id)->class_ps[NET_CLASS_COLL];

	if (!cfg->torus_fifos)
		return end;
	t = (head > *free_ps ? head : *free_ps) +
	    p->bytes * cfg->path[0].reception_ps_per_byte_x1000 / 1000;
	*free_ps = end > t ? end : t;
	return *free_ps;
}

static void deliver(struct net_step *s, const struct net_packet *p)
{
	struct net *net = s->net;
	uint32_t ri = net_part_get(net);
	struct net_packet *r = net_packet(net, ri);
	uint64_t at = s->now * net->cfg.tick_ps + p->frac;

	if (p->kind != WEFT_COLL_BARRIER)
		at = reception_end(s, p, at);
	at += p->kind == NET_KIND_ANSWER ? net->cfg.ack_receive_ps
					 : net->cfg.coll_receive_ps;
	WEFT_GUARD_ASSERT(ri);
	*r = *p;
	r->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_wheel_push(net, at / net->cfg.tick_ps,
		       net_word(s->id, NET_EV_RESULT, 0, 0, ri));
}

/* Frees the buffer of packet pi after its last copy has left. */
static void release_buffer(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	const struct net_packet *p = net_packet(net, pi);

	if (net_member(net, p->msg)->parent)
		credit_back(s, s->now + coll_len(net, p), p->msg, NET_VC_COLL1,
			    p);
	net_part_put(net, pi);
}

static void copy_down(struct net_step *s, uint32_t pi, uint32_t child)
{
	struct net *net = s->net;
	uint32_t ci = net_part_get(net);
	struct net_packet *c = net_packet(net, ci);

	*c = *net_packet(net, pi);
	WEFT_GUARD_ASSERT(ci && child);
	c->msg = child;
	c->holder = pi;
	net_list_push(net, &net_member(net, child)->down, ci);
	pump_down(s, net_member(net, child));
}

/* Delivers the result at this member, and copies it to all children. */
static void send_down(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	const struct net_member *m = net_member(net, p->msg);
	uint32_t c, copies = 0;

	p->zone = 1;
	if (net->packets_max - net->used_packets < m->children + 1u) {
		net_wheel_push(net, s->now + NET_RETRY_TICKS,
			       net_part_word(net, NET_EV_READY, pi));
		return;
	}
	if (p->kind == NET_KIND_ANSWER) {
		uint32_t child = net_query_child(net, p);

		/* an answer is delivered at the querying node only */
		if (!child)
			deliver(s, p);
		p->count = child != 0;
		if (child)
			copy_down(s, pi, child);
		else
			release_buffer(s, pi);
		return;
	}
	if (m->share && (p->kind != WEFT_COLL_REDUCE || p->dst == s->id))
		deliver(s, p);
	net->filtered += !m->share && s->id < net->ends;
	p->count = m->children;
	if (!p->count) {
		release_buffer(s, pi);
		return;
	}
	for (c = m->child; c; c = net_member(net, c)->next) {
		net_walk_check(copies++ < m->children);
		copy_down(s, pi, c);
	}
}

/* ---- packets going up the tree ------------------------------------------- */

/*
 * Sends the combined input of this member up to its parent or, at the root,
 * down to the children.
 */
static void send_up(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	struct net_member *m = net_member(net, net_packet(net, pi)->msg);

	if (!m->parent) {
		send_down(s, pi);
		return;
	}
	net_list_push(net, &m->up, pi);
	pump_up(s, m);
}

void net_tree_ready(struct net_step *s, uint64_t word)
{
	uint32_t pi = net_word_payload(word);

	if (net_packet(s->net, pi)->zone)
		send_down(s, pi);
	else
		send_up(s, pi);
}

/*
 * Reserves the ALU for a packet. Returns the tick at which the ALU starts on
 * it.
 */
static uint64_t alu_start(struct net_step *s, const struct net_packet *p)
{
	struct net_nic *n = net_nic(s->net, s->id);
	uint64_t start = s->now;

	if (p->kind == WEFT_COLL_BARRIER)
		return start;
	if (start < n->alu_tick)
		start = n->alu_tick;
	n->alu_tick = start + coll_len(s->net, p);
	return start;
}

struct input {
	uint64_t cookie;
	/*
	 * source of the input: 0 for this node, otherwise the child's port plus
	 * one
	 */
	uint32_t from;
};

static int input_order(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

/*
 * Sorts and combines the inputs of a combine table entry. Returns the cookie of
 * the result.
 */
static uint64_t result_of(struct net_step *s, uint32_t entry)
{
	struct net *net = s->net;
	struct input in[NET_SHARE_MAX + NET_PORTS_MAX];
	uint64_t cookie[NET_SHARE_MAX + NET_PORTS_MAX];
	const struct net_packet *p;
	unsigned n = 0, i;
	uint32_t pi;

	for (pi = entry; pi; pi = p->next) {
		net_walk_check(n < WEFT_COUNT_OF(in));
		p = net_packet(net, pi);
		in[n].cookie = p->cookie;
		in[n++].from = p->in == NET_INPUT_LOCAL ? 0 : p->in + 1u;
	}
	qsort(in, n, sizeof(in[0]), input_order);
	for (i = 0; i < n; i++)
		cookie[i] = in[i].cookie;
	p = net_packet(net, entry);
	if (n == 1 || p->kind == WEFT_COLL_BARRIER ||
	    p->kind == NET_KIND_ANSWER || !s->up->combine)
		return cookie[0];
	return s->up->combine(s->arg, s->now * net->cfg.tick_ps, s->id, cookie,
			      n);
}

/*
 * Replaces the inputs of a packet by one packet, after all of them have
 * arrived.
 */
static void tree_combine(struct net_step *s, uint32_t entry)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, entry), *q;
	uint64_t start = alu_start(s, p), free = start + coll_len(net, p);
	uint64_t cookie = result_of(s, entry);
	uint16_t frac = 0;
	uint32_t pi, next, steps = 0;

	for (pi = entry; pi; pi = next) {
		net_walk_check(steps++ < net->packets_max);
		q = net_packet(net, pi);
		next = q->next;
		if (q->since == (uint32_t)s->now && q->frac > frac)
			frac = q->frac;
		if (q->answer > p->answer)
			p->answer = q->answer;
		if (q->in != NET_INPUT_LOCAL)
			credit_back(s, free, q->holder, NET_VC_COLL0, q);
		if (pi != entry)
			net_part_put(net, pi);
	}
	p->cookie = cookie;
	p->frac = start == s->now ? frac : 0;
	p->next = 0;
	if (start == s->now)
		send_up(s, entry);
	else
		net_wheel_push(net, start,
			       net_part_word(net, NET_EV_READY, entry));
}

/*
 * Returns the number of inputs of a member: one per rank of its node (for
 * answers, one for the node), and one per child.
 */
static uint32_t member_inputs(const struct net_packet *p,
			      const struct net_member *m)
{
	uint32_t own = m->share;

	if (p->kind == NET_KIND_ANSWER)
		own = m->share != 0;
	return own + m->children;
}

static void contribute(struct net_step *s, uint32_t pi)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi), *q;
	const struct net_member *m = net_member(net, p->msg);
	uint32_t cell, *t = net_combine_table(net), entry;

	p->next = 0;
	p->count = 1;
	if (net_kind_one_to_all(p->kind)) {
		/* a packet from a single source has no other inputs */
		if (p->in != NET_INPUT_LOCAL)
			credit_back(s, s->now + coll_len(net, p), p->holder,
				    NET_VC_COLL0, p);
		send_up(s, pi);
		return;
	}
	cell = net_combine_find(net, p);
	entry = t[cell];
	if (entry) {
		q = net_packet(net, entry);
		p->next = q->next;
		q->next = pi;
		q->count++;
	} else {
		t[cell] = entry = pi;
	}
	if (net_packet(net, entry)->count < member_inputs(p, m))
		return;
	net_combine_delete(net, cell);
	tree_combine(s, entry);
}

void net_tree_arrive(struct net_step *s, uint64_t word)
{
	uint32_t pi = net_word_payload(word);
	struct net_packet *p = net_packet(s->net, pi);

	p->since = (uint32_t)s->now;
	p->in = (uint8_t)net_word_port(word);
	s->in[p->in].received++;
	s->in[p->in].chunks += p->chunks;
	if ((net_word_vc(word) & ~COLL_AFTER) == NET_VC_COLL0)
		contribute(s, pi);
	else
		send_down(s, pi);
}

/* ---- sending on links ---------------------------------------------------- */

/*
 * Counts a copy that leaves; after the last copy, frees the buffer of the
 * packet from which the copies were made.
 */
static void copy_sent(struct net_step *s, struct net_packet *c)
{
	struct net_packet *h = net_packet(s->net, c->holder);

	if (--h->count == 0)
		release_buffer(s, c->holder);
	c->holder = 0;
}

/*
 * Returns the flag of a packet's arrival event. A packet that cuts through may
 * arrive in the same tick as the barrier packet ahead of it on the link, but
 * must be processed after that packet.
 */
static unsigned cut_through(const struct net_packet *p)
{
	return p->kind == WEFT_COLL_BARRIER ? 0 : COLL_AFTER;
}

bool net_tree_fits(const struct net_step *s, unsigned port, enum net_wait which)
{
	const struct net *net = s->net;
	uint32_t pi = net_out(s, port)->list[which].head;

	return pi && (!net_coll_shared(&net->cfg) ||
		      net_pool_left(net, s->id, port, NET_VC_COLL0) >=
			      net->cost[net_packet(net, pi)->chunks]);
}

/* Consumes the shared tokens for a packet that is sent through a port. */
WEFT_COLD static void take_shared(struct net_step *s, unsigned port,
				  const struct net_packet *p)
{
	struct net *net = s->net;

	net_pool(net, s->id, port)->used[NET_CHANNEL_COLL] +=
		net->cost[p->chunks];
	s->node->room[port] =
		(uint16_t)net_pool_left(net, s->id, port, NET_VC_DYN);
}

/*
 * Returns the virtual channel in whose counters a packet is counted: the
 * channel of its route if routes share channels, otherwise `vc`.
 */
static unsigned channel_of(const struct net *net, const struct net_packet *p,
			   unsigned vc)
{
	return net->cfg.coll_shared
		       ? 0u + NET_VC_COLL0 + net_member(net, p->msg)->channel
		       : vc;
}

void net_tree_grant(struct net_step *s, unsigned port, enum net_wait which)
{
	struct net *net = s->net;
	struct net_out *o = net_out(s, port);
	const struct net_hop *h = net_hop(s, port);
	uint32_t link = s->link[port];
	uint32_t pi = net_list_pop(net, &o->list[which]), len, hop, late = 0;
	struct net_packet *p = net_packet(net, pi);
	bool up = which == NET_WAIT_UP;
	unsigned vc;

	if (!o->list[which].head)
		o->waits &= (uint8_t) ~(1u << which);
	len = coll_len(net, p);
	hop = h->ticks;
	if (p->flags & NET_P_FP)
		hop += up ? net->cfg.coll_up_ticks : net->cfg.coll_down_ticks;
	/*
	 * A node builds a new barrier packet when the OR of its inputs has
	 * changed [SC11 II.D], so it needs the whole old packet: no
	 * cut-through.
	 */
	if (p->kind == WEFT_COLL_BARRIER)
		hop += len;
	p->frac = (uint16_t)(p->frac + h->frac);
	if (p->frac >= net->cfg.tick_ps) {
		p->frac = (uint16_t)(p->frac - net->cfg.tick_ps);
		hop++;
	}
	if (up) {
		p->holder = p->msg;
		p->msg = net_member(net, p->msg)->parent;
	} else {
		copy_sent(s, p);
	}
	if (weft_unlikely(net->off_fault))
		late = net_fault_coll_send(s, port, pi, len);
	hop += late;
	if (net_coll_shared(&net->cfg))
		take_shared(s, port, p);
	s->node->busy |= 1ull << port;
	o->packets_coll++;
	o->chunks_coll += p->chunks;
	o->busy_coll += len;
	net->hops++;
	vc = up ? NET_VC_COLL0 : NET_VC_COLL1;
	if (weft_unlikely(net->rare & NET_RARE_COUNT))
		net_counter_sent(s, port, channel_of(net, p, vc), p);
	net_wheel_push(net, s->now + hop,
		       net_word(net_link_peer(link), NET_EV_COLL,
				net_link_port(link), vc | cut_through(p), pi));
	net_wheel_push(net, s->now + len + late,
		       net_word(s->id, NET_EV_TAIL, port, 0, 0));
}

void net_tree_result(struct net_step *s, const struct net_call *c)
{
	struct net *net = s->net;
	uint32_t pi = net_word_payload(c->word);
	struct net_packet p = *net_packet(net, pi);

	if (p.kind == NET_KIND_ANSWER) {
		net_query_answered(s, c, pi);
		return;
	}
	if (p.kind >= NET_ACKED_BCAST) {
		net_query_receive(s, c, pi);
		return;
	}
	net_part_put(net, pi);
	if (s->up->result)
		s->up->result(s->arg, c->time_ps,
			      net_member(net, p.msg)->route - 1,
			      net_word_node(c->word), p.seq, p.cookie);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input side of a node: packets that arrive at receivers, tails of packets that
 * have left senders, and tokens that have returned to senders. These events
 * commute; net_arbiter.c then serves the ports that they have changed.
 *
 * A dynamic packet joins the shortest queue of its receiver; the head of each
 * queue is a slot. A packet on a deterministic channel waits in a list of the
 * one port that it needs, in order; packets that stay in a ring and packets
 * that enter the ring have separate lists.
 */
#include "prov/net/net_nic.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_router.h"
#include "prov/net/net_slot.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_tile.h"
#include "prov/net/net_wheel.h"
#include "prov/net/net_wormhole.h"

/* ---- arriving packets ---------------------------------------------------- */

void net_router_offer(struct net_step *s, unsigned fifo, uint32_t pi)
{
	struct net_packet *p = net_packet(s->net, pi);

	if (p->flags & NET_P_DYN && s->net->steer != NET_STEER_SWITCHED) {
		net_mask_set(s->fresh, NET_SLOT_FIFO + fifo);
	} else {
		/* a deterministic head can use only one port */
		struct net_out *o = net_out(s, p->det);

		o->inject[p->vc] |= (uint16_t)(1u << fifo);
		o->vcs |= (uint8_t)(1u << p->vc);
		s->node->waiting |= 1ull << p->det;
		s->dirty |= 1ull << p->det;
	}
}

static unsigned shortest_queue(const struct net *net, const struct net_in *in)
{
	unsigned q, best = 0;

	for (q = 0; q < net->cfg.dyn_queues; q++) {
		if (!in->len[q])
			return q;
		if (in->len[q] < in->len[best])
			best = q;
	}
	return best;
}

/* Appends a packet to a receiver's queue. Returns whether it was empty. */
static bool queue_push(const struct net *net, struct net_in *in, unsigned q,
		       uint32_t pi)
{
	struct net_packet *p = net_packet(net, pi), *head;

	WEFT_GUARD_ASSERT(in->len[q] < UINT8_MAX);
	if (in->len[q]++) {
		head = net_packet(net, in->head[q]);
		net_packet(net, head->last)->next = pi;
		head->last = pi;
		return false;
	}
	in->head[q] = pi;
	p->last = pi;
	return true;
}

/* Returns the list for a deterministic packet that arrived at `port`. */
static unsigned wait_of(const struct net *net, const struct net_packet *p,
			unsigned port)
{
	bool on = net->flow[p->det] == (net->flow[port] ^ 1u);

	return NET_WAIT_DET + 2 * (p->vc - 1u) + !on;
}

/* Inserts a packet in order of arrival tick, then of receiver. */
static void list_push(struct net *net, struct net_list *l, uint32_t pi)
{
	struct net_packet *p = net_packet(net, pi);
	const struct net_packet *t = net_packet(net, l->tail), *q;
	uint32_t i, prev = 0, steps = 0;

	if (!l->head || t->since != p->since || t->in < p->in) {
		net_list_push(net, l, pi);
		return;
	}
	for (i = l->head;; i = q->next) {
		net_walk_check(steps++ < net->packets_max);
		q = net_packet(net, i);
		if (q->since == p->since && q->in > p->in)
			break;
		prev = i;
	}
	p->next = i;
	if (prev)
		net_packet(net, prev)->next = pi;
	else
		l->head = pi;
}

void net_router_list(struct net_step *s, uint32_t node, unsigned port,
		     uint32_t pi, unsigned w)
{
	struct net_packet *p = net_packet(s->net, pi);
	struct net_out *o = &net_outs(s->net, node)[p->det];

	WEFT_GUARD_ASSERT(w < NET_WAITS && p->det < s->net->ports);
	p->in = (uint8_t)port;
	list_push(s->net, &o->list[w], pi);
	o->waits |= (uint8_t)(1u << w);
	net_node(s->net, node)->waiting |= 1ull << p->det;
}

WEFT_NOINLINE static void list_det(struct net_step *s, uint32_t node,
				   unsigned port, uint32_t pi)
{
	net_router_list(s, node, port, pi,
			wait_of(s->net, net_packet(s->net, pi), port));
}

static void queue_det(struct net_step *s, struct net_node *n, uint32_t id,
		      unsigned port, uint32_t pi)
{
	uint64_t dirty;

	if (weft_unlikely(s->net->cfg.columns)) {
		dirty = net_tile_arrive(s, id, port, pi);
	} else {
		list_det(s, id, port, pi);
		dirty = 1ull << net_packet(s->net, pi)->det;
	}
	if (dirty)
		net_mark(s, n, id)->dirty |= dirty;
}

static void queue_dynamic(struct net_step *s, struct net_node *n, uint32_t id,
			  unsigned port, uint32_t pi)
{
	const struct net *net = s->net;
	struct net_in *in = &net_ins(net, id)[port];
	unsigned q = net_packet(net, pi)->vc == NET_VC_DYN
			     ? shortest_queue(net, in)
			     : net->queues - 1;

	if (weft_unlikely(net->cfg.wormhole))
		q = net_packet(net, pi)->zone;

	if (queue_push(net, in, q, pi))
		net_mask_set(net_mark(s, n, id)->fresh,
			     (port << net->qshift) + q);
}

/*
 * Keeps a copy of a line broadcast's packet. If no record is free, returns
 * false, and the arrival is retried.
 */
static bool keep_copy(struct net_step *s, uint64_t word)
{
	net_step_at(s, net_word_node(word));
	if (net_nic_deposit(s, net_word_port(word), net_word_payload(word)))
		return true;
	net_wheel_push(s->net, s->now + NET_RETRY_TICKS, word);
	return false;
}

static inline void packet_arrive(struct net_step *s, uint64_t word)
{
	const struct net *net = s->net;
	uint32_t id = net_word_node(word), pi = net_word_payload(word);
	unsigned port = net_word_port(word);
	struct net_packet *p = net_packet(net, pi);
	struct net_in *in = &net_ins(net, id)[port];
	bool ends = net_routing_is_last(net, p, id);

	if (weft_unlikely(p->flags & NET_P_DEPOSIT) && !ends &&
	    !keep_copy(s, word))
		return;
	WEFT_GUARD_ASSERT(id < net->nodes && port < net->ports &&
			  p->chunks <= NET_PAYLOAD_CHUNKS);
	p->vc = (uint8_t)net_word_vc(word);
	if (weft_unlikely(net->rare & NET_RARE_WORM))
		net_worm_arrive(s, id, port, net_word_vc(word), pi);
	p->since = (uint32_t)s->now;
	in->received++;
	in->chunks += p->chunks;
	if (ends) {
		net_step_at(s, id);
		net_nic_receive(s, port, pi);
		return;
	}
	if (weft_unlikely(net->rare & NET_RARE_SWITCHED)) {
		/* net_switched_route() will empty the queue in this tick */
		if (queue_push(net, in, 0, pi))
			net_mask_set(net_mark(s, net_node(net, id), id)->fresh,
				     port);
		return;
	}
	net_routing_ports(net, p, id);
	if (p->flags & NET_P_DYN)
		queue_dynamic(s, net_node(net, id), id, port, pi);
	else
		queue_det(s, net_node(net, id), id, port, pi);
}

/* Releases a read path. Returns the ports that may now be granted. */
static inline uint64_t read_path_free(const struct net *net, struct net_node *n,
				      unsigned reader)
{
	WEFT_GUARD_ASSERT(n->reading[reader]);
	if (n->reading[reader]-- < net->cfg.read_paths)
		return 0;
	n->shut &= (uint16_t) ~(1u << reader);
	return n->waiting;
}

static inline void packet_tail(struct net_step *s, uint64_t word)
{
	uint32_t id = net_word_node(word), reader = net_word_payload(word);
	struct net_node *n = net_node(s->net, id);
	uint64_t port = 1ull << net_word_port(word), ports;

	WEFT_GUARD_ASSERT(n->busy & port);
	n->busy &= ~port;
	ports = n->waiting & port;
	if (reader)
		ports |= read_path_free(s->net, n, reader - 1);
	if (ports)
		net_mark(s, n, id)->dirty |= ports;
}

/*
 * Updates the moving average of the waiting time behind a port, in tokens, from
 * the waiting time that returned tokens report. The average is halved when all
 * tokens have returned. Returns the number of tokens returned.
 */
WEFT_COLD static uint32_t update_port_delay(const struct net *net, uint32_t id,
					    unsigned port, uint32_t payload)
{
	uint32_t back = payload & ((1u << NET_TOKEN_WAIT) - 1);
	uint32_t full = net_chunks(net, net->cfg.payload_bytes);
	uint64_t wait = (uint64_t)(payload >> NET_TOKEN_WAIT) *
			net->cost[full] / net_len(net, 0, full);
	uint16_t *a = &net_port_delay(net, id)[port];

	*a = (uint16_t)(*a - *a / 4 + (wait < 4095 ? wait : 4095) / 4);
	if (net_node(net, id)->room[port] + back >= net->tokens_most[0])
		*a /= 2;
	return back;
}

WEFT_COLD static uint32_t token_rare(struct net *net, uint32_t id,
				     unsigned port, unsigned vc, uint32_t back)
{
	struct net_node *n = net_node(net, id);

	if (net->rare & NET_RARE_AHEAD)
		back = update_port_delay(net, id, port, back);
	if (net->rare & NET_RARE_SHARED)
		return net_pool_return(net, id, port, vc, back);
	if (net->rare & NET_RARE_SWITCHED && id >= net->ends)
		net_port_load(net, id)[port]--;
	if (vc)
		return ++net_det_tokens(net, id, vc)[port];
	return n->room[port] = (uint16_t)(n->room[port] + back);
}

WEFT_INLINE void token_return(struct net_step *s, uint64_t word, bool rare)
{
	struct net *net = s->net;
	uint32_t id = net_word_node(word), have;
	struct net_node *n = net_node(net, id);
	unsigned port = net_word_port(word), vc = net_word_vc(word);

	if (rare && net->rare & NET_RARE_WORM) {
		net_worm_event(s, word);
		return;
	}
	if (rare && vc & NET_TOKEN_READY) {
		net_words_credit(s, word);
		return;
	}
	if (rare)
		have = token_rare(net, id, port, vc, net_word_payload(word));
	else if (vc)
		have = ++net_det_tokens(net, id, vc)[port];
	else
		have = n->room[port] =
			(uint16_t)(n->room[port] + net_word_payload(word));
	WEFT_GUARD_ASSERT(have <= net->tokens_most[vc]);
	net->excess += have > net->tokens_most[vc];
	if ((n->waiting & ~n->busy) >> port & 1)
		net_mark(s, n, id)->dirty |= 1ull << port;
}

void net_router_arrive(struct net_step *s, const uint64_t *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		packet_arrive(s, w[i]);
}

void net_router_tail(struct net_step *s, const uint64_t *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		packet_tail(s, w[i]);
}

void net_router_token(struct net_step *s, const uint64_t *w, uint32_t n)
{
	uint32_t i;

	if (weft_unlikely(s->net->rare & NET_RARE_TOKENS)) {
		for (i = 0; i < n; i++)
			token_return(s, w[i], true);
		return;
	}
	for (i = 0; i < n; i++)
		token_return(s, w[i], false);
}

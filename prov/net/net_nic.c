/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send side of a node's network interface. A message waits in a FIFO in memory.
 * Each network FIFO has an engine, which serves several FIFOs in memory,
 * round-robin or in random order, and builds one packet at a time while the
 * network FIFO has space.
 * If the messages in progress exceed the L2 cache, all engines of the node
 * share the memory bandwidth; buses are always shared. The receive side is
 * net_nic_in.c.
 *
 * All times are computed from the times that the caller passes, not from the
 * order of calls, so a send may be backdated by up to net_lookahead().
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_nic_int.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_router.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/net_wheel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Port number in the wake-up event of a message with a FIFO map. */
enum { NET_MAPPED_PORT = 62 };

/* ---- messages in memory -------------------------------------------------- */

static uint32_t ring_find(const struct net *net, uint32_t ring, uint32_t fifo)
{
	uint32_t m = ring, steps = 0;

	if (!m)
		return 0;
	do {
		net_walk_check(steps++ < net->msgs_max);
		if (net_mrec(net, m)->fifo == fifo)
			return m;
		m = net_mrec(net, m)->ring;
	} while (m != ring);
	return 0;
}

static void ring_add(const struct net *net, uint32_t *ring, uint32_t mi)
{
	struct net_mrec *m = net_mrec(net, mi);

	if (!*ring) {
		m->ring = mi;
		*ring = mi;
		return;
	}
	m->ring = net_mrec(net, *ring)->ring;
	net_mrec(net, *ring)->ring = mi;
}

static void ring_remove(const struct net *net, uint32_t *ring, uint32_t mi)
{
	uint32_t prev = mi, steps = 0;

	while (net_mrec(net, prev)->ring != mi) {
		net_walk_check(steps++ < net->msgs_max);
		prev = net_mrec(net, prev)->ring;
	}
	net_mrec(net, prev)->ring = net_mrec(net, mi)->ring;
	*ring = prev == mi ? 0 : prev;
}

static bool is_mapped(const struct net_mrec *m)
{
	return m->vc_zone & NET_MREC_MAPPED;
}

/*
 * Returns the list of FIFO heads to which the message belongs when it is a
 * head.
 */
static uint32_t *ring_of(const struct net *net, const struct net_mrec *m)
{
	if (weft_unlikely(is_mapped(m)))
		return &net_nic(net, m->src)->mapped;
	return &net_fifos(net, m->src)[net_nic_engine(net, m)].ring;
}

static void push_wake(struct net *net, const struct net_mrec *m)
{
	unsigned port = weft_unlikely(is_mapped(m)) ? NET_MAPPED_PORT
						    : net_nic_engine(net, m);

	net_event_schedule(net, m->ready_ps, NET_EV_WAKE,
			   net_word(m->src, NET_EV_WAKE, port, 0, 0));
}

/*
 * Returns the head of a FIFO in memory, or 0. A FIFO may hold messages with and
 * without a map.
 */
static uint32_t head_find(const struct net *net, const struct net_mrec *m)
{
	unsigned engine = net_nic_engine(net, m);
	uint32_t head =
		ring_find(net, net_fifos(net, m->src)[engine].ring, m->fifo);

	if (weft_unlikely(net->mapped) && !head)
		head = ring_find(net, net_nic(net, m->src)->mapped, m->fifo);
	return head;
}

static void enqueue(struct net *net, uint32_t mi)
{
	struct net_mrec *m = net_mrec(net, mi);
	uint32_t head = head_find(net, m);

	if (head) {
		net_mrec(net, net_mrec(net, head)->last)->next = mi;
		net_mrec(net, head)->last = mi;
	} else {
		m->last = mi;
		ring_add(net, ring_of(net, m), mi);
	}
	push_wake(net, m);
}

/*
 * Completes a message whose last packet was built at `end`; the next message of
 * its FIFO becomes the head.
 */
static void next_message(struct net *net, uint32_t mi, uint64_t end)
{
	struct net_mrec *m = net_mrec(net, mi), *n;

	ring_remove(net, ring_of(net, m), mi);
	if (!m->next)
		return;
	n = net_mrec(net, m->next);
	n->last = m->last;
	ring_add(net, ring_of(net, n), m->next);
	if (weft_unlikely(net->mapped))
		n->ready_ps = n->ready_ps > end ? n->ready_ps : end;
	if (n->ready_ps > end || weft_unlikely(net->mapped))
		push_wake(net, n);
}

static const uint8_t mode_vc[] = {
	[NET_DYNAMIC] = NET_VC_DYN,
	[NET_DETERMINISTIC] = NET_VC_DET,
	[NET_HIGH] = NET_VC_HIGH,
	[NET_SYSTEM] = NET_VC_SYS,
};

static uint8_t flags_of(const struct net_msg *msg)
{
	unsigned f = 0;

	if (msg->routing == NET_DYNAMIC)
		f |= NET_P_DYN;
	if (msg->deposit)
		f |= NET_P_DEPOSIT;
	if (msg->stay)
		f |= NET_P_STAY;
	if (msg->spread)
		f |= NET_P_SPREAD;
	return (uint8_t)f;
}

/*
 * Returns the number of nodes that receive the message: with deposit, all nodes
 * on its route. A hint may select the longer direction around the ring.
 */
static uint64_t receiving_nodes(const struct net *net,
				const struct net_msg *msg, const int8_t *rem)
{
	uint64_t nodes = 0;

	if (!msg->deposit)
		return 1;
	for (unsigned d = 0; d < net->cfg.dims; d++)
		nodes += (uint64_t)abs(rem[d]);
	return nodes;
}

static bool deposit_ok(const struct net *net, const struct net_msg *msg,
		       const int8_t *rem)
{
	unsigned d, lines = 0;

	if (!msg->deposit)
		return true;
	for (d = 0; d < net->cfg.dims; d++)
		lines += rem[d] != 0;
	return (net->steer == NET_STEER_TORUS || net->steer == NET_STEER_IO) &&
	       lines == 1 && msg->routing != NET_DYNAMIC;
}

/* Returns the payload bytes of a full packet of the message. */
static uint32_t packet_most(const struct net *net, const struct net_mrec *m)
{
	uint32_t most = net_path(net, m)->packet_bytes;

	return most ? most : net->cfg.payload_bytes;
}

/*
 * Allocates a record that counts the acknowledgements of a message. Returns
 * false if no record is free.
 */
static bool alloc_ack_record(struct net *net, uint32_t mi)
{
	uint32_t wi = net_mrec_get(net);
	struct net_mrec *m = net_mrec(net, mi), *w = net_mrec(net, wi);

	if (!wi)
		return false;
	*w = (struct net_mrec){ .cookie = m->cookie,
				.left = m->left,
				.src = m->dst,
				.dst = m->src };
	m->cookie = wi;
	m->flags |= NET_M_ACKED;
	return true;
}

/*
 * Allocates a record that stores the source route of a message. Returns false
 * if no record is free.
 */
static bool alloc_route_record(struct net *net, uint32_t mi,
			       const struct net_msg *msg)
{
	uint32_t ri = net_mrec_get(net);
	struct net_mrec *m = net_mrec(net, mi);
	struct net_route *r = (struct net_route *)net_mrec(net, ri);

	if (!ri)
		return false;
	memcpy(r->port, msg->route, msg->route_len);
	memcpy(m->rem, &ri, sizeof(ri));
	m->vc_zone |= NET_MREC_ROUTED;
	return true;
}

/*
 * Returns the value of net_mrec_word() for this message, used by address caches
 * and by link selection (`spread`).
 */
static uint64_t first_word(const struct net *net, const struct net_mrec *m,
			   const struct net_msg *msg)
{
	if (weft_likely(!net->words))
		return msg->address / 8 & 0xffff;
	return msg->address / net_path_page(net_path_in(net, m)) & 0xffff;
}

/*
 * Returns whether the packets of the message can be distributed over FIFOs by
 * its map.
 */
static bool map_ok(const struct net *net, const struct net_msg *msg)
{
	return !msg->map ||
	       (!(msg->map >> net->cfg.inject_fifos) && !net->parallel &&
		!net->words && !msg->ack && msg->src != msg->dst);
}

int net_send(struct net *net, uint64_t at, const struct net_msg *msg)
{
	struct net_mrec *m;
	int8_t rem[NET_DIMS_MAX] = { 0 };
	uint64_t packets;
	uint32_t mi;

	if (msg->bytes > NET_MESSAGE_MAX || msg->src >= net->ends ||
	    msg->dst >= net->ends || msg->routing > NET_SYSTEM ||
	    msg->zone >= NET_ZONES || msg->fifo > UINT16_MAX ||
	    msg->path >= net_config_paths(&net->cfg) ||
	    msg->path_in > net_config_paths(&net->cfg) ||
	    msg->rail > (net->cfg.rails ? net->cfg.rails : 1) ||
	    (msg->ack && msg->deposit) || net_routing_plan(net, msg, rem) ||
	    !deposit_ok(net, msg, rem) || !map_ok(net, msg))
		return -EINVAL;
	mi = net_mrec_get(net);
	if (!mi)
		return -EAGAIN;
	m = net_mrec(net, mi);
	m->path = msg->path & 15;
	m->path_in = (msg->path_in ? msg->path_in - 1 : msg->path) & 15;
	packets = (msg->bytes + packet_most(net, m) - 1) / packet_most(net, m);
	m->bytes_word = msg->bytes;
	if (msg->address)
		m->bytes_word |= first_word(net, m, msg) << NET_WORD_SHIFT;
	m->cookie = msg->cookie;
	m->ready_ps = at + net_path(net, m)->inject_ps;
	m->left = (uint32_t)((packets ? packets : 1) *
			     receiving_nodes(net, msg, rem));
	m->src = msg->src;
	m->dst = msg->dst;
	m->fifo = (uint16_t)msg->fifo;
	m->rail = msg->rail;
	memcpy(m->rem, rem, sizeof(rem));
	m->vc_zone = (uint8_t)(mode_vc[msg->routing] | msg->zone << 4);
	m->flags = flags_of(msg);
	if (weft_unlikely(msg->map)) {
		m->bytes_word = msg->bytes | (uint64_t)msg->map
						     << NET_WORD_SHIFT;
		m->vc_zone |= NET_MREC_MAPPED;
		net->mapped++;
	}
	if ((msg->route && !alloc_route_record(net, mi, msg)) ||
	    (msg->ack && !alloc_ack_record(net, mi))) {
		net->mapped -= is_mapped(m);
		net_nic_msg_free(net, mi);
		return -EAGAIN;
	}
	if (net_tick_of(net, m->ready_ps) < net->tick)
		net->late++;
	WEFT_GUARD_ASSERT(m->left && !m->cut);
	enqueue(net, mi);
	return 0;
}

int net_timer(struct net *net, uint64_t at, uint64_t cookie)
{
	uint32_t mi = net_mrec_get(net);
	struct net_mrec *m = net_mrec(net, mi);

	if (!mi)
		return -EAGAIN;
	if (at < net->tick * net->cfg.tick_ps)
		at = net->tick * net->cfg.tick_ps;
	m->cookie = cookie;
	m->ready_ps = at;
	net->timers++;
	WEFT_GUARD_ASSERT(net->timers <= net->msgs_max);
	net_event_schedule(net, at, NET_EV_TIMER,
			   net_word(0, NET_EV_TIMER, 0, 0, mi));
	return 0;
}

uint64_t net_thread_run(struct net *net, uint32_t node, uint64_t at,
			uint64_t ps)
{
	struct net_nic *n = net_nic(net, node);

	if (n->thread_ps < at)
		n->thread_ps = at;
	n->thread_ps += ps;
	return n->thread_ps;
}

/* ---- injection engines --------------------------------------------------- */

/*
 * Returns the priority of a message's FIFO in memory for the next packet of an
 * engine; the lowest number is first. The order begins after the FIFO of the
 * last packet (round-robin), or is pseudo-random. Two FIFOs never have the same
 * number.
 */
static uint32_t fifo_position(const struct net_step *s,
			      const struct net_fifo *f,
			      const struct net_mrec *m)
{
	uint64_t seed;

	if (!s->net->cfg.random_fifos)
		return m->fifo - f->last - 1;
	seed = (f->free_ps + s->id) * 0x9e3779b97f4a7c15u;
	seed = (seed ^ seed >> 32) * 0xd6e8feb86659fd93u;
	return (m->fifo ^ (uint32_t)(seed >> 32)) * 0x9e3779b1u;
}

/*
 * Returns a key that orders the messages at an engine: by class, then by FIFO.
 */
static uint64_t choice_key(const struct net_step *s, const struct net_fifo *f,
			   const struct net_mrec *m)
{
	uint32_t vc = m->vc_zone & 15;

	return (uint64_t)(vc < NET_VC_HIGH ? 1 : vc) << 32 |
	       (uint32_t)~fifo_position(s, f, m);
}

/*
 * Returns the message that comes first among `best` and the ready messages with
 * a map that contains this network FIFO and of which no other engine builds a
 * packet. Order: system, then high priority, then the order of FIFOs.
 */
static uint32_t choose_mapped(const struct net_step *s, unsigned fifo,
			      uint32_t best)
{
	const struct net *net = s->net;
	const struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	const uint32_t ring = net_nic(net, s->id)->mapped;
	uint64_t end = (s->now + 1) * net->cfg.tick_ps, key = 0;
	uint32_t i = ring, steps = 0;

	if (best)
		key = choice_key(s, f, net_mrec(net, best));
	do {
		const struct net_mrec *m = net_mrec(net, i);

		net_walk_check(steps++ < net->msgs_max);
		if (m->ready_ps < end && net_mrec_word(m) >> fifo & 1 &&
		    !(m->fate & NET_FATE_BUILT) && choice_key(s, f, m) > key) {
			key = choice_key(s, f, m);
			best = i;
		}
		i = m->ring;
	} while (i != ring);
	return best;
}

/* Returns the next ready message in the order of FIFOs. */
static uint32_t choose_message(const struct net_step *s,
			       const struct net_fifo *f)
{
	const struct net *net = s->net;
	const struct net_mrec *m;
	uint64_t end = (s->now + 1) * net->cfg.tick_ps;
	uint32_t i = f->ring, best = 0, first = UINT32_MAX, steps = 0, position;

	do {
		net_walk_check(steps++ < net->msgs_max);
		m = net_mrec(net, i);
		position = fifo_position(s, f, m);
		if (m->ready_ps < end && position <= first) {
			first = position;
			best = i;
		}
		i = m->ring;
	} while (i != f->ring);
	return best;
}

/* Returns the payload bytes of a packet of the message. */
static uint32_t packet_bytes(const struct net *net, const struct net_mrec *m,
			     uint64_t packet)
{
	uint32_t most = packet_most(net, m);
	uint64_t left = net_mrec_bytes(m) - packet * most;

	return left < most ? (uint32_t)left : most;
}

/*
 * Makes packets that were read concurrently complete one after the other.
 * Returns the time at which the packet is complete.
 */
static uint64_t complete_in_order(struct net_fifo *f, uint64_t end)
{
	if (end < f->free_ps)
		end = f->free_ps;
	f->ahead_ps = end - f->free_ps < UINT32_MAX
			      ? (uint32_t)(end - f->free_ps)
			      : UINT32_MAX;
	return end;
}

/* Returns the engine time of a packet with this payload. */
static uint64_t engine_ps(const struct net *net, const struct net_path *path,
			  uint32_t bytes)
{
	return path->read_ps + (net->cfg.header_bytes +
				net_chunks(net, bytes) * net->cfg.chunk_bytes) *
				       path->injection_ps_per_byte_x1000 / 1000;
}

/*
 * Returns the time at which the head of a packet on a cut-through path leaves:
 * after its first chunk is built, and late enough that the link does not wait
 * for the tail, which is built at f->free_ps. f->ahead_ps is the time between
 * the two.
 */
static uint64_t head_leaves(const struct net_step *s, struct net_fifo *f,
			    const struct net_path *path, uint64_t start,
			    uint32_t bytes)
{
	const struct net_config *cfg = &s->net->cfg;
	uint32_t wire = net_wire_bytes(cfg, net_chunks(s->net, bytes));
	uint64_t first =
		start +
		engine_ps(s->net, path,
			  bytes < cfg->chunk_bytes ? bytes : cfg->chunk_bytes);
	uint64_t ps = net_wire_ticks(cfg, wire, cfg->link_ps_per_byte_x1000) *
		      (uint64_t)cfg->tick_ps;
	uint64_t head = f->free_ps > ps ? f->free_ps - ps : 0;

	if (head < first)
		head = first;
	if (head > f->free_ps)
		head = f->free_ps;
	f->ahead_ps = (uint32_t)(f->free_ps - head);
	return head;
}

/* Returns whether one more packet or message may be unacknowledged. */
static bool ack_room(const struct net *net, const struct net_nic *n, bool first)
{
	const struct net_config *cfg = &net->cfg;

	return (!cfg->outstanding || n->outstanding < cfg->outstanding) &&
	       (!first || !cfg->transactions ||
		n->transactions < cfg->transactions);
}

/*
 * Counts the next packet of a message whose packets are acknowledged. Returns
 * false if the limits of the interface are reached.
 */
WEFT_COLD static bool count_outstanding(const struct net_step *s,
					const struct net_mrec *m)
{
	struct net_nic *n = net_nic(s->net, s->id);

	if (!(m->flags & NET_M_ACKED))
		return true;
	if (!ack_room(s->net, n, !m->cut))
		return false;
	n->outstanding++;
	n->transactions += !m->cut;
	return true;
}

void net_nic_ack_done(struct net *net, const struct net_mrec *w)
{
	struct net_nic *n = net_nic(net, w->dst);
	bool full = !ack_room(net, n, true);
	unsigned i;

	if (!net->cfg.outstanding && !net->cfg.transactions)
		return;
	WEFT_GUARD_ASSERT(n->outstanding);
	n->outstanding--;
	n->transactions -= !w->left;
	for (i = 0; full && i < net->cfg.inject_fifos; i++)
		net_event_schedule(net, 0, NET_EV_WAKE,
				   net_word(w->dst, NET_EV_WAKE, i, 0, 0));
}

/* Returns the message whose packet the engine builds next, or 0. */
static uint32_t choose(struct net_step *s, const struct net_fifo *f,
		       unsigned fifo)
{
	const struct net *net = s->net;
	uint32_t mi = f->ring ? choose_message(s, f) : 0;

	if (weft_unlikely(net->mapped) && net_nic(net, s->id)->mapped)
		mi = choose_mapped(s, fifo, mi);
	if (weft_unlikely(net->limited) && mi &&
	    !count_outstanding(s, net_mrec(net, mi)))
		return 0;
	return mi;
}

/* Starts the engine on its next packet, if the engine is idle and has work. */
static void engine_start(struct net_step *s, unsigned fifo)
{
	struct net *net = s->net;
	struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	const struct net_path *path;
	struct net_mrec *m;
	uint64_t start, end, slow, now;
	uint32_t bytes;

	if (f->msg || f->count >= net->cfg.inject_depth ||
	    (!f->ring && weft_likely(!net->mapped)))
		return;
	f->msg = choose(s, f, fifo);
	if (!f->msg)
		return;
	m = net_mrec(net, f->msg);
	if (weft_unlikely(is_mapped(m)))
		m->fate |= NET_FATE_BUILT;
	f->last = m->fifo;
	/*
	 * with concurrent reads, the engine may start when the packet before
	 * the last packet is complete
	 */
	now = s->now * s->net->cfg.tick_ps;
	if (weft_unlikely(s->net->cfg.requests > 1))
		start = f->free_ps - f->ahead_ps;
	else
		start = now < f->free_ps ? f->free_ps : now;
	if (start < m->ready_ps)
		start = m->ready_ps;
	if (!m->cut)
		s->node->active += net_mrec_bytes(m);
	bytes = packet_bytes(net, m, m->cut);
	path = net_path(net, m);
	end = start + engine_ps(net, path, bytes);
	slow = net_memory_end(net, s->id, start, bytes);
	if (end < slow)
		end = slow;
	slow = net_bus_end(net, s->id, path->bus_out, start, bytes,
			   path->burst_out_bytes);
	if (end < slow)
		end = slow;
	WEFT_GUARD_ASSERT(end >= start);
	net_bus_request(net, s->id, path, start);
	if (weft_unlikely(net->off_fault))
		end = net_fault_engine_delay(net, s->id, start, end);
	if (weft_unlikely(net->cfg.requests > 1))
		end = complete_in_order(f, end);
	f->free_ps = end;
	if (weft_unlikely(path->cut_through))
		end = head_leaves(s, f, path, start, bytes);
	net_event_schedule(net, end, NET_EV_BUILT,
			   net_word(s->id, NET_EV_BUILT, fifo, 0, 0));
}

static void packet_fill(const struct net *net, struct net_packet *p,
			const struct net_mrec *m, uint64_t packet)
{
	p->seq = packet * packet_most(net, m);
	p->bytes = (uint16_t)packet_bytes(net, m, packet);
	p->chunks = (uint8_t)net_chunks(net, p->bytes);
	p->dst = m->dst;
	p->kind = net_path(net, m)->header_bytes ? (uint8_t)(m->path + 1) : 0;
	p->flags = m->flags & (uint8_t) ~(NET_M_SEEN | NET_M_ACKED);
	p->zone = m->vc_zone >> 4 & 3;
	if (m->vc_zone & NET_MREC_ROUTED)
		p->flags |= NET_P_ROUTED;
	p->vc = m->vc_zone & 15;
	memcpy(p->rem, m->rem, sizeof(p->rem));
	net_routing_start(net, p);
	if (p->seq + p->bytes == net_mrec_bytes(m))
		p->flags |= NET_P_LAST;
}

void net_nic_refill(const struct net *net, struct net_packet *p)
{
	const struct net_mrec *m = net_mrec(net, p->msg);

	packet_fill(net, p, m, p->seq / packet_most(net, m));
}

static void fifo_push(struct net_step *s, unsigned fifo, uint32_t pi)
{
	struct net *net = s->net;
	struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	struct net_packet *p = net_packet(net, pi), *head;

	WEFT_GUARD_ASSERT(pi);
	if (f->count++) {
		head = net_packet(net, f->head);
		net_packet(net, head->last)->next = pi;
		head->last = pi;
		return;
	}
	f->head = pi;
	p->last = pi;
	net_routing_ports(net, p, s->id);
	net_router_offer(s, fifo, pi);
}

/* Starts the engines that may build packets of messages with a map. */
static void engines_start(struct net_step *s)
{
	struct net *net = s->net;
	unsigned i, n = net->cfg.inject_fifos;
	uint32_t first = net_nic(net, s->id)->mapped, from;

	/* consecutive packets of a message use different FIFOs */
	from = first ? net_mrec(net, first)->cut : 0;
	for (i = 0; i < n && net_nic(net, s->id)->mapped; i++)
		engine_start(s, (from + i) % n);
}

/* Handles a message that is ready, or an acknowledgement that is built. */
void net_nic_wake(struct net_step *s, uint64_t word)
{
	if (weft_unlikely(net_word_port(word) == NET_FAULT_PORT))
		net_fault_phase_run(s, word);
	else if (weft_unlikely(net_word_port(word) == NET_MAPPED_PORT))
		engines_start(s);
	else if (net_word_payload(word))
		fifo_push(s, net_word_port(word), net_word_payload(word));
	else
		engine_start(s, net_word_port(word));
}

/*
 * Handles the end of a message whose packets are all built; the next message of
 * its FIFO in memory follows.
 */
static void nic_finish(struct net_step *s, unsigned fifo, uint64_t end)
{
	struct net *net = s->net;
	struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	struct net_mrec *m = net_mrec(net, f->msg);

	f->free_ps = end + net_path(net, m)->gap_ps;
	m->ready_ps = end + net->cfg.tick_ps;
	net_event_schedule(net, m->ready_ps, NET_EV_SENT,
			   net_word(s->id, NET_EV_SENT, fifo, 0, f->msg));
	WEFT_GUARD_ASSERT(s->node->active >= net_mrec_bytes(m));
	s->node->active -= net_mrec_bytes(m);
	next_message(net, f->msg, end);
	if (weft_unlikely(is_mapped(m)))
		net->mapped--;
}

void net_nic_built(struct net_step *s, uint64_t word)
{
	struct net *net = s->net;
	unsigned fifo = net_word_port(word);
	struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	struct net_mrec *m = net_mrec(net, f->msg);
	uint32_t pi = net_packet_get(net);
	struct net_packet *p = net_packet(net, pi);
	uint64_t now = s->now * net->cfg.tick_ps, end;
	bool cut_through;

	WEFT_GUARD_ASSERT(f->msg);
	if (!pi) {
		net_wheel_push(net, s->now + NET_RETRY_TICKS, word);
		return;
	}
	if (f->free_ps < now)
		f->free_ps = now; /* the engine waited for a free record */
	end = f->free_ps;
	p->msg = f->msg;
	packet_fill(net, p, m, m->cut);
	cut_through = net_path(net, m)->cut_through;
	p->frac = (uint16_t)((cut_through ? end - f->ahead_ps : end) %
			     net->cfg.tick_ps);
	net->injected++;
	m->cut++;
	if (weft_unlikely(is_mapped(m))) {
		m->fate &= (uint8_t)~NET_FATE_BUILT & 15u;
		m->ready_ps = end;
	}
	if (p->flags & NET_P_LAST)
		nic_finish(s, fifo, end);
	f->msg = 0;
	if (net_routing_is_last(net, p, s->id)) {
		/* within the node: the packet does not use the network */
		uint64_t at =
			end + net->cfg.local_ps +
			net_path_in(net, net_mrec(net, p->msg))->receive_ps;

		p->frac = (uint16_t)(at % net->cfg.tick_ps);
		net_event_schedule(
			net, at, NET_EV_DELIVER,
			net_word(s->id, NET_EV_DELIVER, 63, fifo, pi));
	} else {
		fifo_push(s, fifo, pi);
	}
	if (weft_unlikely(net->mapped))
		engines_start(s);
	if (weft_unlikely(cut_through) && end > now)
		net_event_schedule(net, end, NET_EV_WAKE,
				   net_word(s->id, NET_EV_WAKE, fifo, 0, 0));
	else
		engine_start(s, fifo);
}

void net_nic_fifo_pop(struct net_step *s, unsigned fifo)
{
	struct net *net = s->net;
	struct net_fifo *f = &net_fifos(net, s->id)[fifo];
	const struct net_packet *gone = net_packet(net, f->head);
	struct net_packet *p;

	WEFT_GUARD_ASSERT(f->count && f->head);
	if (--f->count) {
		f->head = gone->next;
		p = net_packet(net, f->head);
		p->last = gone->last;
		net_routing_ports(net, p, s->id);
		net_router_offer(s, fifo, f->head);
	}
	if (f->count + 1u == net->cfg.inject_depth) {
		if (weft_unlikely(net->cfg.requests > 1)) {
			/*
			 * The network FIFO was full until now, so the engine's
			 * next packet starts now at the earliest.
			 */
			uint64_t now = s->now * s->net->cfg.tick_ps;

			if (f->free_ps - f->ahead_ps < now) {
				if (f->free_ps < now)
					f->free_ps = now;
				f->ahead_ps = (uint32_t)(f->free_ps - now);
			}
		}
		/* the engine waited because the FIFO was full */
		engine_start(s, fifo);
	}
}

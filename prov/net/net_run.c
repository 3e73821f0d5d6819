/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network as a whole: laid out in its block, and run tick by tick. A tick
 * takes all events in first, then goes through the ports of the nodes that they
 * touched; calls up come last, in order of their exact times. No node feels
 * another within a tick, so the order of nodes does not matter.
 */
#include "prov/net/net_router.h"

#include "src/base/hash.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

#define NET_MAGIC 0x31656d6974746577ull

enum {
	AHEAD = 16,   /* events whose lines are loaded together */
	LARGE = 2048, /* nodes that do not stay in the cache */
};

/* ---- layout -------------------------------------------------------------- */

static uint64_t room(uint64_t *off, uint64_t bytes)
{
	uint64_t at = *off;

	*off = (at + bytes + 63) & ~63ull;
	return at;
}

static uint32_t power_above(uint32_t n)
{
	uint32_t p = 64;

	while (p < n)
		p *= 2;
	return p;
}

static void lay_node(struct net *n, const struct net_config *cfg)
{
	uint64_t off = 0;

	room(&off, sizeof(struct net_node));
	n->off_link = room(&off, n->ports * sizeof(struct net_link));
	n->off_in = room(&off, n->ports * sizeof(struct net_in));
	n->off_fifo = room(&off, cfg->inject_fifos * sizeof(struct net_fifo));
	n->off_out = room(&off, n->ports * sizeof(struct net_out));
	n->stride = off;
}

/*
 * How many of everything. Events: a packet has an arrival or a delivery, a
 * port a tail and the tokens under way, a message its wakes and its end.
 */
static void count_all(struct net *n, const struct net_config *cfg,
		      uint32_t packets)
{
	uint64_t links;

	n->nodes = net_topo_nodes(cfg);
	n->ends = net_topo_ends(cfg);
	n->ports = net_topo_ports(cfg);
	n->queues = cfg->dyn_queues + 1;
	while (1u << n->qshift < n->queues)
		n->qshift++;
	n->packets_max = packets;
	n->msgs_max = packets;
	n->members_max = n->nodes * cfg->routes;
	n->routes_max = n->members_max < 65536 ? n->members_max : 65536;
	n->combos_mask = power_above(2 * packets) - 1;
	links = (uint64_t)n->nodes * n->ports;
	n->events_max = (uint32_t)(3ull * packets + 16 * links + 4ull *
				   n->msgs_max + n->ends * 32ull);
	n->chunks_max = n->events_max / NET_CHUNK_EVENTS + NET_WHEEL + 2;
	n->far_max = 4 * n->msgs_max + (uint32_t)links + 64;
}

static uint64_t lay_out(struct net *n, const struct net_config *cfg,
			uint32_t packets)
{
	uint64_t off = 0;

	memset(n, 0, sizeof(*n));
	count_all(n, cfg, packets);
	lay_node(n, cfg);
	room(&off, sizeof(*n));
	n->off_node = room(&off, n->nodes * n->stride);
	n->off_coord = room(&off, n->nodes * sizeof(struct net_coord));
	n->off_packet = room(&off, (packets + 1ull) *
					   sizeof(struct net_packet));
	n->off_msg = room(&off, (n->msgs_max + 1ull) *
					sizeof(struct net_mrec));
	n->off_member = room(&off, (n->members_max + 1ull) *
					   sizeof(struct net_member));
	n->off_route = room(&off, n->routes_max *
					  sizeof(struct net_route_rec));
	n->off_combo = room(&off, (n->combos_mask + 1ull) * 4);
	n->off_slot = room(&off, NET_WHEEL * sizeof(struct net_slot));
	n->off_chunk = room(&off, (n->chunks_max + 1ull) *
					  sizeof(struct net_chunk));
	n->off_far = room(&off, n->far_max * sizeof(struct net_far));
	n->off_sort[0] = room(&off, n->events_max * 8ull);
	n->off_sort[1] = room(&off, n->events_max * 8ull);
	n->off_touched = room(&off, n->nodes * 4ull);
	n->off_call = room(&off, (packets + 1ull * n->msgs_max) *
					 sizeof(struct net_call));
	n->bytes = off;
	return off;
}

size_t net_bytes(const struct net_config *cfg, uint32_t packets_max)
{
	struct net n;

	return lay_out(&n, cfg, packets_max);
}

/* ---- opening ------------------------------------------------------------- */

static void open_tables(struct net *net)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t rate = cfg->link_bytes_per_tick, c, bytes;

	for (c = 0; c <= cfg->payload_bytes / cfg->chunk_bytes; c++) {
		bytes = net_wire_bytes(cfg, c);
		net->len[c] = (uint16_t)((bytes + rate - 1) / rate);
		net->cost[c] = (uint16_t)((bytes + cfg->chunk_bytes - 1) /
					  cfg->chunk_bytes);
	}
}

/* A ring needs the bubble; elsewhere one free buffer is enough. */
static bool is_ring(const struct net_config *cfg, unsigned port)
{
	return cfg->topology == NET_TORUS && cfg->wrap[port / 2];
}

static void open_port(struct net *net, uint32_t node, unsigned port,
		      struct net_link *o)
{
	const struct net_config *cfg = &net->cfg;
	unsigned peer_port = 0, crossings = 0, vc;
	int64_t peer = net_topo_peer(cfg, node, port, &peer_port, &crossings);
	uint64_t hop = cfg->hop_ps + crossings * cfg->crossing_ps;
	uint64_t back = cfg->token_ps + crossings * cfg->crossing_ps;

	o->peer = peer < 0 ? UINT32_MAX : (uint32_t)peer;
	o->peer_port = (uint8_t)peer_port;
	o->hop_ticks = (uint16_t)(hop / cfg->tick_ps);
	o->hop_frac = (uint16_t)(hop % cfg->tick_ps);
	o->token_ticks = (uint8_t)((back + cfg->tick_ps - 1) / cfg->tick_ps);
	o->need = (uint8_t)(is_ring(cfg, port) ? cfg->bubble : 1);
	o->chunks = (uint16_t)cfg->tokens[0];
	for (vc = 1; vc < 4; vc++)
		o->token[vc - 1] = (uint8_t)cfg->tokens[vc];
}

static int open_check(const struct net_config *cfg)
{
	uint32_t ports, queues = 1;
	int ret = net_config_check(cfg);

	if (ret)
		return ret;
	ports = net_topo_ports(cfg);
	while (queues < cfg->dyn_queues + 1)
		queues *= 2;
	if (ports > NET_PORTS_MAX || queues > NET_QUEUES_MAX ||
	    ports * queues > NET_SLOT_FIFO) {
		weft_log(WEFT_LOG_ERROR,
			 "net: %u ports with %u queues each are too many",
			 ports, queues);
		return -EINVAL;
	}
	return 0;
}

int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max)
{
	struct net lay;
	struct net_link *l;
	uint32_t n, port;
	int ret = open_check(cfg);

	if (ret)
		return ret;
	if (!packets_max || packets_max > NET_PAYLOAD_MASK / 8 ||
	    bytes < lay_out(&lay, cfg, packets_max)) {
		weft_log(WEFT_LOG_ERROR,
			 "net: %zu bytes do not hold %u packets", bytes,
			 packets_max);
		return -EINVAL;
	}
	*net = lay;
	net->magic = NET_MAGIC;
	net->cfg = *cfg;
	memset(net_node(net, 0), 0, net->nodes * net->stride);
	memset(net_at(net, net->off_member), 0,
	       (char *)net_at(net, net->off_slot) -
		       (char *)net_at(net, net->off_member));
	net->large = net->nodes >= LARGE;
	open_tables(net);
	if (cfg->topology != NET_TORUS)
		net_fat_init(&net->fat, cfg);
	net_wheel_init(net);
	net_road_init(net);
	for (n = 0; n < net->nodes; n++) {
		l = net_links(net, net_node(net, n));
		for (port = 0; port < net->ports; port++)
			open_port(net, n, port, &l[port]);
	}
	return 0;
}

/* ---- running ------------------------------------------------------------- */

/* Turns to a node. */
static inline void step_at(struct net_step *s, uint32_t id)
{
	s->id = id;
	s->node = net_node(s->net, id);
	s->link = net_links(s->net, s->node);
	s->out = net_outs(s->net, s->node);
	s->in = net_ins(s->net, s->node);
	s->dirty = s->fresh[0] = s->fresh[1] = 0;
}

/* Notes what the node's events asked for until all of the tick are in. */
static inline void step_note(struct net_step *s)
{
	struct net_node *n = s->node;

	if (!(s->dirty | s->fresh[0] | s->fresh[1]))
		return;
	n->dirty |= s->dirty;
	n->fresh[0] |= s->fresh[0];
	n->fresh[1] |= s->fresh[1];
	s->list[s->touched] = s->id;
	s->touched += !n->touched;
	n->touched = 1;
}

static void handle(struct net_step *s, uint64_t word)
{
	switch (net_word_kind(word)) {
	case NET_EV_ARRIVE:
		net_router_arrive(s, word);
		return;
	case NET_EV_TAIL:
		net_router_tail(s, word);
		return;
	case NET_EV_TOKEN:
		net_router_token(s, word);
		return;
	case NET_EV_COLL:
		net_tree_arrive(s, word);
		return;
	case NET_EV_CREDIT:
		net_tree_credit(s, word);
		return;
	case NET_EV_WAKE:
		net_unit_wake(s, word);
		return;
	case NET_EV_BUILT:
		net_unit_built(s, word);
		return;
	case NET_EV_PART:
		net_tree_part(s, word);
		return;
	case NET_EV_CBUILT:
		net_tree_built(s, word);
		return;
	default:
		net_tree_ready(s, word);
	}
}

static void call_up(struct net_step *s, const struct net_call *c)
{
	switch (net_word_kind(c->word)) {
	case NET_EV_DELIVER:
		net_unit_deliver(s, c);
		return;
	case NET_EV_RESULT:
		net_tree_result(s, c);
		return;
	case NET_EV_SENT:
		net_unit_sent(s, c);
		return;
	default:
		net_unit_timer(s, c);
	}
}

/*
 * Loads the lines that the next events will touch, all at once, so that the
 * processor waits for them together. Plain loads: a prefetch is dropped where
 * the page is not at hand, which in a large network is nearly always.
 */
static void touch_ahead(const struct net *net, const uint64_t *w, uint32_t n)
{
	const struct net_node *node;
	unsigned kind, port;
	uint32_t i;

	for (i = 0; i < n; i++) {
		node = net_node(net, net_word_node(w[i]));
		kind = net_word_kind(w[i]);
		port = net_word_port(w[i]);
		net_touch(node);
		if (kind == NET_EV_WAKE || kind == NET_EV_BUILT)
			net_touch(&net_fifos(net, node)[port]);
		if (kind > NET_EV_TOKEN)
			continue;
		net_touch(&net_links(net, node)[port]);
		if (kind != NET_EV_ARRIVE)
			continue;
		net_touch(net_packet(net, net_word_payload(w[i])));
		net_touch(&net_ins(net, node)[port]);
		net_touch(&net_links(net, node)[0]);
		net_touch(&net_links(net, node)[net->ports - 1]);
	}
}

static inline uint64_t mix(uint64_t word)
{
	return weft_hash_mix(word >> NET_VC_SHIFT);
}

/* Events of one kind, in any order. Returns their hash. */
static inline uint64_t run_kind(struct net_step *s, const uint64_t *w,
				uint32_t n, enum net_ev kind)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		sum += mix(w[i]);
		step_at(s, net_word_node(w[i]));
		if (kind == NET_EV_ARRIVE)
			net_router_arrive(s, w[i]);
		else if (kind == NET_EV_TAIL)
			net_router_tail(s, w[i]);
		else
			net_router_token(s, w[i]);
		step_note(s);
	}
	return sum;
}

/*
 * The other events, node by node. In a large network these are all, and a
 * node's ports are served while its lines are at hand.
 */
static uint64_t run_sorted(struct net_step *s, const uint64_t *w, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i = 0, loaded = s->net->large ? 0 : n;

	while (i < n) {
		if (i >= loaded) {
			loaded = i + AHEAD < n ? i + AHEAD : n;
			touch_ahead(s->net, w + i, loaded - i);
		}
		step_at(s, net_word_node(w[i]));
		s->part = false;
		do {
			sum += mix(w[i]);
			handle(s, w[i++]);
		} while (i < n && net_word_node(w[i]) == s->id);
		if (s->part)
			net_tree_feed(s);
		if (s->net->large)
			net_router_serve(s);
		else
			step_note(s);
	}
	return sum;
}

/* Ports of the nodes that anything happened at. */
static void run_ports(struct net_step *s)
{
	struct net_node *n;
	uint32_t i;

	for (i = 0; i < s->touched; i++) {
		step_at(s, s->list[i]);
		n = s->node;
		s->dirty = n->dirty;
		s->fresh[0] = n->fresh[0];
		s->fresh[1] = n->fresh[1];
		n->dirty = n->fresh[0] = n->fresh[1] = 0;
		n->touched = 0;
		net_router_serve(s);
	}
	s->touched = 0;
}

static void run_tick(struct net_step *s)
{
	struct net *net = s->net;
	struct net_batch b;
	const uint64_t *tail, *token;
	uint32_t i, arrives, tails, tokens;
	uint64_t sum;

	net_wheel_take(net, &b);
	arrives = b.end[NET_EV_ARRIVE];
	tail = b.word + arrives;
	tails = b.end[NET_EV_TAIL] - arrives;
	token = tail + tails;
	tokens = b.end[NET_EV_TOKEN] - b.end[NET_EV_TAIL];
	s->now = net->tick++;
	sum = run_kind(s, b.word, arrives, NET_EV_ARRIVE);
	sum += run_kind(s, tail, tails, NET_EV_TAIL);
	sum += run_kind(s, token, tokens, NET_EV_TOKEN);
	sum += run_sorted(s, b.sorted, b.count);
	run_ports(s);
	for (i = 0; i < b.calls; i++) {
		sum += mix(b.call[i].word ^ b.call[i].at << NET_VC_SHIFT);
		call_up(s, &b.call[i]);
	}
	net->events += b.end[NET_EV_TOKEN] + b.count + b.calls;
	net->hash = weft_hash_mix(net->hash ^ s->now ^ sum);
}

uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop)
{
	struct net_step s = { .net = net, .up = up, .arg = arg,
			      .list = net_at(net, net->off_touched) };
	uint64_t last = until / net->cfg.tick_ps, next;

	if (until == NET_NEVER)
		last = NET_NEVER - 1;
	for (;;) {
		next = net_wheel_next(net);
		if (next > last)
			break;
		net->tick = next;
		run_tick(&s);
		if (stop && *stop)
			return net->tick * net->cfg.tick_ps - 1;
	}
	if (next != NET_NEVER || until != NET_NEVER)
		if (net->tick <= last)
			net->tick = last + 1;
	return net->tick * net->cfg.tick_ps - 1;
}

uint64_t net_next(const struct net *net)
{
	uint64_t t = net_wheel_next(net);

	return t == NET_NEVER ? t : t * net->cfg.tick_ps;
}

uint64_t net_lookahead(const struct net *net)
{
	const struct net_config *cfg = &net->cfg;
	uint64_t least = cfg->inject_ps < cfg->coll_inject_ps ?
				 cfg->inject_ps :
				 cfg->coll_inject_ps;

	return least - cfg->tick_ps;
}

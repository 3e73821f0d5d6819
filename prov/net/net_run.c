/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network as a whole: its layout in the block, and the loop over ticks. A
 * tick processes all events first, then serves the ports of the nodes that
 * changed; callbacks are called last, in order of their exact times. No node
 * affects another within a tick, so the order of nodes does not matter: a large
 * network is processed region by region, and the data of a region fits the
 * cache.
 */
#include "prov/net/net_arbiter.h"
#include "prov/net/net_counter.h"
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_layout.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_prefetch.h"
#include "prov/net/net_router.h"
#include "prov/net/net_switched.h"
#include "prov/net/routing/net_guid.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/routing/net_topo.h"
#include "prov/net/tree/net_tree.h"
#include "prov/net/net_wheel.h"
#include "prov/net/net_wormhole.h"

#include "src/base/hash.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

#define NET_MAGIC 0x31656d6974746577ull

/* number of nodes at which the state exceeds the cache */
enum { LARGE = 2048 };

/* ---- layout of the block ------------------------------------------------- */

static uint64_t reserve(uint64_t *off, uint64_t bytes)
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

/*
 * Computes the number of records of each kind. Pending events: a packet has an
 * arrival or a delivery, a port a tail and the tokens in flight, a message its
 * wake-ups and its completion.
 */
static void count_all(struct net *n, const struct net_config *cfg,
		      uint32_t packets)
{
	uint64_t links;

	n->nodes = net_topo_nodes(cfg);
	n->ends = net_topo_ends(cfg);
	n->ports = net_topo_ports(cfg);
	n->has_escapes = net_topo_rings(cfg);
	n->queues = cfg->dyn_queues + n->has_escapes;
	while (1u << n->qshift < n->queues)
		n->qshift++;
	n->packets_max = packets;
	n->msgs_max = packets;
	n->members_max = n->nodes * cfg->routes;
	n->routes_max = n->members_max < 65536 ? n->members_max : 65536;
	n->combine_mask = power_above(2 * packets) - 1;
	links = (uint64_t)n->nodes * n->ports;
	n->events_max = (uint32_t)(3ull * packets + 16 * links +
				   2ull * n->msgs_max + n->ends * 32ull);
	n->heap_max = 4 * n->msgs_max + (uint32_t)links + 64 +
		      4 * (NET_PORTS_MAX + 1) * cfg->faults;
}

static uint64_t lines(uint64_t bytes)
{
	return (bytes + 63) & ~63ull;
}

/* Reserves space for the times at which the parts of buses are free. */
static void lay_parts(struct net *n, const struct net_config *cfg,
		      uint64_t *off)
{
	bool parts = false;

	for (unsigned i = 0; i < cfg->buses; i++)
		parts |= cfg->bus[i].parts > 1;
	if (parts)
		n->off_parts = reserve(off, (uint64_t)n->ends * cfg->buses *
						    NET_PARTS_MAX * 8);
}

/* Reserves the sections that net_open clears. */
static void lay_nodes(struct net *n, const struct net_config *cfg,
		      uint64_t *off)
{
	uint64_t nodes = n->nodes, ports = nodes * n->ports;
	unsigned i;

	n->node_stride =
		(uint32_t)lines(offsetof(struct net_node, room) + 2 * n->ports);
	n->vcs = net_is_switched(cfg) && cfg->vcs > 3 ? cfg->vcs + 1u : 4;
	n->link_stride = (uint32_t)lines((n->vcs + 3) * n->ports);
	reserve(off, nodes * n->node_stride);
	n->off_slot = reserve(off, NET_WHEEL * n->lanes * 4ull);
	n->off_link = reserve(off, nodes * n->link_stride);
	n->off_unit = reserve(off, nodes * sizeof(struct net_nic));
	n->off_in = reserve(off, ports * sizeof(struct net_in));
	n->off_fifo = reserve(off, (uint64_t)n->ends * cfg->inject_fifos *
					   sizeof(struct net_fifo));
	n->off_out = reserve(off, ports * sizeof(struct net_out));
	n->off_member = reserve(off, (n->members_max + 1ull) *
					     sizeof(struct net_member));
	n->off_route =
		reserve(off, n->routes_max * sizeof(struct net_tree_rec));
	n->off_combine = reserve(off, (n->combine_mask + 1ull) * 4);
	if (cfg->tokens_shared)
		n->off_pool = reserve(off, ports * sizeof(struct net_pool));
	n->rare =
		(cfg->tokens_shared ? NET_RARE_SHARED : 0u) |
		(cfg->look_ahead ? NET_RARE_AHEAD : 0u) |
		(cfg->counters ? NET_RARE_COUNT : 0u) |
		(cfg->wormhole ? NET_RARE_WORM : 0u) |
		(cfg->credit_words ? NET_RARE_WORDS : 0u) |
		(net_is_switched(cfg) ? NET_RARE_SWITCHED : 0u) |
		(cfg->faults ? NET_RARE_FAULTS | NET_RARE_TAIL : 0u) |
		(cfg->columns || cfg->system_alternate ? NET_RARE_ROUTER : 0u);
	if (cfg->look_ahead)
		n->off_ahead = reserve(off, ports * sizeof(uint16_t));
	n->off_dead = reserve(off, cfg->topology == NET_TORUS ? 0 : nodes * 8);
	for (i = 0; i < cfg->buses; i++)
		n->words += cfg->bus[i].words + (cfg->bus[i].lookup_ps != 0);
	lay_parts(n, cfg, off);
	n->off_row =
		reserve(off, (nodes - n->ends) * n->ports * cfg->columns * 4);
	if (cfg->columns)
		n->off_queued = reserve(off, (nodes - n->ends) * n->ports * 2);
	n->off_words = reserve(off, (uint64_t)n->ends * n->words * 4);
	if (cfg->watch_ps)
		n->off_control = reserve(off, ports * sizeof(uint64_t));
	if (cfg->counters)
		n->off_counters =
			reserve(off, ports * sizeof(struct net_counters));
	if (cfg->coll_shared)
		n->off_coll =
			reserve(off, ports * sizeof(struct net_coll_link));
	if (net_table_bytes(cfg))
		n->off_table = reserve(off, net_table_bytes(cfg));
	if (net_is_switched(cfg)) {
		n->off_paths = reserve(off, net_paths_bytes(cfg));
		n->off_load = reserve(off, (nodes - n->ends) * n->ports * 2);
	}
	if (cfg->wormhole)
		n->off_worm = reserve(off, ports * cfg->channels *
						   sizeof(struct net_worm));
}

/* Reserves `count` records. Returns the index of the first, minus one. */
static uint32_t lay_records(uint64_t *off, uint64_t count, uint64_t bytes)
{
	*off = (*off + bytes - 1) / bytes * bytes;
	return (uint32_t)(reserve(off, count * bytes) / bytes - 1);
}

static uint64_t lay_out(struct net *n, const struct net_config *cfg,
			uint32_t packets)
{
	uint64_t off = 0, words, calls;
	uint32_t slots;

	memset(n, 0, sizeof(*n));
	count_all(n, cfg, packets);
	/* each slot of the wheel may have one partly filled chunk */
	n->large = n->nodes >= LARGE;
	n->regions = ((n->nodes - 1) >> NET_REGION_SHIFT) + 1;
	n->lanes = n->regions * NET_LANES + 1;
	slots = NET_WHEEL * n->lanes;
	n->chunks_max = n->events_max / (NET_CHUNK - 1) + 2 +
			(slots < n->events_max ? slots : n->events_max);
	reserve(&off, sizeof(*n));
	lay_nodes(n, cfg, &off);
	n->off_coord = reserve(&off, n->nodes * sizeof(struct net_coord));
	n->first_packet = lay_records(&off, packets, sizeof(struct net_packet));
	n->first_msg = lay_records(&off, n->msgs_max, sizeof(struct net_mrec));
	n->first_chunk = lay_records(&off, n->chunks_max, NET_CHUNK * 8);
	n->off_heap =
		reserve(&off, n->heap_max * sizeof(struct net_heap_event));
	n->off_mark = reserve(&off, ((1ull << NET_REGION_SHIFT) + 1) *
					    sizeof(struct net_mark));
	words = n->events_max * 8ull;
	calls = (packets + 1ull * n->msgs_max) * sizeof(struct net_call);
	n->off_sort = reserve(&off, words > calls ? words : calls);
	if (cfg->faults)
		off = net_fault_layout(n, cfg, off);
	n->bytes = off;
	return off;
}

size_t net_bytes(const struct net_config *cfg, uint32_t packets_max)
{
	struct net n;

	return lay_out(&n, cfg, packets_max);
}

/* ---- opening and link changes -------------------------------------------- */

static void open_tables(struct net *net)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t c;

	for (c = 0; c < NET_VC_MAX; c++)
		net->tokens_most[c] = cfg->tokens[c] *
				      (cfg->tokens_end ? cfg->tokens_end : 1);
	for (c = NET_VC_DET; c < NET_VCS && net_is_switched(cfg); c++)
		net->tokens_most[c] = net->tokens_most[NET_VC_DET];
	for (c = 0; c < NET_VC_MAX && cfg->tokens_shared; c++)
		net->tokens_most[c] = net_channel_tokens(cfg, net_channel(c)) +
				      cfg->tokens_shared;
	for (c = 0; c <= cfg->payload_bytes / cfg->chunk_bytes; c++)
		net->cost[c] =
			(uint16_t)net_wire_tokens(cfg, net_wire_bytes(cfg, c));
}

/* Computes link times of acknowledgements and packets with other headers. */
static void fill_forms(struct net *net, uint32_t rate)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t c, bytes;
	unsigned i;

	for (c = 0; c <= cfg->payload_bytes / cfg->chunk_bytes; c++) {
		for (i = 0; i < NET_PATHS_MAX; i++) {
			bytes = net_wire_bytes(cfg, c) - cfg->header_bytes +
				cfg->path[i].header_bytes;
			net->form_len[i + 1][rate][c] =
				(uint16_t)net_wire_ticks(cfg, bytes,
							 net->rate[rate]);
		}
		net->form_len[NET_FORM_ACK][rate][c] = (uint16_t)net_wire_ticks(
			cfg, cfg->ack_wire_bytes, net->rate[rate]);
		net->form_len[NET_FORM_ERROR][rate][c] =
			(uint16_t)net_wire_ticks(cfg, cfg->care.error_bytes,
						 net->rate[rate]);
	}
}

/* Returns the index of a link rate in net->rate; -EINVAL: too many rates. */
static int find_rate(struct net *net, uint64_t ps_x1000)
{
	const struct net_config *cfg = &net->cfg;
	uint32_t i, c;

	for (i = 0; i < net->rates; i++)
		if (net->rate[i] == ps_x1000)
			return (int)i;
	if (i == NET_RATES_MAX)
		return -EINVAL;
	net->rate[net->rates++] = ps_x1000;
	net->rare |= i ? NET_RARE_TAIL : 0u;
	for (c = 0; c <= cfg->payload_bytes / cfg->chunk_bytes; c++)
		net->len[i][c] = (uint16_t)net_wire_ticks(
			cfg, net_wire_bytes(cfg, c), ps_x1000);
	fill_forms(net, i);
	return (int)i;
}

/*
 * Returns whether the port's link is part of a ring, in which packets must
 * leave the bubble free; on other links one free buffer suffices.
 */
static bool is_ring(const struct net *net, uint32_t node, unsigned port)
{
	unsigned flow = net->flow[port];

	return !net_topo_is_internal(&net->cfg, node, port) &&
	       !net_topo_is_io(&net->cfg, node, port) &&
	       flow != NET_FLOW_NONE && net->cfg.wrap[flow / 2];
}

/* Returns the index in net->hop; links with equal latencies share an entry. */
static int find_hop(struct net *net, const struct net_hop *want)
{
	uint32_t i;

	for (i = 0; i < net->hops_used; i++)
		if (!memcmp(&net->hop[i], want, sizeof(*want)))
			return (int)i;
	if (i == NET_HOPS_MAX) {
		weft_log(WEFT_LOG_ERROR, "net: more than %d kinds of links",
			 NET_HOPS_MAX);
		return -EINVAL;
	}
	net->hop[net->hops_used++] = *want;
	return (int)i;
}

/* Computes the latencies and the rate of a link. */
static int port_hop(struct net *net, uint32_t node, unsigned port,
		    uint32_t peer, unsigned crossings, struct net_hop *h)
{
	const struct net_config *cfg = &net->cfg;
	unsigned d = net_topo_level(cfg, node, port);
	bool inside = net_topo_is_internal(cfg, node, port);
	bool into_end =
		inside || (cfg->topology != NET_TORUS && peer < net->ends);
	/* in a torus with midplanes, only the links between them have cables */
	bool cable =
		d != NET_DIMS_MAX &&
		(crossings || cfg->topology != NET_TORUS || !cfg->midplane[d]);
	uint64_t wire = crossings * cfg->crossing_ps +
			(cable ? cfg->cable[d] * cfg->metre_ps : 0);
	uint64_t hop = wire + (into_end && cfg->hop_end_ps ? cfg->hop_end_ps
							   : cfg->hop_ps);
	uint64_t back = wire + cfg->token_ps;
	int rate = find_rate(net, inside && cfg->link_end_ps_x1000
					  ? cfg->link_end_ps_x1000
					  : cfg->link_ps_per_byte_x1000);

	if (back / cfg->tick_ps >= UINT8_MAX) {
		weft_log(WEFT_LOG_ERROR,
			 "net: token return time is more than %d ticks",
			 UINT8_MAX);
		return -EINVAL;
	}
	*h = (struct net_hop){
		.ticks = (uint16_t)(hop / cfg->tick_ps),
		.frac = (uint16_t)(hop % cfg->tick_ps),
		.token_ticks =
			(uint8_t)((back + cfg->tick_ps - 1) / cfg->tick_ps),
		.need = (uint8_t)(is_ring(net, node, port) ? cfg->bubble : 1),
		.rate = (uint8_t)rate,
	};
	return rate < 0 ? rate : 0;
}

static int open_port(struct net *net, uint32_t node, unsigned port)
{
	const struct net_config *cfg = &net->cfg;
	unsigned peer_port = 0, crossings = 0, vc;
	int64_t peer = net_topo_peer(cfg, node, port, &peer_port, &crossings);
	struct net_hop h;
	int row = 0;

	if (peer >= 0) {
		row = port_hop(net, node, port, (uint32_t)peer, crossings, &h);
		if (!row)
			row = find_hop(net, &h);
	}
	if (row < 0)
		return row;
	net_links(net, node)[port] =
		peer < 0 ? NET_LINK_NONE
			 : net_link((uint32_t)peer, peer_port, (unsigned)row);
	net_node(net, node)->room[port] =
		(uint16_t)net_topo_tokens(cfg, node, port, 0);
	for (vc = 1; vc < net->vcs; vc++)
		net_det_tokens(net, node, vc)[port] =
			(uint8_t)net_topo_tokens(cfg, node, port, vc);
	return 0;
}

static int open_check(const struct net_config *cfg)
{
	uint32_t ports, queues = 1;
	int ret = net_config_check(cfg);

	if (ret)
		return ret;
	ports = net_topo_ports(cfg);
	while (queues < cfg->dyn_queues + net_topo_rings(cfg))
		queues *= 2;
	if (ports > NET_PORTS_MAX || queues > NET_QUEUES_MAX ||
	    ports * queues > NET_SLOT_FIFO) {
		weft_log(WEFT_LOG_ERROR,
			 "net: %u ports with %u queues each; the limits are %d "
			 "ports, %d queues and %d queues of all ports",
			 ports, queues, NET_PORTS_MAX, NET_QUEUES_MAX,
			 NET_SLOT_FIFO);
		return -EINVAL;
	}
	return 0;
}

int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max)
{
	struct net lay;
	uint32_t n, port;
	int ret = open_check(cfg);

	if (ret)
		return ret;
	if (!packets_max || packets_max > NET_PAYLOAD_MASK / 8 ||
	    bytes < lay_out(&lay, cfg, packets_max) ||
	    lay.bytes / 8 > UINT32_MAX) {
		weft_log(WEFT_LOG_ERROR,
			 "net: %zu bytes are too few for %u packets", bytes,
			 packets_max);
		return -EINVAL;
	}
	*net = lay;
	net->magic = NET_MAGIC;
	net->cfg = *cfg;
	net->fresh_packet = net->first_packet;
	net->fresh_msg = net->first_msg;
	memset(net_node(net, 0), 0, net->off_coord - NET_OFF_NODE);
	net->limited = cfg->outstanding || cfg->transactions;
	open_tables(net);
	if (net_is_switched(cfg))
		net_switched_open(net);
	else if (cfg->topology != NET_TORUS)
		net_fat_init(&net->fat, cfg);
	net_table_clear(net);
	net_wheel_init(net);
	net_routing_init(net);
	find_rate(net,
		  cfg->link_ps_per_byte_x1000); /* index 0 is the normal rate */
	for (n = 0; n < net->nodes && !ret; n++)
		for (port = 0; port < net->ports && !ret; port++)
			ret = open_port(net, n, port);
	if (!ret && cfg->faults)
		net_fault_init(net);
	return ret;
}

/* Changes the latencies of a link for packets sent from now on. */
static int link_set_hop(struct net *net, uint32_t *link,
			const struct net_hop *h)
{
	int row = find_hop(net, h);

	if (row < 0)
		return row;
	*link = net_link(net_link_peer(*link), net_link_port(*link),
			 (unsigned)row);
	net->rare |= h->store_forward ? NET_RARE_TAIL : 0u;
	return 0;
}

int net_link_rate(struct net *net, uint32_t node, unsigned port,
		  uint64_t ps_per_byte_x1000)
{
	uint32_t *link = &net_links(net, node)[port];
	struct net_hop h;
	int row;

	if (*link == NET_LINK_NONE || !ps_per_byte_x1000)
		return -EINVAL;
	h = *net_link_hop(net, *link);
	row = find_rate(net, ps_per_byte_x1000);
	h.rate = (uint8_t)row;
	if (net->cfg.slow_store_forward)
		h.store_forward = ps_per_byte_x1000 > net->rate[0];
	return row < 0 ? row : link_set_hop(net, link, &h);
}

int net_link_store_forward(struct net *net, uint32_t node, unsigned port,
			   bool whole)
{
	uint32_t *link = &net_links(net, node)[port];
	struct net_hop h;

	if (*link == NET_LINK_NONE)
		return -EINVAL;
	h = *net_link_hop(net, *link);
	h.store_forward = whole;
	return link_set_hop(net, link, &h);
}

static void mark_link_dead(struct net *net, uint32_t node, unsigned port)
{
	net_dead(net)[node] |= 1ull << port;
	net_node(net, node)->busy |= 1ull << port;
}

int net_link_kill(struct net *net, uint32_t node, unsigned port)
{
	uint32_t link;

	if (node >= net->nodes || port >= net->ports ||
	    net->steer != NET_STEER_TREE || net->injected)
		return -EINVAL;
	link = net_links(net, node)[port];
	if (link == NET_LINK_NONE)
		return -EINVAL;
	mark_link_dead(net, node, port);
	mark_link_dead(net, net_link_peer(link), net_link_port(link));
	net->deaths++;
	return 0;
}

void net_tables_renew(struct net *net)
{
	net->renewed = net->deaths;
	net_table_clear(net);
}

/* ---- run loop ------------------------------------------------------------ */

static void handle_event(struct net_step *s, uint64_t word)
{
	switch (net_word_kind(word)) {
	case NET_EV_COLL:
		net_tree_arrive(s, word);
		return;
	case NET_EV_CREDIT:
		net_tree_credit(s, word);
		return;
	case NET_EV_WAKE:
		net_nic_wake(s, word);
		return;
	case NET_EV_BUILT:
		net_nic_built(s, word);
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
		net_nic_deliver(s, c);
		return;
	case NET_EV_RESULT:
		net_tree_result(s, c);
		return;
	case NET_EV_SENT:
		net_nic_sent(s, c);
		return;
	default:
		net_nic_timer(s, c);
	}
}

/*
 * Returns the hash of an event without its payload, because record numbers are
 * arbitrary.
 */
static inline uint64_t event_hash(uint64_t word)
{
	return weft_hash_mix(word >> NET_VC_SHIFT);
}

static uint64_t events_hash(const uint64_t *w, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += event_hash(w[i]);
	return sum;
}

/* Handlers of the event kinds that commute. */
static const struct {
	net_prefetch_fn prefetch;
	net_events_fn process;
} kinds[] = {
	[NET_EV_ARRIVE] = { net_prefetch_arrive, net_router_arrive },
	[NET_EV_TAIL] = { net_prefetch_nodes, net_router_tail },
	[NET_EV_TOKEN] = { net_prefetch_nodes, net_router_token },
};

/* Processes the events of one kind, in any order. Returns their hash. */
static uint64_t run_kind(struct net_step *s, uint32_t lane, enum net_ev kind)
{
	struct net *net = s->net;
	uint32_t *slot = net_lane_slot(net, s->now, lane + kind), i, before, n;
	const uint64_t *w;
	uint64_t sum = 0;
	uint32_t chunks = 0;

	for (i = *slot, *slot = 0; i; i = before) {
		net_walk_check(chunks++ < net->chunks_max);
		before = net_chunk(net, i, &w, &n);
		if (net->large) {
			net_prefetch_chunk(net, before);
			kinds[kind].prefetch(net, w, n);
		}
		sum += events_hash(w, n);
		kinds[kind].process(s, w, n);
		net_chunk_put(net, i);
		net->events += n;
	}
	return sum;
}

/* Processes the sorted events node by node. Returns the hash of the events. */
static uint64_t run_sorted(struct net_step *s, uint32_t lane)
{
	const uint64_t *w;
	uint32_t n = net_lane_sorted(s->net, s->now, lane, &w), i = 0;
	uint64_t sum = events_hash(w, n);

	if (s->net->large)
		net_prefetch_sorted(s->net, w, n);
	while (i < n) {
		struct net_mark *m;

		net_step_at(s, net_word_node(w[i]));
		s->part = false;
		do {
			handle_event(s, w[i++]);
		} while (i < n && net_word_node(w[i]) == s->id);
		if (s->part)
			net_tree_engine_start(s);
		/* ports are served after all events of the tick */
		if (s->dirty | s->fresh[0] | s->fresh[1]) {
			m = net_mark(s, s->node, s->id);
			m->dirty |= s->dirty;
			m->fresh[0] |= s->fresh[0];
			m->fresh[1] |= s->fresh[1];
			s->dirty = s->fresh[0] = s->fresh[1] = 0;
		}
	}
	s->net->events += n;
	return sum;
}

/*
 * Prefetches the first chunk of each lane. Returns false if the region has no
 * event.
 */
static bool any_events(const struct net_step *s, uint32_t lane)
{
	const struct net *net = s->net;
	const uint32_t *slot = net_lane_slot(net, s->now, lane);
	uint32_t any = 0, i;

	for (i = 0; i < NET_LANES; i++)
		any |= slot[i * NET_WHEEL];
	for (i = 0; any && net->large && i < NET_LANES; i++)
		net_prefetch_chunk(net, slot[i * NET_WHEEL]);
	return any != 0;
}

static uint64_t run_region(struct net_step *s, uint32_t lane)
{
	uint64_t sum;

	if (!any_events(s, lane))
		return 0;
	sum = run_kind(s, lane, NET_EV_ARRIVE);
	sum += run_kind(s, lane, NET_EV_TAIL);
	sum += run_kind(s, lane, NET_EV_TOKEN);
	if (*net_lane_slot(s->net, s->now, lane + NET_LANE_SORTED))
		sum += run_sorted(s, lane + NET_LANE_SORTED);
	if (s->marks)
		net_arbiter_serve(s);
	return sum;
}

static uint64_t run_calls(struct net_step *s)
{
	const struct net_call *c;
	uint32_t n = net_lane_calls(s->net, s->now, &c), i;
	uint64_t sum = 0;

	s->net->events += n;
	for (i = 0; i < n; i++) {
		sum += event_hash(c[i].word ^ c[i].time_ps << NET_VC_SHIFT);
		WEFT_GUARD_ASSERT(!i || c[i - 1].time_ps <= c[i].time_ps);
		call_up(s, &c[i]);
	}
	return sum;
}

static void run_tick(struct net_step *s)
{
	struct net *net = s->net;
	uint64_t sum = 0;
	uint32_t r;

	net_wheel_begin(net);
	s->now = net->tick++;
	for (r = 0; r < net->regions; r++)
		sum += run_region(s, r * NET_LANES);
	if (*net_lane_slot(net, s->now, net->lanes - 1))
		sum += run_calls(s);
	net->hash = weft_hash_mix(net->hash ^ s->now ^ sum);
}

uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop)
{
	struct net_step s = { .net = net,
			      .up = up,
			      .arg = arg,
			      .mark = net_at(net, net->off_mark) };
	uint64_t last = until / net->cfg.tick_ps, next, ticks = 0;

	if (until == NET_NEVER)
		last = NET_NEVER - 1;
	for (;;) {
		next = net_wheel_next(net);
		if (next > last)
			break;
		WEFT_GUARD_ASSERT(next >= net->tick);
		net->tick = next;
		run_tick(&s);
		if (++ticks % NET_CALLBACK_TICKS == 0 && up->progress_check)
			up->progress_check(arg);
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
	uint64_t least = cfg->routes ? cfg->coll_inject_ps : UINT64_MAX;
	unsigned i;

	for (i = 0; i < net_config_paths(cfg); i++)
		if (least > cfg->path[i].inject_ps)
			least = cfg->path[i].inject_ps;

	return least - cfg->tick_ps;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Inspection of the network: counters and invariants. */
#include "prov/net/net_layout.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/routing/net_topo.h"
#include "prov/net/net_wheel.h"

#include "src/base/log.h"

#include <errno.h>
#include <string.h>

void net_count_get(const struct net *net, struct net_count *c)
{
	c->now = net->tick * net->cfg.tick_ps;
	c->events = net->events;
	c->hops = net->hops;
	c->injected = net->injected;
	c->delivered = net->delivered;
	c->escapes = net->escapes;
	c->filtered = net->filtered;
	c->hash = net->hash;
}

/*
 * Returns all - others, or 0: packets in flight may be counted in `others` but
 * not yet in `all`.
 */
static uint64_t subtract_clamped(uint64_t all, uint64_t others)
{
	return all > others ? all - others : 0;
}

/*
 * Returns the ticks for which the link was occupied. Packets of class routes
 * have separate counters.
 */
static uint64_t busy_ticks(const struct net *net, const struct net_out *o,
			   const struct net_port_count *c, unsigned rate)
{
	const struct net_config *cfg = &net->cfg;
	uint64_t plain = subtract_clamped(c->packets, o->packets_coll);
	uint64_t chunks = subtract_clamped(c->chunks, o->chunks_coll);
	uint64_t chunk = cfg->chunk_wire_bytes ? cfg->chunk_wire_bytes
					       : cfg->chunk_bytes;
	uint64_t bytes = plain * net_wire_bytes(cfg, 0) + chunks * chunk;

	if (cfg->block_bytes) /* correct if packets are full or short */
		bytes += (chunks * cfg->chunk_bytes + cfg->block_bytes - 1) /
			 cfg->block_bytes * cfg->block_header_bytes;
	return bytes * net->rate[rate] / (1000ull * cfg->tick_ps) +
	       plain * cfg->protocol_ticks + o->busy_coll;
}

void net_port_get(const struct net *net, uint32_t node, unsigned port,
		  struct net_port_count *c)
{
	const struct net_out *o = &net_outs(net, node)[port];
	const struct net_in *in = &net_ins(net, node)[port], *peer_in;
	uint32_t link = net_links(net, node)[port];

	/*
	 * the counts of this sender are stored at the receiver at the other end
	 */
	c->packets = c->chunks = c->busy_ps = 0;
	if (link != NET_LINK_NONE) {
		peer_in =
			&net_ins(net, net_link_peer(link))[net_link_port(link)];
		c->packets = peer_in->received;
		c->chunks = peer_in->chunks;
		c->busy_ps =
			busy_ticks(net, o, c, net_link_hop(net, link)->rate) *
			net->cfg.tick_ps;
	}
	c->received = in->received;
	c->queued_ps = in->wait_ticks * net->cfg.tick_ps;
}

int64_t net_neighbour(const struct net *net, uint32_t node, unsigned port)
{
	uint32_t link = net_links(net, node)[port];

	return link == NET_LINK_NONE ? -1 : (int64_t)net_link_peer(link);
}

unsigned net_hops(const struct net *net, uint32_t src, uint32_t dst)
{
	return net_routing_hops(net, src, dst);
}

unsigned net_ports(const struct net *net)
{
	return net->ports;
}

uint32_t net_nodes(const struct net *net)
{
	return net->nodes;
}

/* ---- invariants ---------------------------------------------------------- */

static int invariant_failed(const char *what, uint64_t a, uint64_t b)
{
	weft_log(WEFT_LOG_ERROR, "net: %s: %llu, expected %llu", what,
		 (unsigned long long)a, (unsigned long long)b);
	return -EPROTO;
}

/* Checks that no link has too many tokens; idle: that it has all of them. */
static int check_tokens(const struct net *net, bool idle)
{
	uint32_t n, port, vc, have, all;

	for (n = 0; n < net->nodes; n++)
		for (port = 0; port < net->ports; port++)
			for (vc = 0; vc < net->vcs; vc++) {
				have = net_tokens(net, n, port, vc);
				all = net_topo_tokens(&net->cfg, n, port, vc);
				if (have > all)
					return invariant_failed(
						"too many tokens", have, all);
				if (idle && have != all)
					return invariant_failed(
						"tokens missing in an idle "
						"network",
						have, all);
			}
	return 0;
}

static uint64_t in_flight(const struct net *net)
{
	return net->used_packets - net->parts - net->copies;
}

int net_check(const struct net *net)
{
	bool idle = !in_flight(net) && !net_wheel_pending(net);

	if (net->injected - net->delivered != in_flight(net))
		return invariant_failed("packets lost",
					net->injected - net->delivered,
					in_flight(net));
	if (net->disorder)
		return invariant_failed("packets out of order", net->disorder,
					0);
	if (net->excess)
		return invariant_failed("token counters out of range",
					net->excess, 0);
	if (net->late)
		return invariant_failed("sends dated back too far", net->late,
					0);
	return check_tokens(net, idle);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routing: the ports that a packet may use. On a torus, the number of hops and
 * the direction of a message in each dimension are determined at the source.
 * The direction is that of the hint; without a hint it is the shorter one, and
 * if both are equally long, the parity of the source's coordinates selects it.
 * A dynamic packet uses the first mask of its zone set that contains a
 * dimension with hops left, and may take any such dimension of the mask. A
 * deterministic packet follows the configured dimension order.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_layout.h"
#include "prov/net/net_switched.h"
#include "prov/net/routing/net_guid.h"
#include "prov/net/routing/net_io.h"
#include "prov/net/routing/net_routing.h"
#include "prov/net/routing/net_topo.h"

#include "src/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fills the table entries for packets whose remaining hops are in the
 * dimensions of mask `left`.
 */
static void init_masks(struct net *net, unsigned left)
{
	const struct net_config *cfg = &net->cfg;
	const uint8_t *mask;
	unsigned i, z, d;

	for (i = 0; !(left & 1u << cfg->order[i]); i++)
		;
	net->det_dirs[left] = (uint16_t)(3u << 2 * cfg->order[i]);
	for (z = 0; z < NET_ZONES; z++) {
		for (mask = cfg->zone[z]; !(*mask & left); mask++)
			;
		for (d = 0; d < cfg->dims; d++)
			if (*mask & left & 1u << d)
				net->zone_dirs[z][left] |=
					(uint16_t)(3u << 2 * d);
	}
}

/*
 * Sets the ports of a direction, and the queue slots of packets that stay in
 * the same ring.
 */
static void init_dir(struct net *net, unsigned dir)
{
	unsigned first = net_topo_first(&net->cfg, dir), port, in, slot;
	unsigned links = net_topo_links(&net->cfg, dir / 2);
	unsigned back = net_topo_first(&net->cfg, dir ^ 1u);

	net->dir_first[dir] = (uint8_t)first;
	net->dir_links[dir] = (uint8_t)links;
	net->parallel |= links > 1;
	for (port = first; port < first + links; port++) {
		net->dir_ports[dir] |= 1ull << port;
		net->flow[port] = (uint8_t)dir;
		for (in = back; in < back + links; in++) {
			slot = (in << net->qshift) + net->queues - 1;
			net->ring[port][slot >> 6] |= 1ull << (slot & 63);
		}
	}
}

/*
 * Fills the tables and the coordinates of all nodes, so that sending a message
 * needs no division.
 */
void net_routing_init(struct net *net)
{
	const struct net_config *cfg = &net->cfg;
	struct net_coord *c;
	uint32_t n, rest;
	unsigned d, sum;

	memset(net->flow, NET_FLOW_NONE, sizeof(net->flow));
	net->steer = net_is_switched(cfg) ? NET_STEER_SWITCHED : NET_STEER_TREE;
	if (cfg->topology != NET_TORUS)
		return;
	net->steer =
		net_router_nodes(cfg) > 1 ? NET_STEER_SHARED : NET_STEER_TORUS;
	if (cfg->io_nodes)
		net->steer = NET_STEER_IO;
	net->down = net_topo_first(cfg, 2u * cfg->dims);
	for (d = 0; d < 2u * cfg->dims; d++)
		init_dir(net, d);
	for (n = 1; n < 1u << cfg->dims; n++)
		init_masks(net, n);
	for (n = 0; n < net->ends; n++) {
		c = (struct net_coord *)net_at(net, net->off_coord) + n;
		*c = (struct net_coord){ 0 };
		sum = 0;
		rest = n / net_router_nodes(cfg);
		for (d = cfg->dims; d-- > 0; rest /= cfg->size[d]) {
			c->x[d] = (uint8_t)(rest % cfg->size[d]);
			sum += c->x[d];
		}
		c->odd = sum & 1;
	}
}

int net_tables_load(struct net *net, const uint8_t order[NET_DIMS_MAX],
		    uint8_t zone[NET_ZONES][NET_DIMS_MAX])
{
	struct net_config cfg = net->cfg;
	uint32_t n;

	memcpy(cfg.order, order, sizeof(cfg.order));
	memcpy(cfg.zone, zone, sizeof(cfg.zone));
	if (cfg.topology != NET_TORUS || net_config_check(&cfg))
		return -EINVAL;
	if (net->used_packets)
		return -EBUSY;
	net->cfg = cfg;
	memset(net->zone_dirs, 0, sizeof(net->zone_dirs));
	for (n = 1; n < 1u << cfg.dims; n++)
		init_masks(net, n);
	return 0;
}

/*
 * Returns the number of hops in a ring, with sign: `up` hops upward, or `up` -
 * size, which is negative, for downward hops.
 */
static int plan_ring(int up, int size, int hint, unsigned odd)
{
	if (hint)
		return hint > 0 ? up : up - size;
	if (2 * up == size)
		return odd ? up : -up;
	return 2 * up < size ? up : up - size;
}

/*
 * Sets *rem_p to the number of hops in one dimension. -EINVAL: the hint leads
 * out of the mesh.
 */
static int plan_dim(const struct net *net, const struct net_msg *msg,
		    unsigned d, int8_t *rem_p)
{
	const struct net_config *cfg = &net->cfg;
	const struct net_coord *src = net_coord(net, msg->src);
	int size = cfg->size[d], hint = msg->hint[d];
	int a = src->x[d], b = net_coord(net, msg->dst)->x[d];

	*rem_p = 0;
	if (a == b)
		return 0;
	if (cfg->wrap[d])
		*rem_p = (int8_t)plan_ring(b > a ? b - a : b - a + size, size,
					   hint, src->odd);
	else if (hint && (hint > 0) != (b > a))
		return -EINVAL;
	else
		*rem_p = (int8_t)(b - a);
	return 0;
}

/*
 * Computes the hops of a message to its own source: with a hint it travels once
 * around the ring.
 */
static int plan_round(const struct net_config *cfg, const struct net_msg *msg,
		      int8_t *rem)
{
	unsigned d;

	for (d = 0; d < cfg->dims; d++) {
		rem[d] = 0;
		if (msg->hint[d] && !cfg->wrap[d])
			return -EINVAL;
		if (msg->hint[d])
			rem[d] = (int8_t)(msg->hint[d] > 0 ? cfg->size[d]
							   : -cfg->size[d]);
	}
	return 0;
}

static bool route_ok(const struct net *net, const struct net_msg *msg)
{
	return !msg->route ||
	       net_fat_route_check(&net->fat, msg, msg->routing == NET_DYNAMIC);
}

/* Returns whether the source route ends at the target. */
static bool source_route_check(const struct net *net, const struct net_msg *msg)
{
	int64_t node = msg->src;
	unsigned i;

	if (net->steer != NET_STEER_SHARED || msg->routing == NET_DYNAMIC ||
	    msg->route_len > NET_ROUTE_MAX)
		return false;
	for (i = 0; i < msg->route_len; i++) {
		if ((i && node < net->ends) || msg->route[i] >= net->ports)
			return false;
		node = net_neighbour(net, (uint32_t)node, msg->route[i]);
		if (node < 0)
			return false;
	}
	return node == msg->dst;
}

/* Returns whether source and target of a message are in the same partition. */
static bool in_partition(const struct net *net, const struct net_msg *msg)
{
	uint32_t each = net_topo_compute(&net->cfg) / net->cfg.partitions;

	return msg->src / each == msg->dst / each;
}

int net_routing_plan(const struct net *net, const struct net_msg *msg,
		     int8_t *rem)
{
	const struct net_config *cfg = &net->cfg;
	struct net_msg torus;
	unsigned d;
	int ret = 0;

	if (net_is_switched(cfg))
		return msg->route ? -EINVAL : 0;
	if (cfg->topology != NET_TORUS)
		return route_ok(net, msg) ? 0 : -EINVAL;
	if (weft_unlikely(cfg->io_nodes)) {
		if (net_io_message(net, msg, &torus))
			return -EINVAL;
		msg = &torus;
	}
	if (weft_unlikely(cfg->partitions > 1) && !in_partition(net, msg))
		return -EINVAL;
	if (msg->route && !source_route_check(net, msg))
		return -EINVAL;
	if (msg->src == msg->dst && net->steer == NET_STEER_TORUS)
		return plan_round(cfg, msg, rem);
	for (d = 0; d < cfg->dims && !ret; d++)
		ret = plan_dim(net, msg, d, &rem[d]);
	if (weft_unlikely(net->detour) && !ret)
		net_fault_route_plan(net, msg, rem);
	return ret;
}

void net_routing_start(const struct net *net, struct net_packet *p)
{
	unsigned d;

	p->left = 0;
	if (net->steer == NET_STEER_SWITCHED) {
		memset(p->rem, 0, sizeof(p->rem));
		p->via = 0;
	}
	if (net->cfg.topology != NET_TORUS)
		return;
	p->dirs = 0;
	if (p->flags & NET_P_ROUTED)
		return;
	for (d = 0; d < net->cfg.dims; d++) {
		p->left |= (uint8_t)((unsigned)(p->rem[d] != 0) << d);
		p->dirs |= 1u << (2 * d + (p->rem[d] > 0));
	}
	if (net->parallel) {
		/*
		 * source and target select one of several parallel links; with
		 * NET_P_SPREAD, the address does as well
		 */
		const struct net_mrec *m = net_mrec(net, p->msg);
		uint64_t key = (uint64_t)m->src << 32 | p->dst;

		if (p->flags & NET_P_SPREAD)
			key ^= weft_hash_mix(
				(net_mrec_word(m) * 8ull + p->seq) /
					net->cfg.payload_bytes +
				1);
		p->link_hash = (uint16_t)weft_hash_mix(key);
	}
}

void net_routing_spread(const struct net *net, struct net_packet *p)
{
	uint64_t dirs = p->want;
	unsigned dir = p->det;

	p->det = (uint8_t)(net->dir_first[dir] +
			   p->link_hash % net->dir_links[dir]);
	for (p->want = 0; dirs; dirs &= dirs - 1)
		p->want |= net->dir_ports[__builtin_ctzll(dirs)];
}

/*
 * Returns the next port of the source route as a mask; if it is NET_ROUTE_ANY,
 * all ports of `want`.
 */
static uint64_t source_route_port(const struct net *net,
				  const struct net_packet *p, uint64_t want,
				  unsigned *det_p)
{
	const struct net_mrec *m = net_mrec(net, p->msg);
	const struct net_route *r =
		(const struct net_route *)net_mrec(net, net_mrec_route(m));
	unsigned port = r->port[p->left];

	if (port == NET_ROUTE_ANY)
		return want;
	*det_p = port;
	return 1ull << port;
}

/*
 * Routes around dead links. A packet that has no route waits at the port that
 * it would use without dead links.
 */
WEFT_COLD static uint64_t detour(const struct net *net,
				 const struct net_packet *p, uint32_t node,
				 unsigned rail, unsigned *det_p)
{
	const struct net_fat *f = &net->fat;
	uint64_t want;

	if (net->renewed == net->deaths)
		want = net_fat_reroute(f, net_dead(net), node, p->dst, p->left,
				       rail, det_p);
	else
		want = net_fat_steer(f, net_dead(net), node, p->dst, p->left,
				     rail, det_p);
	return want ? want
		    : net_fat_steer(f, NULL, node, p->dst, p->left, rail,
				    det_p);
}

/*
 * Returns a mask of the ports in the switch's routing table entry for the
 * packet.
 */
static uint64_t ports_by_table(const struct net *net,
			       const struct net_packet *p, uint32_t node,
			       unsigned *det_p)
{
	const struct net_fat_route *r =
		net_table_find(net, node, p->left, p->dst);
	uint64_t ports = r->ports, live;

	if (weft_unlikely(net->deaths != net->renewed)) {
		live = ports & ~net_dead(net)[node];
		if (!live)
			live = r->detour & ~net_dead(net)[node];
		ports = live ? live : ports;
	}
	*det_p = net_fat_in_order(ports, r->first);
	return ports;
}

static void ports_fat(const struct net *net, struct net_packet *p,
		      uint32_t node)
{
	unsigned det, rail = 0;
	uint64_t want;

	if (node < net->ends)
		rail = net_mrec(net, p->msg)->rail;
	if (net->off_table && node >= net->ends)
		want = ports_by_table(net, p, node, &det);
	else if (weft_unlikely(net->deaths))
		want = detour(net, p, node, rail, &det);
	else
		want = net_fat_steer(&net->fat, NULL, node, p->dst, p->left,
				     rail, &det);

	if (p->flags & NET_P_ROUTED)
		want = source_route_port(net, p, want, &det);
	p->det = (uint8_t)det;
	p->want = p->flags & NET_P_DYN ? want : 0;
}

/*
 * Routes a packet on a torus with shared routers: from its source node to a
 * router, over the routers, and to the target.
 */
static void ports_shared(const struct net *net, struct net_packet *p,
			 uint32_t node)
{
	unsigned det = 0;

	if (weft_unlikely(p->flags & NET_P_ROUTED)) {
		source_route_port(net, p, 0, &det);
		p->det = (uint8_t)det;
		p->want = 0;
		return;
	}
	if (node >= net->ends && p->left) {
		net_routing_ports_torus(net, p);
		return;
	}
	p->det = 0;
	if (node >= net->ends)
		p->det = (uint8_t)(net->down +
				   p->dst % net_router_nodes(&net->cfg));
	p->want = p->flags & NET_P_DYN ? 1ull << p->det : 0;
}

/*
 * Networks of switches: a node has one port, and all its packets use the first
 * channel of the link. The switches themselves route packets in net_switched.c.
 */
static void ports_switched(struct net_packet *p)
{
	p->det = 0;
	p->want = 0;
	p->vc = NET_VC_DET;
}

void net_routing_ports_other(const struct net *net, struct net_packet *p,
			     uint32_t node)
{
	if (net->steer == NET_STEER_SWITCHED)
		ports_switched(p);
	else if (net->steer == NET_STEER_TREE)
		ports_fat(net, p, node);
	else if (net->steer == NET_STEER_SHARED)
		ports_shared(net, p, node);
	else if (net->steer && (!p->left || net_io_is(net, node)))
		net_io_ports(net, p, node);
	else
		net_routing_ports_torus(net, p);
	if (weft_unlikely(net->detour))
		net_fault_routing(net, p, node);
}

void net_routing_hop_other(const struct net *net, struct net_packet *p,
			   uint32_t node, unsigned port)
{
	if (net->steer == NET_STEER_SWITCHED)
		net_switched_hop(net, p, node, port);
	else if (net->steer == NET_STEER_TREE || p->flags & NET_P_ROUTED)
		p->left++;
	else if (port < net->down &&
		 (net->steer == NET_STEER_IO ? !net_io_is(net, node)
					     : node >= net->ends))
		net_routing_hop_torus(net, p, port);
}

unsigned net_routing_hops(const struct net *net, uint32_t src, uint32_t dst)
{
	struct net_msg msg = { .src = src, .dst = dst };
	int8_t rem[NET_DIMS_MAX] = { 0 };
	unsigned d, n = 0;

	if (net->steer == NET_STEER_SWITCHED)
		return net_switched_hops(net, src, dst);
	if (net->cfg.topology != NET_TORUS)
		return net_fat_hops(&net->fat, src, dst);
	if (net_io_is(net, src) || net_io_is(net, dst)) {
		msg.routing = NET_SYSTEM;
		n = 1;
	}
	net_routing_plan(net, &msg, rem);
	if (net->steer == NET_STEER_SHARED && src != dst)
		n = 2;
	for (d = 0; d < net->cfg.dims; d++)
		n += (unsigned)abs(rem[d]);
	return n;
}

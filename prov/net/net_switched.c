/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routers of networks of switches. A packet is routed when its head arrives,
 * after all events of the tick, receiver by receiver, so the result does not
 * depend on the order of events. It then waits in a list of its port and
 * virtual channel. At the first switch a packet without a required order may
 * get an intermediate switch: always with Valiant's routing; with UGAL if the
 * product of waiting packets and hops is less than on the minimal path.
 */
#include "prov/net/net_switched.h"
#include "prov/net/net_grant.h"
#include "prov/net/net_router.h"
#include "prov/net/net_slot.h"

#include "src/base/hash.h"

void net_switched_open(struct net *net)
{
	struct net_paths p;

	net_paths_count(&net->cfg, &p);
	net->switch_phases = p.phases;
	net_paths_at(&p, net_at(net, net->off_paths));
	net_paths_fill(&p);
}

/* Sets the pointers to the tables; the block itself contains no pointers. */
static void paths_of(const struct net *net, struct net_paths *p)
{
	*p = (struct net_paths){ .cfg = &net->cfg,
				 .count = net->nodes - net->ends,
				 .nodes = net->ends,
				 .ports = net->ports,
				 .phases = net->switch_phases };
	net_paths_at(p, net_at(net, net->off_paths));
}

/* ---- selection of paths -------------------------------------------------- */

/* Returns whether the packets of a pair of nodes must use one path. */
static bool in_order(const struct net_packet *p)
{
	return !(p->flags & (NET_P_DYN | NET_P_SPREAD));
}

/*
 * Returns a random number. If packets keep their order, it depends only on the
 * pair of nodes; otherwise on the time and the receiver, so that it differs for
 * each packet.
 */
static uint64_t draw(const struct net_step *s, const struct net_packet *p,
		     unsigned in)
{
	uint64_t pair = (uint64_t)net_mrec(s->net, p->msg)->src << 32 | p->dst;

	if (in_order(p))
		return weft_hash_mix(pair + 1);
	return weft_hash_mix(
		pair ^ weft_hash_mix(s->now << 6 ^ (uint64_t)s->id << 40 ^ in));
}

static unsigned nth_port(uint64_t ports, unsigned n)
{
	while (n--)
		ports &= ports - 1;
	return (unsigned)__builtin_ctzll(ports);
}

/*
 * Returns one of the ports: the least loaded one or, if packets keep their
 * order, a random port that is the same for all packets between the two nodes.
 */
static unsigned choose_port(const struct net_step *s,
			    const struct net_packet *p, uint64_t ports,
			    uint64_t random)
{
	const uint16_t *load = net_port_load(s->net, s->id);
	unsigned n = (unsigned)__builtin_popcountll(ports), best, port;

	best = nth_port(ports, (unsigned)(random % n));
	if (in_order(p))
		return best;
	for (; ports; ports &= ports - 1) {
		port = (unsigned)__builtin_ctzll(ports);
		if (load[port] < load[best])
			best = port;
	}
	return best;
}

/*
 * Returns a random intermediate switch that has nodes, plus one; not in the
 * group of the first or of the last switch. 0: there is none.
 */
static uint32_t draw_via(const struct net_paths *t, uint32_t sw, uint32_t last,
			 uint64_t random)
{
	uint32_t via, i;

	if (t->group[sw] == t->group[last])
		return 0;
	for (i = 0; i < 64; i++) {
		/* the switch of a random node */
		random = weft_hash_mix(random + i);
		via = t->home[random % t->nodes] >> 8;
		if (t->group[via] != t->group[sw] &&
		    t->group[via] != t->group[last])
			return via + 1;
	}
	return 0;
}

/*
 * Returns the load of the best path towards a switch: the number of waiting
 * packets times the number of hops.
 */
static uint32_t path_load(const struct net_step *s, const struct net_packet *p,
			  const struct net_paths *t, uint32_t sw,
			  uint32_t target, unsigned hops)
{
	uint64_t ports = net_paths_next(t, 0, sw, target);
	unsigned port = choose_port(s, p, ports, 0);

	return net_port_load(s->net, s->id)[port] * hops;
}

/*
 * Decides at the first switch whether a packet takes a path through an
 * intermediate switch.
 */
static void choose_via(const struct net_step *s, struct net_packet *p,
		       const struct net_paths *t, uint32_t sw, uint64_t random)
{
	uint32_t last = t->home[p->dst] >> 8, via;
	unsigned rule = s->net->cfg.path_rule, direct, around;

	if ((rule != NET_VALIANT && rule != NET_UGAL) ||
	    (rule == NET_UGAL && in_order(p)))
		return;
	via = draw_via(t, sw, last, random);
	if (!via)
		return;
	direct = net_paths_hops(t, sw, last);
	around = net_paths_hops(t, sw, via - 1) +
		 net_paths_hops(t, via - 1, last);
	if (rule == NET_VALIANT ||
	    path_load(s, p, t, sw, last, direct) >
		    path_load(s, p, t, sw, via - 1, around))
		p->via = via;
}

/*
 * Sets the class of the next link; p->left is the number of hops done so far.
 */
static void set_class(const struct net *net, struct net_packet *p)
{
	unsigned most = net->cfg.vcs - 1u;

	if (net->cfg.topology == NET_GRAPH)
		p->class = net->cfg.path_rule == NET_UP_DOWN
				   ? 0
				   : (uint8_t)(p->left - 1);
	if (p->class > most)
		p->class = (uint8_t)most;
}

void net_switched_route(struct net_step *s, unsigned slot)
{
	struct net *net = s->net;
	uint32_t pi = net_slot_head(net, s->id, slot), sw = s->id - net->ends;
	struct net_packet *p = net_packet(net, pi);
	uint64_t random = draw(s, p, slot), ports;
	struct net_paths t;
	uint32_t target;

	paths_of(net, &t);
	net_queue_pop(s, slot);
	target = t.home[p->dst] >> 8;
	if (p->left == 1)
		choose_via(s, p, &t, sw, random);
	if (p->via && net_paths_reached(&t, sw, p->via - 1)) {
		p->via = 0;
		p->class |= net->cfg.topology == NET_HYPERX;
	}
	set_class(net, p);
	if (p->via)
		target = p->via - 1;
	if (sw == target) {
		p->det = t.home[p->dst] & 255;
		p->class = 0;
	} else {
		ports = net_paths_next(&t, p->down, sw, target);
		net_walk_check(ports != 0);
		p->det = (uint8_t)choose_port(s, p, ports, random >> 8);
	}
	net_port_load(net, s->id)[p->det]++;
	net_router_list(s, s->id, slot, pi, NET_WAIT_DET + p->class);
	s->dirty |= 1ull << p->det;
}

void net_switched_hop(const struct net *net, struct net_packet *p,
		      uint32_t node, unsigned port)
{
	struct net_paths t;

	p->left++;
	if (node < net->ends)
		return;
	paths_of(net, &t);
	p->class =
		(uint8_t)(p->class + (t.global[node - net->ends] >> port & 1));
	if (t.phases > 1)
		p->down |= net_paths_is_down(&t, node - net->ends, port);
}

unsigned net_switched_hops(const struct net *net, uint32_t src, uint32_t dst)
{
	struct net_paths t;

	if (src == dst)
		return 0;
	paths_of(net, &t);
	return 2 + net_paths_hops(&t, t.home[src] >> 8, t.home[dst] >> 8);
}

/* ---- service ------------------------------------------------------------- */

void net_switched_serve(struct net_step *s, unsigned port)
{
	struct net_out *o = net_out(s, port);
	unsigned vcs = s->net->cfg.vcs, class, i;

	for (i = 1; i <= vcs; i++) {
		class = (o->rr + i) % vcs;
		if (!(o->waits >> (NET_WAIT_DET + class) & 1) ||
		    !net_tokens(s->net, s->id, port, class + 1))
			continue;
		o->rr = (uint8_t) class;
		net_grant_det_rare(s, port, class + 1, NET_WAIT_DET + class);
		return;
	}
}

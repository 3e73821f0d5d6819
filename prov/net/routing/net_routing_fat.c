/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routing in a fat tree; net_fat.h describes the routes. A digit of the
 * target's number selects the parent to which a deterministic packet goes, so
 * that packets to different targets spread over the top switches, and all
 * packets to one target use the same route down. For a target in another
 * supernode, the number of that supernode selects the parent, because switches
 * have one table entry for the whole supernode.
 */
#include "prov/net/routing/net_fat.h"
#include "prov/net/net.h"

static uint64_t mask(unsigned first, unsigned count)
{
	return count ? ~0ull >> (64 - count) << first : 0;
}

/* Returns the digit of the target's number that selects the upward link. */
static uint32_t digit(const struct net_fat *f, const struct net_fat_place *p,
		      uint32_t dst)
{
	uint32_t l = p->level, super = f->super ? f->ends[f->super] : 0;

	if (super && l &&
	    (l > f->super || p->a / (super / f->ends[l]) != dst / super))
		return dst / super;
	return l ? dst / f->ends[l - 1] : dst;
}

/* Adds the links to the sibling to the table entry of a level-1 switch. */
static void entry_first_level(const struct net_fat *f,
			      const struct net_fat_place *p, uint32_t dst,
			      unsigned hops, struct net_fat_route *r)
{
	uint64_t across = mask(f->m[1] + f->w[2], f->siblings);
	bool to_sibling = (p->a ^ 1) == dst / f->ends[1];

	if (!f->siblings)
		return;
	if (hops >= 3 && to_sibling) {
		r->ports = across;
		r->first = f->m[1] + f->w[2] + dst % f->siblings;
	} else if (hops == 1 && to_sibling) {
		r->ports |= across;
	} else if (hops == 1) {
		r->detour = across;
	}
}

void net_fat_route(const struct net_fat *f, uint32_t node, uint32_t dst,
		   unsigned hops, unsigned rail, struct net_fat_route *r)
{
	struct net_fat_place p = net_fat_place(f, node);
	uint32_t l = p.level, w = f->w[l + 1];

	r->detour = 0;
	if (!l) {
		uint32_t each = f->w[1] / f->rails;

		/* links of the packet's rail, or of all rails */
		r->ports =
			rail ? mask((rail - 1) * each, each) : mask(0, f->w[1]);
		r->first =
			rail ? (rail - 1) * each + dst % each : dst % f->w[1];
	} else if (dst / f->ends[l] == p.a) {
		uint32_t port = dst / f->ends[l - 1] % f->m[l];

		/* down, or down to the sibling of the switch below */
		r->ports = 1ull << port;
		r->first = port;
		if (l == 2 && f->siblings && (port ^ 1) < f->m[l])
			r->detour = 1ull << (port ^ 1);
	} else {
		r->ports = mask(f->m[l], w);
		r->first = f->m[l] + digit(f, &p, dst) % w;
		if (l == 1)
			entry_first_level(f, &p, dst, hops, r);
	}
}

unsigned net_fat_in_order(uint64_t ports, unsigned first)
{
	uint64_t from = ports >> first << first;

	return (unsigned)__builtin_ctzll(from ? from : ports);
}

uint64_t net_fat_steer(const struct net_fat *f, const uint64_t *dead,
		       uint32_t node, uint32_t dst, unsigned hops,
		       unsigned rail, unsigned *det_p)
{
	struct net_fat_route r;

	net_fat_route(f, node, dst, hops, rail, &r);
	if (dead) {
		r.ports &= ~dead[node];
		if (!r.ports)
			r.ports = r.detour & ~dead[node];
		if (!r.ports)
			return 0;
	}
	*det_p = net_fat_in_order(r.ports, r.first);
	return r.ports;
}

static bool reaches(const struct net_fat *f, const uint64_t *dead,
		    uint32_t node, uint32_t dst, unsigned hops);

/* Returns the ports of the mask from which a route to dst exists. */
static uint64_t open_ports(const struct net_fat *f, const uint64_t *dead,
			   uint32_t node, uint32_t dst, unsigned hops,
			   uint64_t ports)
{
	uint64_t left = ports & ~dead[node], open = 0;
	unsigned port, there;
	int64_t peer;

	for (; left; left &= left - 1) {
		port = (unsigned)__builtin_ctzll(left);
		peer = net_fat_neighbour(f, node, port, &there);
		if (peer >= 0 &&
		    reaches(f, dead, (uint32_t)peer, dst, hops + 1))
			open |= 1ull << port;
	}
	return open;
}

/*
 * Returns whether a live route to dst exists. The longest route goes across,
 * up, down, and across.
 */
static bool reaches(const struct net_fat *f, const uint64_t *dead,
		    uint32_t node, uint32_t dst, unsigned hops)
{
	struct net_fat_route r;

	if (node == dst)
		return true;
	if (node < f->first[1] || hops > 2 * f->levels + 2)
		return false;
	net_fat_route(f, node, dst, hops, 0, &r);
	return open_ports(f, dead, node, dst, hops, r.ports) ||
	       open_ports(f, dead, node, dst, hops, r.detour);
}

uint64_t net_fat_reroute(const struct net_fat *f, const uint64_t *dead,
			 uint32_t node, uint32_t dst, unsigned hops,
			 unsigned rail, unsigned *det_p)
{
	struct net_fat_route r;
	uint64_t open;

	net_fat_route(f, node, dst, hops, rail, &r);
	open = open_ports(f, dead, node, dst, hops, r.ports);
	if (!open)
		open = open_ports(f, dead, node, dst, hops, r.detour);
	if (open)
		*det_p = net_fat_in_order(open, r.first);
	return open;
}

/*
 * Checks a source route by subtrees: the network may choose the switch within a
 * subtree, but the route determines the subtrees.
 */
bool net_fat_route_check(const struct net_fat *f, const struct net_msg *msg,
			 bool adaptive)
{
	uint32_t l = 0, a = msg->src, port, w;
	unsigned i, across = 0;
	bool down = false;

	if (msg->route_len > 2 * f->levels + (f->siblings ? 2 : 0) ||
	    msg->src == msg->dst)
		return false;
	for (i = 0; i < msg->route_len; i++) {
		port = msg->route[i];
		w = l < f->levels ? f->w[l + 1] : 0;
		if (l == 1 && port != NET_ROUTE_ANY && port >= f->m[1] + w &&
		    port < f->m[1] + w + f->siblings && across++ < 2 &&
		    (a ^ 1) < f->ends[f->levels] / f->ends[1]) {
			a ^= 1;
			continue;
		}
		down |= port < f->m[l];
		if (down && port >= f->m[l])
			return false;
		if (down) {
			a = a * f->m[l--] + port;
			continue;
		}
		if (!w ||
		    (port == NET_ROUTE_ANY ? !adaptive : port >= f->m[l] + w))
			return false;
		a /= f->m[++l];
	}
	return !l && a == msg->dst;
}

unsigned net_fat_hops(const struct net_fat *f, uint32_t src, uint32_t dst)
{
	uint32_t l = 0;

	while (src / f->ends[l] != dst / f->ends[l])
		l++;
	if (l > 1 && f->siblings && (src / f->ends[1] ^ 1) == dst / f->ends[1])
		return 3;
	return 2 * l;
}

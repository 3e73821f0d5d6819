/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ports are allowed in a fat tree: up by any parent until the target is
 * below, then down by the target's digits. Deterministic packets choose the
 * parent by a digit of the target, so that targets spread over the tops and
 * all packets to one of them meet on one way down.
 */
#include "prov/net/net_fat.h"
#include "prov/net/net.h"

uint64_t net_fat_steer(const struct net_fat *f, uint32_t node, uint32_t dst,
		       unsigned *det_p)
{
	struct net_fat_place p = net_fat_place(f, node);
	uint32_t l = p.level, w = f->w[l + 1], digit;

	if (l && dst / f->ends[l] == p.a) {
		*det_p = dst / f->ends[l - 1] % f->m[l];
		return 1ull << *det_p;
	}
	digit = l ? dst / f->ends[l - 1] : dst;
	*det_p = f->m[l] + digit % w;
	return ((1ull << w) - 1) << f->m[l];
}

/*
 * Which switch of its subtree a packet has climbed to is open after a link that
 * the switch chose; the subtrees that it comes through are not.
 */
bool net_fat_leads(const struct net_fat *f, const struct net_msg *msg,
		   bool adaptive)
{
	uint32_t l = 0, a = msg->src, port, w;
	bool down = false;
	unsigned i;

	if (msg->route_len > 2 * f->levels || msg->src == msg->dst)
		return false;
	for (i = 0; i < msg->route_len; i++) {
		port = msg->route[i];
		down |= port < f->m[l];
		if (down && port >= f->m[l])
			return false;
		if (down) {
			a = a * f->m[l--] + port;
			continue;
		}
		w = l < f->levels ? f->w[l + 1] : 0;
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
	return 2 * l;
}

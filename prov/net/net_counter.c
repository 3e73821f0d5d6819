/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance counters of ports, see net_counter.h. */
#include "prov/net/net_counter.h"

#include <errno.h>

/* Returns the sum of a counter over the channels of a mask. */
static uint64_t counter_sum(const struct net *net, uint32_t node, unsigned port,
			    unsigned counter, unsigned mask)
{
	const struct net_counters *c = net_counters(net, node, port), *peer;
	uint32_t link = net_links(net, node)[port];
	uint64_t sum = 0;

	if (link == NET_LINK_NONE)
		return 0;
	peer = net_counters(net, net_link_peer(link), net_link_port(link));
	for (; mask; mask &= mask - 1) {
		unsigned vc = (unsigned)__builtin_ctz(mask);

		if (counter < NET_COUNTER_RECEIVED)
			sum += c->chunks[vc];
		else if (counter == NET_COUNTER_RECEIVED)
			sum += peer->packets[vc];
		else
			sum += c->wait_ticks[vc] * net->cfg.tick_ps;
	}
	return sum;
}

static bool is_counter(const struct net *net, uint32_t node, unsigned port,
		       unsigned counter)
{
	return node < net->nodes && port < net->ports && counter < NET_COUNTERS;
}

int net_counter_set(struct net *net, uint32_t node, unsigned port,
		    unsigned counter, unsigned mask)
{
	struct net_counters *c;

	if (!net->off_counters)
		return -EOPNOTSUPP;
	if (!is_counter(net, node, port, counter) || mask >> NET_VC_MAX)
		return -EINVAL;
	c = net_counters(net, node, port);
	c->mask[counter] = (uint8_t)mask;
	c->base[counter] = counter_sum(net, node, port, counter, mask);
	return 0;
}

uint64_t net_counter_get(const struct net *net, uint32_t node, unsigned port,
			 unsigned counter)
{
	const struct net_counters *c;

	if (!net->off_counters || !is_counter(net, node, port, counter))
		return 0;
	c = net_counters(net, node, port);
	return counter_sum(net, node, port, counter, c->mask[counter]) -
	       c->base[counter];
}

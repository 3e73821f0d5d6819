/* SPDX-License-Identifier: BSD-3-Clause */
/* Buses of several equal parts, for example the processor tiles of a router. */
#include "prov/net/net_bus.h"

uint64_t net_bus_part(const struct net *net, uint32_t node, unsigned bus,
		      uint64_t start, uint64_t ps)
{
	uint64_t *free_ps =
		(uint64_t *)net_at(net, net->off_parts) +
		((uint64_t)node * net->cfg.buses + bus) * NET_PARTS_MAX;
	unsigned i, best = 0;

	for (i = 1; i < net->cfg.bus[bus].parts; i++)
		if (free_ps[i] < free_ps[best])
			best = i;
	if (start < free_ps[best])
		start = free_ps[best];
	free_ps[best] = start + ps * net->cfg.bus[bus].parts;
	return start + ps;
}

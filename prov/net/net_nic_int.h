/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for both sides of a node's interface: time, memory and buses. */
#ifndef WEFT_NET_NIC_INT_H
#define WEFT_NET_NIC_INT_H

#include "prov/net/net_bus.h"
#include "prov/net/net_layout.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_wheel.h"

/* port number of packets that did not use a link */
enum { NET_LOCAL_PORT = 63 };

static inline uint64_t net_tick_of(const struct net *net, uint64_t ps)
{
	return ps / net->cfg.tick_ps;
}

/*
 * Schedules event `word` at the tick of time `ps`, or at the earliest tick that
 * has not been processed.
 */
static inline void net_event_schedule(struct net *net, uint64_t ps,
				      enum net_ev kind, uint64_t word)
{
	uint64_t tick = net_tick_of(net, ps);

	net_wheel_put(net, tick < net->tick ? net->tick : tick, kind, word);
}

/*
 * Returns the end of a memory transfer that starts at `start`. The transfer
 * takes no time while the active data fits the L2 cache.
 */
static inline uint64_t net_memory_end(const struct net *net, uint32_t node,
				      uint64_t start, uint32_t bytes)
{
	const struct net_config *cfg = &net->cfg;
	struct net_nic *n = net_nic(net, node);

	if (!cfg->l2_bytes || net_node(net, node)->active <= cfg->l2_bytes)
		return start;
	if (n->memory_ps < start)
		n->memory_ps = start;
	n->memory_ps += bytes * 1000000ull / cfg->spill_bytes_per_us;
	return n->memory_ps;
}

/*
 * Returns the time that the bursts of a transfer take in addition to the time
 * of its bytes.
 */
static inline uint64_t net_bus_bursts(const struct net_bus *bus, uint32_t bytes,
				      uint32_t burst)
{
	if (weft_likely(!bus->burst_ps))
		return 0;
	if (!burst || bytes <= burst)
		return bus->burst_ps;
	return (bytes + burst - 1) / burst * bus->burst_ps;
}

/*
 * Returns the end of a transfer on the buses in the mask, in bursts of this
 * number of bytes (0: one burst).
 */
static inline uint64_t net_bus_end(const struct net *net, uint32_t node,
				   unsigned mask, uint64_t start,
				   uint32_t bytes, uint32_t burst)
{
	const struct net_bus *bus;
	uint64_t end = start, *free_ps, ps, t;
	uint32_t first;
	unsigned i;

	for (; mask; mask &= mask - 1) {
		i = (unsigned)__builtin_ctz(mask);
		bus = &net->cfg.bus[i];
		first = bus->nodes > 1 ? node - node % bus->nodes : node;
		ps = bus->packet_ps + bytes * bus->ps_per_byte_x1000 / 1000 +
		     net_bus_bursts(bus, bytes, burst);
		if (weft_unlikely(bus->parts > 1)) {
			t = net_bus_part(net, first, i, start, ps);
		} else {
			free_ps = &net_nic(net, first)->bus_ps[i];
			if (*free_ps < start)
				*free_ps = start;
			t = *free_ps += ps;
		}
		if (end < t)
			end = t;
	}
	return end;
}

/*
 * Occupies the buses with the read requests for the data of a packet. The
 * requests are sent early, so they do not delay the packet.
 */
static inline void net_bus_request(const struct net *net, uint32_t node,
				   const struct net_path *path, uint64_t start)
{
	uint64_t *free_ps;
	unsigned mask, i;

	for (mask = path->bus_request; mask; mask &= mask - 1) {
		i = (unsigned)__builtin_ctz(mask);
		free_ps = &net_nic(net, node)->bus_ps[i];
		if (*free_ps < start)
			*free_ps = start;
		*free_ps += path->request_bytes *
			    net->cfg.bus[i].ps_per_byte_x1000 / 1000;
	}
}

/*
 * Looks up a target address in the address caches of the buses in the mask. A
 * miss replaces an entry and occupies the bus for miss_ps after all queued
 * transfers. Returns the time at which the buses are free.
 */
static inline uint64_t net_bus_miss(const struct net *net, uint32_t node,
				    unsigned mask, uint32_t word)
{
	uint32_t *kept = (uint32_t *)net_at(net, net->off_words) +
			 (uint64_t)node * net->words;
	uint64_t end = 0, *free_ps;
	const struct net_bus *bus;
	uint32_t *place;
	unsigned i;

	for (i = 0; i < net->cfg.buses; kept += bus->words, i++) {
		bus = &net->cfg.bus[i];
		if (!(mask >> i & 1) || !bus->words || bus->lookup_ps)
			continue;
		place = &kept[word % bus->words];
		free_ps = &net_nic(net, node)->bus_ps[i];
		if (*place != word + 1)
			*free_ps += bus->miss_ps;
		*place = word + 1;
		end = *free_ps > end ? *free_ps : end;
	}
	return end;
}

/*
 * Looks up a target address before the packet is stored. On a miss a processor,
 * which all receivers of the node share, finds the address in lookup_ps.
 * Returns the time at which the address is known; start: time of the request.
 */
static inline uint64_t net_bus_lookup(const struct net *net, uint32_t node,
				      unsigned mask, uint32_t word,
				      uint64_t start)
{
	uint32_t *kept = (uint32_t *)net_at(net, net->off_words) +
			 (uint64_t)node * net->words;
	uint64_t end = start, *free_ps;
	const struct net_bus *bus;
	bool hit;
	unsigned i;

	for (i = 0; i < net->cfg.buses; kept += bus->words, i++) {
		bus = &net->cfg.bus[i];
		if (!(mask >> i & 1) || !bus->lookup_ps)
			continue;
		hit = bus->words && kept[word % bus->words] == word + 1;
		if (hit)
			continue;
		if (bus->words)
			kept[word % bus->words] = word + 1;
		free_ps = &net_nic(net, node)->bus_ps[i];
		*free_ps =
			(*free_ps > start ? *free_ps : start) + bus->lookup_ps;
		end = *free_ps > end ? *free_ps : end;
	}
	return end;
}

static inline const struct net_path *net_path(const struct net *net,
					      const struct net_mrec *m)
{
	return &net->cfg.path[m->path];
}

static inline const struct net_path *net_path_in(const struct net *net,
						 const struct net_mrec *m)
{
	return &net->cfg.path[m->path_in];
}

/*
 * Returns a packet's key in address caches: the target address in units of
 * net_path_page(), tagged with that unit.
 */
static inline uint32_t net_packet_word(const struct net *net,
				       const struct net_mrec *m,
				       const struct net_packet *p)
{
	uint32_t page = net_path_page(net_path_in(net, m));

	return (net_mrec_word(m) + (uint32_t)(p->seq / page)) % 65536 |
	       (uint32_t)__builtin_ctz(page) << 16;
}

/* Frees the record and the source route of a completed message. */
static inline void net_nic_msg_free(struct net *net, uint32_t mi)
{
	const struct net_mrec *m = net_mrec(net, mi);

	if (weft_unlikely(m->vc_zone & NET_MREC_ROUTED))
		net_mrec_put(net, net_mrec_route(m));
	net_mrec_put(net, mi);
}

/* Returns whether a message to its own source goes around a ring. */
static inline bool net_mrec_travels(const struct net_mrec *m)
{
	static const int8_t none[NET_DIMS_MAX];

	return memcmp(m->rem, none, sizeof(none)) != 0;
}

/* Returns the network FIFO and engine of the message's class. */
static inline unsigned net_nic_engine(const struct net *net,
				      const struct net_mrec *m)
{
	unsigned torus = net->cfg.torus_fifos, vc = m->vc_zone & 15;

	if (!torus)
		return m->fifo % net->cfg.inject_fifos;
	if (weft_unlikely(vc == NET_VC_HIGH))
		return torus + 2;
	if (weft_unlikely(vc == NET_VC_SYS))
		return torus + 3;
	if (weft_unlikely(m->src == m->dst) && !net_mrec_travels(m))
		return torus + m->fifo % 2;
	return m->fifo % torus;
}

/* Returns the last network FIFO, which is reserved for acknowledgements. */
static inline unsigned net_ack_fifo(const struct net *net)
{
	return net->cfg.inject_fifos - 1;
}

/* Delivers a packet that is completely stored at time `end`. */
void net_nic_stored(struct net_step *s, unsigned port, uint32_t pi,
		    uint64_t end);

#endif

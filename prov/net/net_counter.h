/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance counters of ports (cfg.counters): four of a sender, two of a
 * receiver, each with a mask of virtual channels. The model counts by channel;
 * a counter is the sum over its mask since the mask was set.
 */
#ifndef WEFT_NET_COUNTER_H
#define WEFT_NET_COUNTER_H

#include "prov/net/net_layout.h"

struct net_counters {
	/* sender: chunks and packets per VC */
	uint64_t chunks[NET_VC_MAX];
	uint64_t packets[NET_VC_MAX];
	/* receiver: waiting time of packets that have left, ticks per VC */
	uint64_t wait_ticks[NET_VC_MAX];
	/* value of each counter when its mask was set */
	uint64_t base[NET_COUNTERS];
	uint8_t mask[NET_COUNTERS];
	uint8_t pad[2];
};

static inline struct net_counters *net_counters(const struct net *net,
						uint32_t node, unsigned port)
{
	return (struct net_counters *)net_at(net, net->off_counters) +
	       (uint64_t)node * net->ports + port;
}

/* Counts a packet that is sent; header chunks are counted like payload. */
static inline void net_counter_sent(const struct net_step *s, unsigned port,
				    unsigned vc, const struct net_packet *p)
{
	const struct net_config *cfg = &s->net->cfg;
	struct net_counters *c = net_counters(s->net, s->id, port);

	c->chunks[vc] += p->chunks + cfg->header_bytes / cfg->chunk_bytes;
	c->packets[vc]++;
}

#endif

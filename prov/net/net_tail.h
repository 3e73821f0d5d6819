/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tails of packets: the tail of a packet that arrived by a slow link cannot
 * leave the node faster by another link, and on a store-and-forward link the
 * head arrives with the tail.
 */
#ifndef WEFT_NET_TAIL_H
#define WEFT_NET_TAIL_H

#include "prov/net/net_layout.h"

/* Returns the ticks until the tail of a packet has arrived. */
static inline uint32_t net_tail_left(const struct net_step *s,
				     const struct net_packet *p)
{
	int32_t left = (int32_t)(p->since + p->tail - (uint32_t)s->now);

	return p->tail && left > 0 ? (uint32_t)left : 0;
}

/*
 * Extends the link time *busy_p of a packet whose tail has not arrived yet, and
 * sets the packet's tail. Returns the ticks by which a store-and-forward link
 * delays the head.
 */
static inline uint32_t net_tail_send(struct net_step *s, unsigned port,
				     struct net_packet *p, uint32_t *busy_p)
{
	const struct net_hop *h = net_hop(s, port);
	uint32_t len = net_packet_len(s->net, h->rate, p);
	uint32_t left = net_tail_left(s, p);

	if (left > len) {
		*busy_p += left - len;
		len = left;
	}
	p->tail = h->store_forward ? 0 : len;
	return h->store_forward ? len : 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Input side of a node: arriving packets, tails, returned tokens. */
#ifndef WEFT_NET_ROUTER_H
#define WEFT_NET_ROUTER_H

#include "prov/net/net_layout.h"

typedef void (*net_events_fn)(struct net_step *s, const uint64_t *word,
			      uint32_t count);
void net_router_arrive(struct net_step *s, const uint64_t *w, uint32_t n);
void net_router_tail(struct net_step *s, const uint64_t *w, uint32_t n);
void net_router_token(struct net_step *s, const uint64_t *w, uint32_t n);
/* Offers the new head of an injection FIFO to its possible ports. */
void net_router_offer(struct net_step *s, unsigned fifo, uint32_t pi);

/*
 * Inserts a packet that can use only one port into list `w` of that port, in
 * order of arrival.
 */
void net_router_list(struct net_step *s, uint32_t node, unsigned port,
		     uint32_t pi, unsigned w);

#endif

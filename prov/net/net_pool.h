/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of packets and messages, lists of packets, shared tokens. */
#ifndef WEFT_NET_POOL_H
#define WEFT_NET_POOL_H

#include "prov/net/net_layout.h"

uint32_t net_packet_get(struct net *net);
void net_packet_put(struct net *net, uint32_t p);
uint32_t net_mrec_get(struct net *net);
void net_mrec_put(struct net *net, uint32_t m);
void net_list_push(struct net *net, struct net_list *l, uint32_t p);
uint32_t net_list_pop(struct net *net, struct net_list *l);
/*
 * Returns shared tokens to the pool. Returns the tokens that the VC then has.
 */
uint32_t net_pool_return(struct net *net, uint32_t id, unsigned port,
			 unsigned vc, uint32_t back);

#endif

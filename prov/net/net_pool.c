/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of packets and messages, and shared tokens. Each record is used once
 * before the free list is used. Results do not depend on which record a packet
 * gets. The next free record is prefetched (net_prefetch.c).
 */
#include "prov/net/net_layout.h"
#include "prov/net/net_pool.h"
#include "prov/net/net_prefetch.h"

#include <string.h>

/* Returns a free packet record, or 0. */
uint32_t net_packet_get(struct net *net)
{
	uint32_t p = net->free_packet;

	if (p)
		net->free_packet = net_packet(net, p)->next;
	else if (net->fresh_packet < net->first_packet + net->packets_max)
		p = ++net->fresh_packet;
	else
		return 0;
	net_prefetch(net_packet(net, net->free_packet));
	WEFT_GUARD_ASSERT(net->used_packets < net->packets_max &&
			  p > net->first_packet);
	net->used_packets++;
	memset(net_packet(net, p), 0, sizeof(struct net_packet));
	return p;
}

void net_packet_put(struct net *net, uint32_t p)
{
	WEFT_GUARD_ASSERT(net->used_packets && p > net->first_packet &&
			  p <= net->fresh_packet);
	net_packet(net, p)->next = net->free_packet;
	net->free_packet = p;
	net->used_packets--;
}

uint32_t net_mrec_get(struct net *net)
{
	uint32_t m = net->free_msg;

	if (m)
		net->free_msg = net_mrec(net, m)->next;
	else if (net->fresh_msg < net->first_msg + net->msgs_max)
		m = ++net->fresh_msg;
	else
		return 0;
	net_prefetch(net_mrec(net, net->free_msg));
	WEFT_GUARD_ASSERT(net->used_msgs < net->msgs_max && m > net->first_msg);
	net->used_msgs++;
	memset(net_mrec(net, m), 0, sizeof(struct net_mrec));
	return m;
}

void net_mrec_put(struct net *net, uint32_t m)
{
	WEFT_GUARD_ASSERT(net->used_msgs && m > net->first_msg &&
			  m <= net->fresh_msg);
	net_mrec(net, m)->next = net->free_msg;
	net->free_msg = m;
	net->used_msgs--;
}

void net_list_push(struct net *net, struct net_list *l, uint32_t p)
{
	WEFT_GUARD_ASSERT(p && (!l->head || l->tail));
	net_packet(net, p)->next = 0;
	if (l->head)
		net_packet(net, l->tail)->next = p;
	else
		l->head = p;
	l->tail = p;
}

/* Removes and returns the first packet of a list; 0: the list is empty. */
uint32_t net_list_pop(struct net *net, struct net_list *l)
{
	uint32_t p = l->head;

	if (p)
		l->head = net_packet(net, p)->next;
	return p;
}

WEFT_COLD uint32_t net_pool_return(struct net *net, uint32_t id, unsigned port,
				   unsigned vc, uint32_t back)
{
	struct net_pool *p = net_pool(net, id, port);

	WEFT_GUARD_ASSERT(p->used[net_channel(vc)] >= back);
	net->excess += p->used[net_channel(vc)] < back;
	p->used[net_channel(vc)] = (uint16_t)(p->used[net_channel(vc)] - back);
	net_node(net, id)->room[port] =
		(uint16_t)net_pool_left(net, id, port, NET_VC_DYN);
	return net_pool_left(net, id, port, vc);
}

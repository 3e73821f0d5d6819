/* SPDX-License-Identifier: BSD-3-Clause */
/* Class routes, internal: contributions (parts), combine table, queries. */
#ifndef WEFT_NET_TREE_INT_H
#define WEFT_NET_TREE_INT_H

#include "prov/net/net_layout.h"

enum { NET_INPUT_LOCAL = 0xff };

/*
 * Packet kinds that exist only inside the model; their numbers continue enum
 * net_coll.
 */
enum net_kind {
	NET_KIND_ARRIVED =
		/* barrier: query whether all nodes have arrived */
	NET_QUERY + 1,
	NET_KIND_ANSWER,
};

/*
 * Returns the number of credits of a route on an edge of the tree. With shared
 * tokens, the tokens of the link are the limit instead.
 */
static inline uint8_t net_tree_credits(const struct net *net, unsigned vc)
{
	return (uint8_t)(net_coll_shared(&net->cfg) ? UINT8_MAX
						    : net->cfg.tokens[vc]);
}

/* Returns whether packets of this kind go from one node to all nodes. */
static inline bool net_kind_one_to_all(unsigned kind)
{
	return kind == WEFT_COLL_BCAST ||
	       (kind >= NET_ACKED_BCAST && kind < NET_KIND_ANSWER);
}

/* net_part.c: contributions and the combine table */
uint32_t net_part_get(struct net *net);
void net_part_put(struct net *net, uint32_t pi);
/*
 * Returns the event word of a contribution. Events of one tick are sorted by
 * route entry and sequence number, not by record number, because record numbers
 * depend on the order of calls.
 */
uint64_t net_part_word(const struct net *net, enum net_ev kind, uint32_t pi);
/*
 * Schedules a contribution for its node's engine at time `ps`, but not before
 * the next tick.
 */
void net_part_schedule(struct net_step *s, uint64_t ps, uint32_t pi);
/* Queues a contribution for the engine of the current node. */
void net_part_queue(struct net_step *s, uint32_t pi);
/* Returns the member of a route at a node, or 0. */
uint32_t net_member_find(const struct net *net, uint32_t route, uint32_t node);
/* Returns the cell of p's entry in the combine table, or an empty cell. */
uint32_t net_combine_find(const struct net *net, const struct net_packet *p);
uint32_t *net_combine_table(const struct net *net);
void net_combine_delete(struct net *net, uint32_t cell);

/* net_tree_link.c: tokens that the routes of a link share */
/*
 * Kind of packets that wait for a token: direction (down or up the tree) and
 * owner of the route (system or users).
 */
struct net_coll_wait {
	uint8_t channel;
	bool down;
	bool system;
};

/*
 * Returns whether pi is a packet (not 0) that needs a shared token of its
 * channel.
 */
static inline bool net_coll_uses_link(const struct net *net, uint32_t pi)
{
	return net->cfg.coll_shared && pi &&
	       net_packet(net, pi)->kind != WEFT_COLL_BARRIER;
}
/* Consumes a token of a link's channel. Returns false if none is left. */
bool net_coll_link_take(struct net *net, uint32_t node, unsigned port,
			unsigned channel);
/*
 * Gives a token back to a link's channel. Returns the member whose packet may
 * be sent now, or 0; sets *down_p to whether the packet goes down to that
 * member.
 */
uint32_t net_coll_link_return(struct net *net, uint32_t node, unsigned port,
			      unsigned channel, bool *down_p);

/* net_query.c: queries to all nodes of a route */
/* Handles the arrival of a rank of the current node at a query barrier. */
void net_query_arrive(struct net_step *s, uint32_t pi);
/* Answers a query that has reached a node; the packet becomes the answer. */
void net_query_receive(struct net_step *s, const struct net_call *c,
		       uint32_t pi);
void net_query_answered(struct net_step *s, const struct net_call *c,
			uint32_t pi);
/*
 * Returns the child to which an answer is forwarded; 0: this node is the
 * querying node.
 */
uint32_t net_query_child(const struct net *net, const struct net_packet *p);

#endif

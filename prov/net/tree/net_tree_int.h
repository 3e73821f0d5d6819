/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of class routes: parts, combos, queries. */
#ifndef WEFT_NET_TREE_INT_H
#define WEFT_NET_TREE_INT_H

#include "prov/net/net_layout.h"

enum { NET_INPUT_LOCAL = 0xff };

/* Kinds of packets that only the model creates, after enum net_coll. */
enum net_kind {
	NET_KIND_ARRIVED =
		NET_QUERY + 1, /* barrier: which nodes have arrived */
	NET_KIND_ANSWER,
};

/* True for packets that one node sends to all. */
static inline bool net_kind_one_to_all(unsigned kind)
{
	return kind == NET_BCAST ||
	       (kind >= NET_CAST && kind < NET_KIND_ANSWER);
}

/* net_part.c: records of parts, and combos that wait for other inputs. */
uint32_t net_part_get(struct net *net);
void net_part_put(struct net *net, uint32_t pi);
/*
 * An event of a part at its member's node. Events of one tick are sorted by
 * route and sequence, because record numbers depend on the order of calls.
 */
uint64_t net_part_word(const struct net *net, enum net_ev kind, uint32_t pi);
/* Schedules a part for the engine of its node, at a time not before now. */
void net_part_schedule(struct net_step *s, uint64_t ps, uint32_t pi);
/* Queues a part for the engine of the step's node. */
void net_part_queue(struct net_step *s, uint32_t pi);
/* The member of a route at a node, or 0. */
uint32_t net_member_find(const struct net *net, uint32_t route, uint32_t node);
/* The cell of p's combo, or the empty one where it belongs. */
uint32_t net_combo_find(const struct net *net, const struct net_packet *p);
uint32_t *net_combo_table(const struct net *net);
/* Empties a cell. */
void net_combo_delete(struct net *net, uint32_t cell);

/* net_query.c: queries to all nodes of a route. */
/* A rank of the step's node has arrived at a barrier by query. */
void net_query_arrive(struct net_step *s, uint32_t pi);
/* A query is in a node's memory: the packet becomes the answer. */
void net_query_receive(struct net_step *s, const struct net_call *c,
		       uint32_t pi);
void net_query_answered(struct net_step *s, const struct net_call *c,
			uint32_t pi);
/* The child that an answer goes down to, or 0: this is the querying node. */
uint32_t net_query_child(const struct net *net, const struct net_packet *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Operation of open class routes; net_tree_open.c opens and closes them. */
#ifndef WEFT_NET_TREE_H
#define WEFT_NET_TREE_H

#include "prov/net/net_layout.h"

void net_tree_arrive(struct net_step *s, uint64_t word);
void net_tree_credit(struct net_step *s, uint64_t word);
void net_tree_part(struct net_step *s, uint64_t word);
void net_tree_built(struct net_step *s, uint64_t word);
void net_tree_ready(struct net_step *s, uint64_t word);
/*
 * Starts the engine on the first contribution in its queue; called after all
 * events of a tick.
 */
void net_tree_engine_start(struct net_step *s);
/*
 * Returns whether list `which` of a port has a packet for which tokens are
 * available.
 */
bool net_tree_fits(const struct net_step *s, unsigned port,
		   enum net_wait which);
/* Sends the first packet of the list `which` of a port. */
void net_tree_grant(struct net_step *s, unsigned port, enum net_wait which);
void net_tree_result(struct net_step *s, const struct net_call *c);

#endif

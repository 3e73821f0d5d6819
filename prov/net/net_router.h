/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sender hears of: its packet's tail has left, tokens have come back.
 * Two of the three events of every hop, so they are inline in the loop of
 * net_run.c; net_router.c has the rest.
 */
#ifndef WEFT_NET_ROUTER_H
#define WEFT_NET_ROUTER_H

#include "prov/net/net_int.h"

/* All slots of a receiver's dynamic queues. */
static inline void net_router_paths(const struct net *net, unsigned port,
				    uint64_t *m)
{
	unsigned bit = port << net->qshift;

	m[0] = m[1] = 0;
	m[bit >> 6] = ((1ull << net->cfg.dyn_queues) - 1) << (bit & 63);
}

/* Someone may wait for this port: it has to be looked at. */
static inline uint64_t net_router_look(const struct net_step *s, unsigned port)
{
	return s->node->waiting & 1ull << port;
}

static inline void net_router_tail(struct net_step *s, uint64_t word)
{
	struct net *net = s->net;
	unsigned port = net_word_port(word);
	uint32_t reader = net_word_payload(word);
	uint64_t m[2];

	s->link[port].busy = 0;
	s->dirty |= net_router_look(s, port);
	if (!reader)
		return;
	if (s->node->reading[reader - 1]-- < net->cfg.read_paths)
		return;
	net_router_paths(net, reader - 1, m);
	s->node->shut[0] &= ~m[0];
	s->node->shut[1] &= ~m[1];
	s->dirty |= s->node->waiting;
}

static inline void net_router_token(struct net_step *s, uint64_t word)
{
	unsigned port = net_word_port(word), vc = net_word_vc(word);
	struct net_link *l = &s->link[port];

	if (vc)
		l->token[vc - 1]++;
	else
		l->chunks = (uint16_t)(l->chunks + net_word_payload(word));
	s->net->excess += net_tokens(l, vc) > s->net->cfg.tokens[vc];
	if (!l->busy)
		s->dirty |= net_router_look(s, port);
}

#endif

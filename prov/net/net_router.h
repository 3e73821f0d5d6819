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

/* Someone waits for this port. */
static inline bool net_router_wanted(const struct net_out *o)
{
	return (o->dyn[0] | o->dyn[1] | o->esc[0] | o->esc[1]) != 0 ||
	       o->waits | o->vcs;
}

static inline void net_router_tail(struct net_step *s, uint64_t word)
{
	struct net *net = s->net;
	unsigned port = net_word_port(word);
	uint32_t reader = net_word_payload(word);
	uint64_t m[2];

	s->out[port].busy = 0;
	s->dirty |= (uint64_t)net_router_wanted(&s->out[port]) << port;
	if (!reader)
		return;
	if (s->node->reading[reader - 1]-- < net->cfg.read_paths)
		return;
	net_router_paths(net, reader - 1, m);
	s->node->shut[0] &= ~m[0];
	s->node->shut[1] &= ~m[1];
	s->dirty |= ~0ull >> (64 - net->ports);
}

static inline void net_router_token(struct net_step *s, uint64_t word)
{
	unsigned port = net_word_port(word), vc = net_word_vc(word);
	struct net_out *o = &s->out[port];

	if (vc)
		o->token[vc] = (uint8_t)(o->token[vc] + 1);
	else
		o->chunk_tokens = (uint16_t)(o->chunk_tokens +
					     net_word_payload(word));
	s->net->excess += net_tokens(o, vc) > s->net->cfg.tokens[vc];
	if (!o->busy)
		s->dirty |= (uint64_t)net_router_wanted(o) << port;
}

#endif

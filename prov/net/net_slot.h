/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slots (queue positions whose packet may leave by more than one port, see
 * net_layout.h), and bit masks of slots.
 */
#ifndef WEFT_NET_SLOT_H
#define WEFT_NET_SLOT_H

#include "prov/net/net_layout.h"

static inline unsigned net_slot_in(const struct net *net, unsigned slot)
{
	return slot >> net->qshift;
}

static inline unsigned net_slot_queue(const struct net *net, unsigned slot)
{
	return slot & ((1u << net->qshift) - 1);
}

static inline void net_mask_set(uint64_t *m, unsigned bit)
{
	m[bit >> 6] |= 1ull << (bit & 63);
}
static inline void net_mask_clear(uint64_t *m, unsigned bit)
{
	m[bit >> 6] &= ~(1ull << (bit & 63));
}
static inline bool net_mask_has(const uint64_t *m, unsigned bit)
{
	return m[bit >> 6] >> (bit & 63) & 1;
}

/*
 * Returns the first set bit at or after bit `from`, with wrap-around; the mask
 * must not be empty.
 */
static inline unsigned net_mask_next(uint64_t m0, uint64_t m1, unsigned from)
{
	uint64_t a = m0, b = m1;

	if (from < 64) {
		a &= ~0ull << from;
	} else {
		a = 0;
		b &= ~0ull << (from - 64);
	}
	if (a)
		return (unsigned)__builtin_ctzll(a);
	if (b)
		return 64 + (unsigned)__builtin_ctzll(b);
	if (m0)
		return (unsigned)__builtin_ctzll(m0);
	return 64 + (unsigned)__builtin_ctzll(m1);
}

/* Bits of injection FIFOs in the second word of a slot mask. */
#define FIFO_BITS (~0ull << (NET_SLOT_FIFO - 64))

static inline uint32_t net_slot_head(const struct net *net, uint32_t node,
				     unsigned slot)
{
	if (slot >= NET_SLOT_FIFO)
		return net_fifos(net, node)[slot - NET_SLOT_FIFO].head;
	return net_ins(net, node)[net_slot_in(net, slot)]
		.head[net_slot_queue(net, slot)];
}

/*
 * Payload of a token event: the number of tokens and, from bit NET_TOKEN_WAIT
 * on, the ticks that the packet waited at the receiver.
 */
#define NET_TOKEN_WAIT 12
static inline uint32_t net_token_payload(const struct net_step *s,
					 const struct net_packet *p, bool rare)
{
	uint32_t cost, wait;

	if (!rare)
		return p->vc ? 1 : s->net->cost[p->chunks];
	cost = net_cost(s->net, p->chunks, p->vc);
	if (!s->net->off_ahead)
		return cost;
	wait = (uint32_t)s->now - p->since;
	return cost | (wait < UINT16_MAX ? wait : UINT16_MAX) << NET_TOKEN_WAIT;
}

/* Clears the slots of receivers without a free read path. */
static inline void net_mask_readable(const struct net *net,
				     const struct net_node *n, uint64_t *m0,
				     uint64_t *m1)
{
	uint64_t all = (1ull << net->cfg.dyn_queues) - 1, m[2];
	unsigned shut = n->shut, bit;

	for (; shut; shut &= shut - 1) {
		bit = (unsigned)__builtin_ctz(shut) << net->qshift;
		m[0] = m[1] = 0;
		m[bit >> 6] = all << (bit & 63);
		*m0 &= ~m[0];
		*m1 &= ~m[1];
	}
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the model, one 64-bit word per event. */
#ifndef WEFT_NET_EVENT_H
#define WEFT_NET_EVENT_H

#include <stdint.h>

/*
 * An event word: node, kind, port, VC, payload. Events of the first three kinds
 * commute and are processed in any order. All other events of a tick are sorted
 * as numbers and processed node by node, so the order in which they were
 * scheduled does not matter. NET_EV_UP and later kinds are callbacks, and are
 * processed last.
 */
enum net_ev {
	NET_EV_ARRIVE, /* a packet's head is at a receiver */
	/*
	 * the tail of a packet has left its sender, which is free; payload:
	 * receiver that the packet left, plus one
	 */
	NET_EV_TAIL,
	/*
	 * payload: tokens returned to the sender; with NET_TOKEN_READY in the
	 * VC: tokens that wait at the receiver for a control word
	 */
	NET_EV_TOKEN,
	NET_EV_SORTED,
	NET_EV_COLL = NET_EV_SORTED, /* class route: packet at a receiver */
	/* class route: returned credit of this VC; payload: member */
	NET_EV_CREDIT,
	/* a message is ready (port: FIFO); payload: acknowledgement, or 0 */
	NET_EV_WAKE,
	NET_EV_BUILT,  /* the engine has finished a packet; port: FIFO */
	NET_EV_PART,   /* class route: a contribution is at the engine */
	NET_EV_CBUILT, /* class route: the engine has finished a contribution */
	NET_EV_READY,  /* class route: the ALU accepts the packet */
	NET_EV_UP,
	NET_EV_DELIVER = NET_EV_UP, /* a packet arrives; payload: packet */
	/* class route: a result arrives; payload: packet */
	NET_EV_RESULT,
	NET_EV_SENT,  /* a message is sent; payload: message */
	NET_EV_TIMER, /* a timer expires; payload: message record */
};

#define NET_TOKEN_READY 8

/* Purpose of a timer, stored in the VC field. */
enum net_timer_kind { NET_TIMER_CALLER, NET_TIMER_DEATH, NET_TIMER_WORD };

#define NET_NODE_SHIFT	 44
#define NET_KIND_SHIFT	 40
#define NET_PORT_SHIFT	 34
#define NET_VC_SHIFT	 30
#define NET_PAYLOAD_MASK ((1u << NET_VC_SHIFT) - 1)

static inline uint64_t net_word(uint32_t node, enum net_ev kind, unsigned port,
				unsigned vc, uint32_t payload)
{
	return (uint64_t)node << NET_NODE_SHIFT |
	       (uint64_t)kind << NET_KIND_SHIFT |
	       (uint64_t)port << NET_PORT_SHIFT | (uint64_t)vc << NET_VC_SHIFT |
	       payload;
}
static inline uint32_t net_word_node(uint64_t w)
{
	return (uint32_t)(w >> NET_NODE_SHIFT);
}
static inline unsigned net_word_kind(uint64_t w)
{
	return w >> NET_KIND_SHIFT & 15;
}
static inline unsigned net_word_port(uint64_t w)
{
	return w >> NET_PORT_SHIFT & 63;
}
static inline unsigned net_word_vc(uint64_t w)
{
	return w >> NET_VC_SHIFT & 15;
}
static inline uint32_t net_word_payload(uint64_t w)
{
	return w & NET_PAYLOAD_MASK;
}

#endif

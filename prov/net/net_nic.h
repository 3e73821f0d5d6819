/* SPDX-License-Identifier: BSD-3-Clause */
/* Network interface of a node: engines between memory and network. */
#ifndef WEFT_NET_NIC_H
#define WEFT_NET_NIC_H

#include "prov/net/net_layout.h"

void net_nic_wake(struct net_step *s, uint64_t word);
void net_nic_built(struct net_step *s, uint64_t word);
/* Offers the next packet after the head of an injection FIFO has left. */
void net_nic_fifo_pop(struct net_step *s, unsigned fifo);
/* Receives a packet whose head has arrived at `port` of its target. */
void net_nic_receive(struct net_step *s, unsigned port, uint32_t pi);
/*
 * Stores a copy of a packet that continues to the next node. Returns false if
 * no record is free.
 */
bool net_nic_deposit(struct net_step *s, unsigned port, uint32_t pi);
/* Refills a record with the packet at offset seq of its message. */
void net_nic_refill(const struct net *net, struct net_packet *p);
void net_nic_deliver(struct net_step *s, const struct net_call *c);
void net_nic_sent(struct net_step *s, const struct net_call *c);
void net_nic_timer(struct net_step *s, const struct net_call *c);

/*
 * Counts an acknowledgement that has arrived or is lost, and starts engines
 * that waited for it; w: the record that counts the acknowledgements, already
 * decremented.
 */
void net_nic_ack_done(struct net *net, const struct net_mrec *w);
/*
 * net_idle_words.c: queues the tokens of a packet that leaves its buffer in
 * this tick for a control word of the reverse link.
 */
void net_words_ready(struct net_step *s, unsigned port, uint64_t tick,
		     const struct net_packet *p);
/*
 * Returns the queued tokens with the next control word (event with
 * NET_TOKEN_READY).
 */
void net_words_credit(struct net_step *s, uint64_t word);

#endif

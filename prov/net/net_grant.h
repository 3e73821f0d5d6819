/* SPDX-License-Identifier: BSD-3-Clause */
/* Grants of senders to packets. */
#ifndef WEFT_NET_GRANT_H
#define WEFT_NET_GRANT_H

#include "prov/net/net_layout.h"

/* Removes the head of a receiver's queue; the next packet is a new head. */
void net_queue_pop(struct net_step *s, unsigned slot);
/*
 * Grants `port` to packet pi, the head of a slot that requests no port; the
 * variant _rare is for machines with NET_RARE_* features.
 */
void net_grant_head(struct net_step *s, unsigned port, unsigned vc,
		    unsigned slot, uint32_t pi);
void net_grant_head_rare(struct net_step *s, unsigned port, unsigned vc,
			 unsigned slot, uint32_t pi);
/* Grants `port` to the head of a slot and withdraws its requests. */
void net_grant_slot(struct net_step *s, unsigned port, unsigned vc,
		    unsigned slot);
/* Grants `port` to the first packet of list `which` of the port. */
void net_grant_det(struct net_step *s, unsigned port, unsigned vc,
		   unsigned which);
void net_grant_det_rare(struct net_step *s, unsigned port, unsigned vc,
			unsigned which);
/* Returns the next injection FIFO in round-robin order at a port. */
unsigned net_inject_next(const struct net_out *o, unsigned vc);
/* Grants `port` to the head of the FIFO that net_inject_next() returns. */
void net_grant_inject(struct net_step *s, unsigned port, unsigned vc);

#endif

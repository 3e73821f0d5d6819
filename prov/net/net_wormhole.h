/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wormhole switching with held paths (cfg.wormhole). A packet holds one channel
 * of every link on its path from the grant of its head until its
 * acknowledgement has passed the link in reverse.
 */
#ifndef WEFT_NET_WORMHOLE_H
#define WEFT_NET_WORMHOLE_H

#include "prov/net/net_layout.h"

enum {
	NET_WORM_NONE = 0xff, /* no port */
	/*
	 * value of to_port: the packet is lost at this node, and its segments
	 * are drained
	 */
	NET_WORM_DRAIN = 0xfe,
};

/*
 * State of one channel of a link: for its sender, and for the receiver at the
 * same port.
 */
struct net_worm {
	uint32_t packet; /* sender: packet that holds the channel; 0: none */
	uint32_t since;	 /* tick of the grant */
	uint16_t hop;	 /* latency of the packet's head on the link, ticks */
	uint8_t total;	 /* segments of the packet */
	uint8_t sent;	 /* segments sent, including the current one */
	/* segments for which the receiver has granted space so far */
	uint8_t credit;
	uint8_t vc; /* VC of the packet */
	/* sender: channel by which the packet reached this node */
	uint8_t from_port, from_channel;
	/* receiver: packet that arrives by the channel; 0: none */
	uint32_t in_packet;
	uint8_t arrived; /* segments whose head has arrived */
	/* receiver: port by which the packet leaves this node */
	uint8_t to_port;
	uint8_t pad[2];
};

static inline struct net_worm *net_worm(const struct net *net, uint32_t node,
					unsigned port, unsigned channel)
{
	return (struct net_worm *)net_at(net, net->off_worm) +
	       ((uint64_t)node * net->ports + port) * net->cfg.channels +
	       channel;
}

/* In events, the channel number is stored in the bits above the VC. */
enum { NET_WORM_VC_BITS = 2 };
static inline unsigned net_worm_channel(unsigned vc)
{
	return vc >> NET_WORM_VC_BITS;
}

/*
 * Allocates a free channel of `port` for packet pi, to which the port has been
 * granted; hop: latency of the packet's head, ticks. Sets *busy_p to the time
 * for which the first segment occupies the link. Returns the VC, with the
 * channel number in the bits above it.
 */
unsigned net_worm_start(struct net_step *s, unsigned port, unsigned vc,
			uint32_t pi, uint32_t hop, uint32_t *busy_p);
/*
 * Returns whether a packet of one segment must wait because it would overtake a
 * packet of the same route on another channel.
 */
bool net_worm_must_wait(const struct net_step *s, unsigned port, uint32_t pi);
/*
 * Called when a packet that arrived at `port` leaves its FIFO: reports this to
 * the previous sender if the packet has several segments.
 */
void net_worm_leave(struct net_step *s, unsigned port,
		    const struct net_packet *p);
/*
 * Records that the head of packet pi has arrived at a receiver; vc: VC, with
 * the channel number in the bits above it.
 */
void net_worm_arrive(struct net_step *s, uint32_t node, unsigned port,
		     unsigned vc, uint32_t pi);
/* Delivers packet pi at its target if its last segment has arrived. */
void net_worm_store(struct net_step *s, unsigned port, uint32_t pi);
/*
 * Called when packet pi is lost after it was sent by `port`: stops sending it,
 * and drains the segments that still arrive.
 */
void net_worm_lost(struct net_step *s, unsigned port, uint32_t pi);
/* Sends the next segment of a channel. Returns whether it could be sent. */
bool net_worm_send(struct net_step *s, unsigned port, unsigned channel);
/*
 * Returns whether a packet that holds a channel of the port has segments left
 * to send.
 */
bool net_worm_unsent(const struct net_step *s, unsigned port);
/* Processes an event of a channel: a segment, a credit or a release. */
void net_worm_event(struct net_step *s, uint64_t word);
/*
 * Releases the path of packet pi, which is delivered at time_ps; acked: the
 * release is sent together with the acknowledgement of record pi. Returns
 * whether the packet held a path.
 */
bool net_worm_release(struct net_step *s, uint32_t node, unsigned port,
		      uint32_t pi, uint64_t time_ps, bool acked);

#endif

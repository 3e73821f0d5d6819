/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of the message engine as puts into rings of slots (apenet_layout.h).
 *
 *   sender                                receiver
 *   send slot --put n--> board  ======>  board, TLB --> slot n, event
 *                                                       deliver to the engine
 *   event: slot read                                    slot n is free
 *   credits <=== credit, in a packet of the other direction or a separate put
 *
 * A peer without traffic needs no memory. The ring of a peer is allocated and
 * registered by the peer's first put, and only that peer can write it. All
 * peers share the send slots if the carrier copies in memory. On a carrier with
 * links, every peer has its own send slots: a packet stays there until its
 * credit returns, and is retransmitted if the receiver reports that packets are
 * missing (CRC error, or a later packet arrived).
 */
#ifndef WEFT_APENET_RING_H
#define WEFT_APENET_RING_H

#include "prov/machine/apenet/apenet_dev.h"
#include "prov/machine/machine_transport.h"

/*
 * Slots in registered memory. The short ones are allocated first, the long ones
 * by the first long packet.
 */
struct apenet_slots {
	/* credit and short slots, long slots; NULL: none */
	unsigned char *part[2];
	unsigned buf[2]; /* buffer numbers */
};

struct apenet_rings {
	struct weft_apenet *a;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes; /* largest payload of an engine packet */
	bool memory;	  /* the carrier copies in memory and has no links */
	uint64_t base;	  /* board address of this process's rings */
	/*
	 * Send slots of all peers. Puts from send slots are counted; some of
	 * them request an event.
	 */
	struct apenet_slots out;
	uint32_t out_put;
	/* number of puts whose send slots have been read */
	uint32_t out_read;
	struct weft_table peer; /* struct apenet_ring by peer index */
	/* rings with refused packets, unsent credits or retransmissions */
	struct weft_list pending;
	uint64_t dropped; /* number of packets that no slot expected */
	uint64_t resent;  /* retransmitted packets */
};

int apenet_rings_open(struct apenet_rings *s, struct weft_apenet *a,
		      const struct weft_carrier_attr *up, size_t max_bytes);
void apenet_rings_close(struct apenet_rings *s);

/* Implements weft_unit_ops.packet: sends an engine packet. */
int apenet_ring_send(struct apenet_rings *s, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count);
/*
 * Handle a packet from the carrier, and the loss of a peer after delivering its
 * packets; as in struct weft_carrier_up. arg: struct apenet_rings.
 */
int apenet_ring_deliver(void *arg, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload);
void apenet_ring_lost(void *arg, struct weft_peer *peer, int err);
/* Like apenet_ring_deliver(), for carriers without links. */
int apenet_ring_deliver_fast(void *arg, struct weft_peer *src,
			     const struct weft_pkt *pkt, const void *payload);
/* Continues pending work of rings. Returns the number of delivered packets. */
int apenet_rings_run(struct apenet_rings *s);
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path from a unit's reception to the message engine. A unit passes the
 * pieces received from a peer in order; the inbox reassembles engine packets
 * and delivers them. If the engine cannot accept a packet now, the inbox
 * keeps it and all later packets of the same peer; other peers are not
 * delayed.
 *
 *  piece:  | struct weft_pkt | payload ... | fill |
 *          (later pieces of the same packet: payload only)
 *
 * A packet that arrived in one piece is delivered without a copy.
 */
#ifndef WEFT_MACHINE_INBOX_H
#define WEFT_MACHINE_INBOX_H

#include "prov/machine/machine_transport.h"

struct weft_inbox {
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;	/* largest payload of an engine packet */
	struct weft_table peer; /* struct inbox_peer, allocated on first use */
	uint32_t held;		/* number of packets kept for later */
};

void weft_inbox_init(struct weft_inbox *in, const struct weft_carrier_attr *up,
		     size_t max_bytes);
void weft_inbox_fini(struct weft_inbox *in);

/*
 * Accepts one piece, which the sender may change meanwhile. Returns 0 or
 * -ENOMEM; -EPROTO: the piece is invalid and was dropped.
 */
int weft_inbox_take(struct weft_inbox *in, struct weft_peer *peer,
		    const void *piece, size_t bytes);

/*
 * Returns whether packets of this peer are kept, in which case the unit should
 * slow the peer down.
 */
bool weft_inbox_holds(const struct weft_inbox *in,
		      const struct weft_peer *peer);

/* Offers kept packets again; returns the number of packets accepted. */
int weft_inbox_retry(struct weft_inbox *in);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way from a unit's reception to the message engine. A unit hands over
 * what came from a peer piece by piece, in order; the inbox joins the pieces
 * of an engine packet and delivers it. A packet that the engine cannot take
 * now is kept, and so is everything from the same peer behind it; other peers
 * are not held up.
 *
 *	piece:  | struct weft_pkt | payload ... | fill |
 *	        (later pieces of the same packet: payload only)
 *
 * A packet that came in one piece is delivered without a copy.
 */
#ifndef WEFT_PROV_NIC_INBOX_H
#define WEFT_PROV_NIC_INBOX_H

#include "prov/nic/nic_help.h"

struct weft_inbox {
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;	/* largest payload of an engine packet */
	struct weft_table peer; /* struct inbox_peer, on use */
	uint32_t held;		/* packets kept for later */
};

void weft_inbox_init(struct weft_inbox *in, const struct weft_carrier_attr *up,
		     size_t max_bytes);
void weft_inbox_fini(struct weft_inbox *in);

/*
 * One piece, which may change under the reader. 0, -ENOMEM, or -EPROTO: the
 * piece makes no sense and is dropped.
 */
int weft_inbox_take(struct weft_inbox *in, struct weft_peer *peer,
		    const void *piece, size_t bytes);

/* Is something kept for this peer? Then its unit should slow it down. */
bool weft_inbox_holds(const struct weft_inbox *in,
		      const struct weft_peer *peer);

/* Offers what is kept again; the number of packets taken. */
int weft_inbox_retry(struct weft_inbox *in);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Responses of a unit to requests. Plain acknowledgements for a peer are
 * batched, up to WEFT_ACKS request numbers in a packet, and are sent when the
 * packet is full, when the requester waits, or on flush. If the carrier is
 * full, a response is queued: a unit accepts every request, so requests and
 * responses cannot deadlock.
 */
#ifndef WEFT_MACHINE_RESPONSE_H
#define WEFT_MACHINE_RESPONSE_H

#include "prov/carrier/carrier.h"
#include "src/base/hash.h"
#include "src/base/list.h"

#define WEFT_ACKS 32

struct weft_responses {
	struct weft_carrier *carrier;
	struct weft_pkt ack; /* template of an acknowledgement */
	struct weft_list queue;
	struct weft_list unsent;
	struct weft_hash by_peer; /* peer index + 1 -> struct response_acks */
};

void weft_responses_init(struct weft_responses *a, const struct weft_pkt *ack);
void weft_responses_fini(struct weft_responses *a);

/* Sends or queues one packet. */
void weft_response_send(struct weft_responses *a, struct weft_peer *peer,
			const struct weft_pkt *pkt, const void *payload);

/*
 * Acknowledges request id. now: send it at once, with all acknowledgements that
 * are pending for the peer.
 */
void weft_response_ack(struct weft_responses *a, struct weft_peer *peer,
		       uint32_t id, bool now);

static inline bool weft_responses_pending(const struct weft_responses *a)
{
	return !weft_list_empty(&a->queue) || !weft_list_empty(&a->unsent);
}

/* Sends queued packets and, if `all` is set, pending acknowledgements. */
void weft_responses_flush(struct weft_responses *a, bool all);

#endif

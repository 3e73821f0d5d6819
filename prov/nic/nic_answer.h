/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers that a unit gives to requests. Plain acknowledgements of one peer
 * are collected, up to WEFT_ACKS request numbers in one packet, and leave when
 * the list is full, when the requester waits, or on flush. An answer that
 * finds the carrier full is queued: a unit takes every request, so requests
 * and answers cannot block each other.
 */
#ifndef WEFT_PROV_NIC_ANSWER_H
#define WEFT_PROV_NIC_ANSWER_H

#include "prov/carrier/carrier.h"
#include "src/base/hash.h"
#include "src/base/list.h"

#define WEFT_ACKS 32

struct weft_answers {
	struct weft_carrier *carrier;
	struct weft_pkt ack; /* what an acknowledgement looks like */
	struct weft_list queue;
	struct weft_list owing;
	struct weft_hash by_peer; /* index + 1 -> struct answer_acks */
};

void weft_answers_init(struct weft_answers *a, const struct weft_pkt *ack);
void weft_answers_fini(struct weft_answers *a);

/* Sends or queues one packet. */
void weft_answer_send(struct weft_answers *a, struct weft_peer *peer,
		      const struct weft_pkt *pkt, const void *payload);

/* Acknowledges request id; now: with everything owed to that peer. */
void weft_answer_ack(struct weft_answers *a, struct weft_peer *peer,
		     uint32_t id, bool now);

static inline bool weft_answers_waiting(const struct weft_answers *a)
{
	return !weft_list_empty(&a->queue) || !weft_list_empty(&a->owing);
}

/* Tries what is queued; all: acknowledgements that are owed, too. */
void weft_answers_flush(struct weft_answers *a, bool all);

#endif

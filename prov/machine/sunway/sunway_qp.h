/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs of the message engine: one per peer, between the interfaces of
 * the two message engines. An engine packet is a reliable queue message: header
 * and payload of up to 128 bytes are a fast short message, longer ones are
 * fetched from memory. Both sides have a window. Messages are acknowledged by
 * messages in the other direction, or, if there are none, once per
 * SUNWAY_QP_ACK messages. Messages are delivered in the order of their numbers.
 */
#ifndef WEFT_SUNWAY_QP_H
#define WEFT_SUNWAY_QP_H

#include "prov/machine/machine_transport.h"
#include "prov/machine/sunway/sunway_dev.h"

#define SUNWAY_QP_WINDOW  256u /* sequence numbers in the sender's window */
#define SUNWAY_QP_ACK	  32u  /* messages per acknowledgement; assumed */
/* message slots that queue messages leave free for RDMA */
#define SUNWAY_QP_RESERVE 16u
#define SUNWAY_QP_FSM	  (WEFT_SUNWAY_FSM - sizeof(struct weft_pkt))

/* A message that arrived before an earlier one. */
struct sunway_early {
	struct weft_pkt pkt;
	unsigned char payload[];
};

struct sunway_qp {
	struct weft_peer *peer;
	/* link in a list while messages are unacknowledged */
	struct weft_list link;
	/*
	 * sender's window. next: number of the next message; acked: first
	 * number in flight
	 */
	uint32_t next;
	uint32_t acked;
	uint32_t heard;	 /* unit word of the last message received */
	uint32_t probed; /* value of next at the last probe */
	/*
	 * receiver's window. owed: number of messages since the last
	 * acknowledgement
	 */
	uint32_t owed;
	struct weft_arq_win rx;
	/* messages by number modulo WEFT_ARQ_WINDOW; allocated on first use */
	struct sunway_early **early;
	struct weft_arq_timer timer;
	/* sequence number for which the timer runs */
	uint32_t timed;
	uint16_t slot[SUNWAY_QP_WINDOW]; /* message slots, by number */
};

struct sunway_qps {
	struct weft_sunway *n;
	struct sunway_vi *rq; /* interface of the message engine */
	unsigned vi;
	/* polls left until timeouts and refused packets are handled */
	int countdown;
	size_t max_bytes; /* largest payload of an engine packet */
	/*
	 * a copy of the data per message slot, for retransmissions; NULL: the
	 * carrier does not lose packets
	 */
	unsigned char *staging;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct weft_table qp;	  /* table of struct sunway_qp, by peer */
	struct weft_list unacked; /* queue pairs with messages in flight */
	/* number of messages that wait for earlier ones */
	unsigned early;
	/* an acknowledgement was not sent, since the carrier was full */
	bool ack_due;
};

int sunway_qps_init(struct sunway_qps *q, struct weft_sunway *n,
		    const struct weft_carrier_attr *up, size_t max_bytes);
void sunway_qps_fini(struct sunway_qps *q);

struct sunway_qp *sunway_qp_open(struct sunway_qps *q, struct weft_peer *peer);

/* Returns the queue pair of a peer; NULL: out of memory. */
static inline struct sunway_qp *sunway_qp(struct sunway_qps *q,
					  struct weft_peer *peer)
{
	struct sunway_qp *p = weft_table_get(&q->qp, peer->index);

	return weft_likely(p != NULL) ? p : sunway_qp_open(q, peer);
}

/* Returns the unit word of a message; see sunway_layout.h. */
static inline uint32_t sunway_qp_word(const struct sunway_qp *p, uint32_t seq,
				      bool fsm)
{
	return (seq & SUNWAY_SEQ) | (fsm ? SUNWAY_UNIT_FSM : 0) |
	       p->rx.next << SUNWAY_ACK_SHIFT;
}

/*
 * Sends an engine packet. -EAGAIN: no message slot is free, the window or the
 * carrier is full; nothing was sent.
 */
int sunway_qp_send(struct sunway_qps *q, struct sunway_qp *p,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int count);
/* Frees the message slots up to the number that the peer has reported. */
void sunway_qp_acked(struct sunway_qps *q, struct sunway_qp *p);
/* Acknowledges all messages that were delivered. */
void sunway_qp_ack(struct sunway_qps *q, struct sunway_qp *p);
/*
 * Called when the countdown ends: runs timeouts, sends acknowledgements that
 * the carrier refused, and delivers messages that are now in order. Returns the
 * number of delivered messages.
 */
int sunway_qps_run(struct sunway_qps *q);

/*
 * sunway_qp_rx.c: handles a packet; returns what weft_carrier_up.deliver
 * returns.
 */
int sunway_qp_deliver(struct sunway_qps *q, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
/* Delivers kept messages that are now in order. Returns their number. */
int sunway_qps_retry(struct sunway_qps *q);
/*
 * Delivers the messages of a lost peer up to the first gap, and drops the rest.
 */
void sunway_qp_lost(struct sunway_qps *q, struct weft_peer *peer);
void sunway_qp_early_free(struct sunway_qps *q, struct sunway_qp *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order, duplicates and gaps of one direction between two endpoints: pure
 * arithmetic on sequence numbers, for carriers whose raw layer may lose,
 * double or overtake. Numbers run free in 32 bits; a window is at most 64 of
 * them, so that what arrived out of order is one word.
 *
 *   sender    acked ......... next          may send while next - acked < 64
 *   receiver  next [b0 b1 b2 ... b63]       bit i: number next + i is here
 *
 * The receiver's two words are also its acknowledgement.
 */
#ifndef WEFT_PROV_WIRE_SEQ_H
#define WEFT_PROV_WIRE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_SEQ_WINDOW 64u

struct weft_seq_tx {
	uint32_t next;	/* the number of the next packet */
	uint32_t acked; /* everything before has arrived */
	uint64_t here;	/* bit i: acked + i has arrived, too */
};

struct weft_seq_rx {
	uint32_t next; /* the number to be delivered next */
	uint64_t here; /* bit i: next + i is here */
};

enum weft_seq_verdict {
	WEFT_SEQ_NEW, /* keep it; weft_seq_rx_ready says when it is its turn */
	WEFT_SEQ_OLD, /* was here before: drop it, but acknowledge again */
	WEFT_SEQ_OUTSIDE, /* outside the window: drop it, it will come again */
};

/* Whether window packets in flight allow one more. */
bool weft_seq_tx_room(const struct weft_seq_tx *tx, uint32_t window);
/* The number for a new packet. */
uint32_t weft_seq_tx_take(struct weft_seq_tx *tx);
/*
 * The other side has everything before ack and what here says. Words that
 * cannot be (an old one that was overtaken, or garbage) change nothing.
 * Numbers before tx->acked are done with afterwards.
 */
void weft_seq_tx_ack(struct weft_seq_tx *tx, uint32_t ack, uint64_t here);
/* Whether a number is on its way and not acknowledged. */
bool weft_seq_tx_waits(const struct weft_seq_tx *tx, uint32_t seq);

enum weft_seq_verdict weft_seq_rx_arrive(struct weft_seq_rx *rx, uint32_t seq);
/* Whether number rx->next is here. */
bool weft_seq_rx_ready(const struct weft_seq_rx *rx);
/* Number rx->next has been delivered. */
void weft_seq_rx_step(struct weft_seq_rx *rx);

#endif

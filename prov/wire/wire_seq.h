/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order, duplicates and gaps of one direction between two endpoints: pure
 * arithmetic on sequence numbers, for carriers whose raw layer may lose,
 * duplicate or reorder packets. Numbers run free in 32 bits; a window is at
 * most 64 of them, so that the out-of-order set is one word.
 *
 *   sender    acked ......... next          may send while next - acked < 64
 *   receiver  next [b0 b1 b2 ... b63]       bit i: number next + i has arrived
 *
 * The receiver's two words are also its acknowledgement.
 */
#ifndef WEFT_PROV_WIRE_SEQ_H
#define WEFT_PROV_WIRE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_SEQ_WINDOW 64u

struct weft_seq_tx {
	uint32_t next;	/* sequence number of the next packet */
	uint32_t acked; /* all numbers before have arrived */
	uint64_t here;	/* bit i: acked + i has arrived, too */
};

struct weft_seq_rx {
	uint32_t next; /* next number to deliver */
	uint64_t here; /* bit i: next + i has arrived */
};

enum weft_seq_verdict {
	WEFT_SEQ_NEW,	  /* keep it; deliver when weft_seq_rx_ready */
	WEFT_SEQ_OLD,	  /* duplicate: drop it, but acknowledge again */
	WEFT_SEQ_OUTSIDE, /* beyond the window: drop it, it is retransmitted */
};

/* True if a window of this number of packets in flight allows one more. */
bool weft_seq_tx_room(const struct weft_seq_tx *tx, uint32_t window);
/* Takes the sequence number for a new packet. */
uint32_t weft_seq_tx_next(struct weft_seq_tx *tx);
/*
 * Processes an acknowledgement: the receiver has everything before ack and the
 * numbers in here. Impossible words (an overtaken old one, or garbage) change
 * nothing. Numbers before tx->acked are complete afterwards.
 */
void weft_seq_tx_ack(struct weft_seq_tx *tx, uint32_t ack, uint64_t here);
/* True if a number is in flight and not acknowledged. */
bool weft_seq_tx_unacked(const struct weft_seq_tx *tx, uint32_t seq);

enum weft_seq_verdict weft_seq_rx_arrive(struct weft_seq_rx *rx, uint32_t seq);
/* True if number rx->next has arrived. */
bool weft_seq_rx_ready(const struct weft_seq_rx *rx);
/* Number rx->next has been delivered. */
void weft_seq_rx_step(struct weft_seq_rx *rx);

#endif

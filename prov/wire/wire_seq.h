/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequence numbers of one direction between two endpoints, for carriers whose
 * raw layer may lose, duplicate or reorder packets. Numbers wrap around at 32
 * bits; a window is at most 64 numbers, so that the out-of-order set is one
 * word.
 *
 *   sender    acked ......... next          may send while next - acked < 64
 *   receiver  next [b0 b1 b2 ... b63]       bit i: number next + i has arrived
 *
 * The receiver's two words are also the acknowledgement that it sends.
 */
#ifndef WEFT_PROV_WIRE_SEQ_H
#define WEFT_PROV_WIRE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_SEQ_WINDOW 64u

struct weft_seq_tx {
	uint32_t next;	/* sequence number of the next packet */
	uint32_t acked; /* all numbers before this one have arrived */
	uint64_t here;	/* bit i: number acked + i has arrived */
};

struct weft_seq_rx {
	uint32_t next; /* next number to deliver */
	uint64_t here; /* bit i: number next + i has arrived */
};

enum weft_seq_verdict {
	/* new: keep the packet; deliver it when weft_seq_rx_ready */
	WEFT_SEQ_NEW,
	/* duplicate: drop the packet, but acknowledge again */
	WEFT_SEQ_OLD,
	/* beyond the window: drop the packet; it is retransmitted */
	WEFT_SEQ_OUTSIDE,
};

/*
 * Returns whether a window of this number of packets allows one more in flight.
 */
bool weft_seq_tx_room(const struct weft_seq_tx *tx, uint32_t window);
/* Returns the sequence number for a new packet. */
uint32_t weft_seq_tx_next(struct weft_seq_tx *tx);
/*
 * Processes an acknowledgement: the receiver has all numbers before ack and the
 * numbers in here. Impossible values (an old acknowledgement that was
 * overtaken, or garbage) change nothing. Numbers before tx->acked are complete
 * afterwards.
 */
void weft_seq_tx_ack(struct weft_seq_tx *tx, uint32_t ack, uint64_t here);
/* Returns whether a number is in flight and not acknowledged. */
bool weft_seq_tx_unacked(const struct weft_seq_tx *tx, uint32_t seq);

enum weft_seq_verdict weft_seq_rx_arrive(struct weft_seq_rx *rx, uint32_t seq);
/* Returns whether number rx->next has arrived. */
bool weft_seq_rx_ready(const struct weft_seq_rx *rx);
/* Advances rx->next after that packet was delivered. */
void weft_seq_rx_step(struct weft_seq_rx *rx);

#endif

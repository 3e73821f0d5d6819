/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequence numbers under loss, duplicates and reordering. */
#include "prov/wire/wire_seq.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <string.h>

static void a_window_closes_and_opens(void **state)
{
	struct weft_seq_tx tx = { .next = UINT32_MAX - 2,
				  .acked = UINT32_MAX - 2 };

	for (int i = 0; i < 8; i++) {
		T_TRUE(weft_seq_tx_room(&tx, 8));
		weft_seq_tx_next(&tx);
	}
	T_FALSE(weft_seq_tx_room(&tx, 8));
	weft_seq_tx_ack(&tx, UINT32_MAX - 1, 0);
	T_TRUE(weft_seq_tx_room(&tx, 8));
	T_FALSE(weft_seq_tx_unacked(&tx, UINT32_MAX - 2));
	T_TRUE(weft_seq_tx_unacked(&tx, UINT32_MAX - 1));
}

static void impossible_acknowledgements_change_nothing(void **state)
{
	struct weft_seq_tx tx = { .next = 10, .acked = 5 };

	weft_seq_tx_ack(&tx, 11, 0);
	weft_seq_tx_ack(&tx, 4, ~UINT64_C(0));
	T_IS(tx.acked, 5);
	T_IS(tx.here, 0);
	weft_seq_tx_ack(&tx, 5, ~UINT64_C(0));
	T_IS(tx.here, 31);
	T_FALSE(weft_seq_tx_unacked(&tx, 10));
	weft_seq_tx_ack(&tx, 10, ~UINT64_C(0));
	T_IS(tx.here, 0);
}

static void selective_acknowledgements_stop_retransmission(void **state)
{
	struct weft_seq_tx tx = { .next = 4 };

	weft_seq_tx_ack(&tx, 0, 2);
	T_TRUE(weft_seq_tx_unacked(&tx, 0));
	T_FALSE(weft_seq_tx_unacked(&tx, 1));
	T_TRUE(weft_seq_tx_unacked(&tx, 2));
}

static void duplicates_and_packets_beyond_the_window_are_dropped(void **state)
{
	struct weft_seq_rx rx = { .next = UINT32_MAX };

	T_IS(weft_seq_rx_arrive(&rx, 0), WEFT_SEQ_NEW);
	T_IS(weft_seq_rx_arrive(&rx, 0), WEFT_SEQ_OLD);
	T_FALSE(weft_seq_rx_ready(&rx));
	T_IS(weft_seq_rx_arrive(&rx, 63), WEFT_SEQ_OUTSIDE);
	T_IS(weft_seq_rx_arrive(&rx, 62), WEFT_SEQ_NEW);
	T_IS(weft_seq_rx_arrive(&rx, UINT32_MAX), WEFT_SEQ_NEW);
	T_TRUE(weft_seq_rx_ready(&rx));
	weft_seq_rx_step(&rx);
	T_TRUE(weft_seq_rx_ready(&rx));
	weft_seq_rx_step(&rx);
	T_FALSE(weft_seq_rx_ready(&rx));
	T_IS(weft_seq_rx_arrive(&rx, UINT32_MAX), WEFT_SEQ_OLD);
}

/*
 * The raw layer loses, duplicates and reorders packets; delivery is in order.
 */
static void delivery_over_a_lossy_layer_is_in_order(void **state)
{
	struct weft_seq_tx tx = { .next = UINT32_MAX - 500,
				  .acked = UINT32_MAX - 500 };
	struct weft_seq_rx rx = { .next = UINT32_MAX - 500 };
	uint32_t delivered = 0, sent = 0;
	struct weft_rng rng;
	uint32_t seq;

	weft_rng_init(&rng, 42, 0);
	for (int round = 0; round < 100000 && delivered < 2000; round++) {
		if (sent < 2000 && weft_seq_tx_room(&tx, 64)) {
			weft_seq_tx_next(&tx);
			sent++;
		}
		seq = tx.acked + (uint32_t)weft_rng_below(&rng, 64);
		if (weft_seq_tx_unacked(&tx, seq) &&
		    weft_rng_below(&rng, 100) < 60)
			weft_seq_rx_arrive(&rx, seq);
		while (weft_seq_rx_ready(&rx)) {
			T_IS(rx.next, UINT32_MAX - 500 + delivered);
			weft_seq_rx_step(&rx);
			delivered++;
		}
		if (weft_rng_below(&rng, 100) < 30)
			weft_seq_tx_ack(&tx, rx.next, rx.here);
	}
	T_IS(delivered, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_window_closes_and_opens),
		T_CASE(impossible_acknowledgements_change_nothing),
		T_CASE(selective_acknowledgements_stop_retransmission),
		T_CASE(duplicates_and_packets_beyond_the_window_are_dropped),
		T_CASE(delivery_over_a_lossy_layer_is_in_order),
	};

	return T_RUN(tests);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequence numbers of packets: windows, gaps, duplicates. */
#include "prov/wire/wire_seq.h"
#include "src/base/must.h"

bool weft_seq_tx_room(const struct weft_seq_tx *tx, uint32_t window)
{
	WEFT_ASSERT(window <= WEFT_SEQ_WINDOW);
	return tx->next - tx->acked < window;
}

uint32_t weft_seq_tx_next(struct weft_seq_tx *tx)
{
	WEFT_ASSERT(weft_seq_tx_room(tx, WEFT_SEQ_WINDOW));
	return tx->next++;
}

static uint64_t seq_shift(uint64_t here, uint32_t by)
{
	return by < 64 ? here >> by : 0;
}

void weft_seq_tx_ack(struct weft_seq_tx *tx, uint32_t ack, uint64_t here)
{
	uint32_t by = ack - tx->acked;
	uint32_t in_flight = tx->next - tx->acked;

	if (by > in_flight)
		return;
	in_flight -= by;
	/* packets that were not sent cannot have arrived */
	if (in_flight < 64)
		here &= (UINT64_C(1) << in_flight) - 1;
	tx->here = seq_shift(tx->here, by) | here;
	tx->acked = ack;
}

bool weft_seq_tx_unacked(const struct weft_seq_tx *tx, uint32_t seq)
{
	uint32_t i = seq - tx->acked;

	return i < tx->next - tx->acked && !(tx->here >> i & 1);
}

enum weft_seq_verdict weft_seq_rx_arrive(struct weft_seq_rx *rx, uint32_t seq)
{
	uint32_t ahead = seq - rx->next;

	/* the half of the number space before next: arrived before */
	if (ahead > UINT32_MAX / 2)
		return WEFT_SEQ_OLD;
	if (ahead >= WEFT_SEQ_WINDOW)
		return WEFT_SEQ_OUTSIDE;
	if (rx->here >> ahead & 1)
		return WEFT_SEQ_OLD;
	rx->here |= UINT64_C(1) << ahead;
	return WEFT_SEQ_NEW;
}

bool weft_seq_rx_ready(const struct weft_seq_rx *rx)
{
	return rx->here & 1;
}

void weft_seq_rx_step(struct weft_seq_rx *rx)
{
	WEFT_ASSERT(weft_seq_rx_ready(rx));
	rx->here >>= 1;
	rx->next++;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequence numbers: windows, gaps, duplicates, acknowledgements, timers. */
#include "prov/arq/arq.h"

#include <assert.h>

bool weft_arq_tx_ack(struct weft_arq_tx *tx, uint32_t ack)
{
	if (ack - tx->acked > weft_arq_in_flight(tx))
		return false;
	tx->acked = ack;
	return true;
}

bool weft_arq_ack_has(uint32_t ack, uint64_t bits, uint32_t seq)
{
	uint32_t ahead = seq - ack;

	return ahead > UINT32_MAX / 2 || (ahead < 64 && bits >> ahead & 1);
}

static uint64_t win_bit(uint32_t seq)
{
	return UINT64_C(1) << seq % 64;
}

static void win_set(struct weft_arq_win *w, uint32_t seq)
{
	w->bits[seq % WEFT_ARQ_WINDOW / 64] |= win_bit(seq);
	if (seq - w->next >= w->top - w->next)
		w->top = seq + 1;
}

static void win_clear(struct weft_arq_win *w, uint32_t seq)
{
	w->bits[seq % WEFT_ARQ_WINDOW / 64] &= ~win_bit(seq);
}

void weft_arq_win_init(struct weft_arq_win *w, uint32_t next)
{
	*w = (struct weft_arq_win){ .next = next, .top = next };
}

enum weft_arq_verdict weft_arq_win_check(const struct weft_arq_win *w,
					 uint32_t seq, uint32_t window)
{
	uint32_t ahead = seq - w->next;

	assert(window <= WEFT_ARQ_WINDOW);
	/*
	 * a number in the half of the number space below `next` counts as
	 * already arrived
	 */
	if (ahead > UINT32_MAX / 2)
		return WEFT_ARQ_OLD;
	if (ahead >= window)
		return WEFT_ARQ_OUTSIDE;
	if (w->bits[seq % WEFT_ARQ_WINDOW / 64] & win_bit(seq))
		return WEFT_ARQ_OLD;
	return WEFT_ARQ_NEW;
}

void weft_arq_win_take(struct weft_arq_win *w, uint32_t seq)
{
	/* fast path: seq is the next number, and no later number has arrived */
	if (seq == w->next && w->top == seq) {
		w->top = ++w->next;
		return;
	}
	win_set(w, seq);
	while (weft_arq_win_ready(w))
		win_clear(w, w->next++);
}

enum weft_arq_verdict weft_arq_win_arrive(struct weft_arq_win *w, uint32_t seq,
					  uint32_t window)
{
	enum weft_arq_verdict v = weft_arq_win_check(w, seq, window);

	if (v == WEFT_ARQ_NEW)
		win_set(w, seq);
	return v;
}

void weft_arq_win_undo(struct weft_arq_win *w, uint32_t seq)
{
	win_clear(w, seq);
}

void weft_arq_win_advance(struct weft_arq_win *w)
{
	assert(weft_arq_win_ready(w));
	win_clear(w, w->next++);
}

uint64_t weft_arq_win_word(const struct weft_arq_win *w, uint32_t i)
{
	uint32_t bit = (w->next + 64 * i) % WEFT_ARQ_WINDOW;
	uint64_t low = w->bits[bit / 64] >> bit % 64;

	if (bit % 64)
		low |= w->bits[(bit / 64 + 1) % WEFT_ARQ_WORDS]
		       << (64 - bit % 64);
	return low;
}

uint32_t weft_arq_win_words(const struct weft_arq_win *w)
{
	uint32_t n = (w->top - w->next + 63) / 64;

	return n ? n : 1;
}

bool weft_arq_timer_expired(struct weft_arq_timer *t, uint64_t now,
			    uint64_t most)
{
	if (now < t->due)
		return false;
	weft_arq_timer_start(t, now, t->wait < most / 2 ? 2 * t->wait : most);
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reception window: which sequence numbers have arrived. */
#include "prov/carrier/sock/sock_win.h"
#include "src/base/must.h"

static uint64_t *win_word(struct sock_win *w, uint32_t seq)
{
	return &w->bits[seq % SOCK_WINDOW / 64];
}

static uint64_t win_bit(uint32_t seq)
{
	return UINT64_C(1) << seq % 64;
}

enum weft_seq_verdict sock_win_arrive(struct sock_win *w, uint32_t seq)
{
	uint32_t ahead = seq - w->next;

	WEFT_ASSERT(w->top - w->next <= SOCK_WINDOW);
	/* half of the number space is before next and counts as arrived */
	if (ahead > UINT32_MAX / 2)
		return WEFT_SEQ_OLD;
	if (ahead >= SOCK_WINDOW)
		return WEFT_SEQ_OUTSIDE;
	if (*win_word(w, seq) & win_bit(seq))
		return WEFT_SEQ_OLD;
	*win_word(w, seq) |= win_bit(seq);
	if (ahead >= w->top - w->next)
		w->top = seq + 1;
	return WEFT_SEQ_NEW;
}

void sock_win_undo(struct sock_win *w, uint32_t seq)
{
	WEFT_ASSERT(*win_word(w, seq) & win_bit(seq));
	*win_word(w, seq) &= ~win_bit(seq);
}

void sock_win_advance(struct sock_win *w)
{
	WEFT_ASSERT(sock_win_ready(w));
	sock_win_undo(w, w->next);
	w->next++;
	WEFT_ASSERT(w->top - w->next <= SOCK_WINDOW);
}

uint64_t sock_win_word(const struct sock_win *w, uint32_t i)
{
	uint32_t bit = (w->next + 64 * i) % SOCK_WINDOW;
	uint64_t low = w->bits[bit / 64] >> bit % 64;

	WEFT_ASSERT(i < SOCK_WORDS);
	if (bit % 64)
		low |= w->bits[(bit / 64 + 1) % SOCK_WORDS] << (64 - bit % 64);
	return low;
}

uint32_t sock_win_words(const struct sock_win *w)
{
	uint32_t n = (w->top - w->next + 63) / 64;

	WEFT_ASSERT(n <= SOCK_WORDS);
	return n ? n : 1;
}

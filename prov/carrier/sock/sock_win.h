/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception window of one peer, like wire_seq.h but with a thousand sequence
 * numbers, which a fast network can have in flight. Sequence numbers wrap
 * around at 32 bits.
 *
 *   next [b0 b1 ... b63][b64 ...] ... top       bit i: next + i has arrived
 *
 * The words are also the acknowledgement. Every header contains the first word;
 * the other words follow the header of an ACK if there are gaps.
 */
#ifndef WEFT_CARRIER_SOCK_WIN_H
#define WEFT_CARRIER_SOCK_WIN_H

#include "prov/wire/wire_seq.h"

#define SOCK_WINDOW 1024u
#define SOCK_WORDS  (SOCK_WINDOW / 64)

struct sock_win {
	uint32_t next; /* sequence number to be delivered next */
	uint32_t top;  /* highest sequence number that has arrived, plus one */
	/*
	 * arrival bits; the bit of sequence number n is at n modulo the window
	 */
	uint64_t bits[SOCK_WORDS];
};

enum weft_seq_verdict sock_win_arrive(struct sock_win *w, uint32_t seq);
/* Undoes sock_win_arrive(). */
void sock_win_undo(struct sock_win *w, uint32_t seq);
/* Advances next, which has been delivered. */
void sock_win_advance(struct sock_win *w);
/* Returns word i: bit b is set if next + 64 * i + b has arrived. */
uint64_t sock_win_word(const struct sock_win *w, uint32_t i);
/* Returns the number of words from next to top, at least one. */
uint32_t sock_win_words(const struct sock_win *w);

static inline bool sock_win_ready(const struct sock_win *w)
{
	uint32_t bit = w->next % SOCK_WINDOW;

	return w->bits[bit / 64] >> bit % 64 & 1;
}

#endif

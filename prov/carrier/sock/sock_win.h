/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception window of one peer: wire_seq.h for windows of a thousand numbers,
 * since a fast network has this number in flight. Numbers wrap around in 32
 * bits.
 *
 *   next [b0 b1 ... b63][b64 ...] ... top       bit i: next + i has arrived
 *
 * The words are also the acknowledgement. Every head holds the first word; the
 * other words follow the head of an ACK if there are gaps.
 */
#ifndef WEFT_CARRIER_SOCK_WIN_H
#define WEFT_CARRIER_SOCK_WIN_H

#include "prov/wire/wire_seq.h"

#define SOCK_WINDOW 1024u
#define SOCK_WORDS  (SOCK_WINDOW / 64)

struct sock_win {
	uint32_t next; /* number to be delivered next */
	uint32_t top;  /* highest number that has arrived, plus one */
	uint64_t bits[SOCK_WORDS]; /* bit of number n: n modulo the window */
};

enum weft_seq_verdict sock_win_arrive(struct sock_win *w, uint32_t seq);
/* Undoes sock_win_arrive. */
void sock_win_undo(struct sock_win *w, uint32_t seq);
/* Number next has been delivered. */
void sock_win_advance(struct sock_win *w);
/* Bit b: next + 64 * i + b has arrived. */
uint64_t sock_win_word(const struct sock_win *w, uint32_t i);
/* Words that are not zero, at least one. */
uint32_t sock_win_words(const struct sock_win *w);

static inline bool sock_win_ready(const struct sock_win *w)
{
	uint32_t at = w->next % SOCK_WINDOW;

	return w->bits[at / 64] >> at % 64 & 1;
}

#endif

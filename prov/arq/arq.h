/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Retransmission (ARQ) between two endpoints whose raw layer may lose,
 * duplicate or reorder packets. This file has the arithmetic of one direction.
 * The caller owns the packets, the clock and the wire format, and stores
 * packet number n in slot n modulo the window.
 *
 *   sender    acked ......... next          in flight: next - acked
 *   receiver  next [b0 b1 ... b63][b64 ...] ... top
 *                                           bit i: number next + i has arrived
 *
 * Numbers wrap around at 32 bits. An acknowledgement consists of the
 * receiver's next number (cumulative) and of words of its arrival bits
 * (selective).
 */
#ifndef WEFT_PROV_ARQ_H
#define WEFT_PROV_ARQ_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_ARQ_WINDOW 1024u /* largest window, packets */
#define WEFT_ARQ_WORDS	(WEFT_ARQ_WINDOW / 64)

/* Sequence numbers of a sender. */
struct weft_arq_tx {
	uint32_t next;	/* number of the next packet */
	uint32_t acked; /* all earlier numbers are acknowledged */
};

/* Window of a receiver, or of a sender with individual acknowledgements. */
struct weft_arq_win {
	uint32_t next; /* number to be delivered next */
	uint32_t top;  /* highest number that has arrived, plus one */
	/* arrival bits; the bit of number n is at n modulo WEFT_ARQ_WINDOW */
	uint64_t bits[WEFT_ARQ_WORDS];
};

/* Retransmission timer; times in the caller's unit. */
struct weft_arq_timer {
	uint64_t due;  /* time of the next retransmission */
	uint64_t wait; /* time between the last transmission and `due` */
};

enum weft_arq_verdict {
	WEFT_ARQ_NEW,	  /* keep the packet until it is next in order */
	WEFT_ARQ_OLD,	  /* duplicate: drop, but acknowledge again */
	WEFT_ARQ_OUTSIDE, /* beyond the window: drop, the sender retransmits */
};

static inline uint32_t weft_arq_in_flight(const struct weft_arq_tx *tx)
{
	return tx->next - tx->acked;
}

/*
 * Processes a cumulative acknowledgement: the receiver has all numbers before
 * ack. Returns false and changes nothing if ack is out of date or invalid.
 */
bool weft_arq_tx_ack(struct weft_arq_tx *tx, uint32_t ack);
/* Returns whether an acknowledgement with these fields includes number seq. */
bool weft_arq_ack_has(uint32_t ack, uint64_t bits, uint32_t seq);

/* Empties a window; `next` is the first number that it expects. */
void weft_arq_win_init(struct weft_arq_win *w, uint32_t next);
/* Checks number seq against a window of `window` numbers; changes nothing. */
enum weft_arq_verdict weft_arq_win_check(const struct weft_arq_win *w,
					 uint32_t seq, uint32_t window);
/*
 * Records a new number whose packet was delivered, possibly out of order, and
 * advances w->next past all numbers that have arrived.
 */
void weft_arq_win_take(struct weft_arq_win *w, uint32_t seq);
/* Checks number seq, and records it if new: the caller keeps the packet. */
enum weft_arq_verdict weft_arq_win_arrive(struct weft_arq_win *w, uint32_t seq,
					  uint32_t window);
/* Undoes weft_arq_win_arrive(): the packet could not be kept. */
void weft_arq_win_undo(struct weft_arq_win *w, uint32_t seq);
/* Advances w->next after the packet with that number was delivered. */
void weft_arq_win_advance(struct weft_arq_win *w);
/* Returns word i: bit b is set if next + 64 * i + b has arrived. */
uint64_t weft_arq_win_word(const struct weft_arq_win *w, uint32_t i);
/* Returns the number of words that cover next to top, at least one. */
uint32_t weft_arq_win_words(const struct weft_arq_win *w);

/* Returns whether number next has arrived. */
static inline bool weft_arq_win_ready(const struct weft_arq_win *w)
{
	return w->bits[w->next % WEFT_ARQ_WINDOW / 64] >> w->next % 64 & 1;
}

static inline void weft_arq_timer_start(struct weft_arq_timer *t, uint64_t now,
					uint64_t wait)
{
	t->due = now + wait;
	t->wait = wait;
}

/*
 * Returns whether the timer has expired; if so, restarts it with twice the
 * waiting time, at most `most`.
 */
bool weft_arq_timer_expired(struct weft_arq_timer *t, uint64_t now,
			    uint64_t most);

#endif

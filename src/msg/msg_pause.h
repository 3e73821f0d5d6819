/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting, in windows and in collectives, until another process changes a word
 * in shared memory. A waiting process makes progress while it spins, then
 * blocks for at most a millisecond at a time.
 */
#ifndef WEFT_MSG_PAUSE_H
#define WEFT_MSG_PAUSE_H

#include "src/base/atomic.h"

struct weft_comm;

/*
 * State of a wait. The caller checks its condition:
 *
 *   struct weft_pause p = weft_pause_begin(comm);
 *   while ((seen = weft_load32(word)), !condition)
 *           rc = weft_pause(&p, word, seen, WEFT_PAUSE_ANY, waiters);
 */
struct weft_pause {
	const struct weft_comm *comm; /* members that may change the word */
	unsigned left;	  /* polls left before the first futex wait */
	unsigned blocked; /* consecutive futex waits */
};

#define WEFT_PAUSE_ANY UINT32_MAX

struct weft_pause weft_pause_begin(const struct weft_comm *c);
/*
 * Spins, yields or blocks once while *word is `seen`. bits: futex bits that
 * wake this waiter. Returns 0 or -ECONNRESET.
 */
int weft_pause(struct weft_pause *p, weft_au32 *word, uint32_t seen,
	       uint32_t bits, weft_au32 *waiters);
/*
 * weft_pause_event_add() adds one to a word and returns the new value;
 * weft_pause_wake() is called afterwards and wakes the waiters on the word.
 */
uint32_t weft_pause_event_add(weft_au32 *word);
void weft_pause_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters);

#endif

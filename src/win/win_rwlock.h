/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader-writer lock in shared memory, granted in the order of requests: each
 * request takes a ticket and enters when the ticket is admitted.
 *
 *   writer: enters at write == ticket, leaves by ++read, ++write
 *   reader: enters at read == ticket, admits the next by ++read at once,
 *           leaves by ++write
 *
 * So consecutive readers enter together, and a writer waits only for earlier
 * requests: no request is overtaken. A waiting process makes progress while it
 * spins, then blocks for at most a millisecond at a time.
 */
#ifndef WEFT_WIN_RWLOCK_H
#define WEFT_WIN_RWLOCK_H

#include "src/win/win_layout.h"

struct weft_comm;

/*
 * Acquire and release the lock. c: communicator of the members that share the
 * lock. win_rwlock_acquire() returns 0, or -ECONNRESET: a member has died.
 */
int win_rwlock_acquire(struct win_rwlock *g, bool exclusive,
		       const struct weft_comm *c);
void win_rwlock_release(struct win_rwlock *g, bool exclusive);

/*
 * State of a wait for a word of shared memory to change. The caller checks its
 * condition:
 *
 *   struct win_pause p = win_pause_begin(comm);
 *   while ((seen = weft_load32(word)), !condition)
 *           rc = win_pause(&p, word, seen, WIN_ANY, waiters);
 */
struct win_pause {
	const struct weft_comm *comm; /* members that may change the word */
	unsigned left;	  /* polls left before the first futex wait */
	unsigned blocked; /* consecutive futex waits */
};

#define WIN_ANY UINT32_MAX

struct win_pause win_pause_begin(const struct weft_comm *c);
/*
 * Spins, yields or blocks once while *word is `seen`. bits: futex bits that
 * wake this waiter. Returns 0 or -ECONNRESET.
 */
int win_pause(struct win_pause *p, weft_au32 *word, uint32_t seen,
	      uint32_t bits, weft_au32 *waiters);
/*
 * win_event_add() adds one to a word and returns the new value; win_wake() is
 * called afterwards and wakes the waiters on the word.
 */
uint32_t win_event_add(weft_au32 *word);
void win_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters);

#endif

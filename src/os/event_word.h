/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event word: a counter in shared memory on which any number of processes
 * block, and by which one system call wakes all of them.
 *
 *   waiter                                  notifier
 *     seen = weft_event_prepare_wait(b, bits)  changes the state (a store)
 *     checks the state again                  weft_event_has_waiters(b)?
 *     blocks while ring == seen               weft_event_notify_all(b)
 *
 * Either the notifier sees the waiter's bit or the waiter sees the changed
 * state: that needs a full fence on both sides, or a membarrier by the waiter
 * if notifiers cannot afford a fence. An event word is untrusted, like all
 * shared memory: a corrupt one at worst delays a waiter until its timeout.
 */
#ifndef WEFT_EVENT_WORD_H
#define WEFT_EVENT_WORD_H

#include "src/base/atomic.h"

/* bits of weft_event.waiter_bits */
/* a process blocks on the notification counter */
#define WEFT_EVENT_NOTIFY 1u
/* a process blocks elsewhere: the notifier must call nudge (carrier.h) */
#define WEFT_EVENT_NUDGE  2u

struct weft_event {
	weft_au32 ring; /* number of notifications */
	weft_au32 waiter_bits;
};

static_assert(sizeof(struct weft_event) == 8, "shared format");

/* Prepares to wait: sets `bits`. Returns the value of ring before that. */
static inline uint32_t weft_event_prepare_wait(struct weft_event *b,
					       uint32_t bits)
{
	uint32_t seen = weft_load32(&b->ring);

	/*
	 * If the bit is already set, it is cleared before ring changes again,
	 * and the waiter sees that change.
	 */
	if (!(weft_load32(&b->waiter_bits) & bits))
		atomic_fetch_or_explicit(&b->waiter_bits, bits,
					 memory_order_seq_cst);
	return seen;
}

/*
 * Returns whether a process may be waiting. Relaxed: a caller that needs a
 * fence executes it before this call.
 */
static inline bool weft_event_has_waiters(const struct weft_event *b)
{
	return weft_load32_relaxed(&b->waiter_bits) != 0;
}

/* Wakes all processes that block on ring. Returns the bits that were set. */
uint32_t weft_event_notify_all(struct weft_event *b);

/*
 * Wakes all waiters, if there are any. For event words that waiters prepare and
 * notifiers use with the same lock held, so that no fence is needed.
 */
static inline void weft_event_notify_locked(struct weft_event *b)
{
	if (weft_event_has_waiters(b))
		weft_event_notify_all(b);
}

/*
 * Blocks while event_word->ring == seen, for at most ns; UINT64_MAX: no
 * timeout.
 */
void weft_event_block(struct weft_event *event_word, uint32_t seen,
		      uint64_t ns);

/*
 * Blocks while *own == own_is and event_word->ring == seen, for at most ns.
 * Returns 0, -ETIMEDOUT, or -ENOSYS: the kernel cannot wait on two words.
 */
int weft_event_wait(weft_au32 *own, uint32_t own_is,
		    struct weft_event *event_word, uint32_t seen, uint64_t ns);

#endif

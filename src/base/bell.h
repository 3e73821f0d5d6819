/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bell: one word in shared memory on which any number of processes sleep and
 * which one system call rings for all of them.
 *
 *   sleeper                          ringer
 *     heard = weft_bell_lie(b, how)    makes it come about (a store)
 *     looks again                      weft_bell_asks(b): nobody? go on
 *     sleeps while ring == heard       weft_bell_ring(b)
 *
 * Either the ringer sees that somebody lies down or the sleeper sees what came
 * about: that takes a full fence on both sides, or a membarrier by the sleeper
 * where ringers cannot afford one. A bell is untrusted as all shared memory:
 * the worst that a wrong one does is a sleep to its time limit.
 */
#ifndef WEFT_BASE_BELL_H
#define WEFT_BASE_BELL_H

#include "src/base/atomic.h"

/* Bits of asleep. */
#define WEFT_BELL_RING	1u /* somebody sleeps on ring */
#define WEFT_BELL_NUDGE 2u /* somebody sleeps elsewhere: nudge everybody */

struct weft_bell {
	weft_au32 ring; /* counts the rings */
	weft_au32 asleep;
};

static_assert(sizeof(struct weft_bell) == 8, "shared format");

/* Says that somebody will sleep; what ring was before. */
static inline uint32_t weft_bell_lie(struct weft_bell *b, uint32_t how)
{
	uint32_t heard = weft_load32(&b->ring);

	/* A bit that is set is cleared before the next ring, which we hear. */
	if (!(weft_load32(&b->asleep) & how))
		atomic_fetch_or_explicit(&b->asleep, how, memory_order_seq_cst);
	return heard;
}

/* Whether anybody may be asleep. Relaxed: the caller has fenced, or not. */
static inline bool weft_bell_asks(const struct weft_bell *b)
{
	return weft_load32_relaxed(&b->asleep) != 0;
}

/* Wakes all who sleep on ring; the bits that were set. */
uint32_t weft_bell_ring(struct weft_bell *b);

/*
 * Sleeps while *own is own_is and bell->ring is heard, ns at most. 0, or
 * -ETIMEDOUT, or -ENOSYS: this kernel cannot wait for two words.
 */
int weft_bell_sleep(weft_au32 *own, uint32_t own_is, struct weft_bell *bell,
		    uint32_t heard, uint64_t ns);

#endif

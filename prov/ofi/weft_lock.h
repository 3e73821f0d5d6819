/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The domain's mutex: one word, and no system call without contention. Values
 * of the word: 0 (free), 1 (held), 2 (held, and a thread may be blocked on it).
 */
#ifndef WEFT_OFI_LOCK_H
#define WEFT_OFI_LOCK_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

struct weft_mutex {
	weft_au32 word;
};

/* Internal: slow paths, in weft_lock.c. */
void weft_mutex_lock_slow(struct weft_mutex *m) WEFT_COLD;
void weft_mutex_wake(struct weft_mutex *m) WEFT_COLD;

static inline void weft_mutex_lock(struct weft_mutex *m)
{
	uint32_t expect = 0;

	/* A1 pairs with R1: the previous holder's writes are visible */
	if (weft_unlikely(!atomic_compare_exchange_strong_explicit(
		    &m->word, &expect, 1, memory_order_acquire,
		    memory_order_relaxed)))
		weft_mutex_lock_slow(m);
}

static inline void weft_mutex_unlock(struct weft_mutex *m)
{
	/* R1 pairs with A1. */
	if (weft_unlikely(atomic_exchange_explicit(&m->word, 0,
						   memory_order_release) == 2))
		weft_mutex_wake(m);
}

#endif

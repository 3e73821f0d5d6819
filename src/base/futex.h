/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex(2): blocking on a word until another thread wakes its waiters. The
 * kernel checks the word again before a thread blocks, so a change before that
 * is never missed; a wake without a change may be.
 */
#ifndef WEFT_BASE_FUTEX_H
#define WEFT_BASE_FUTEX_H

#include "src/base/atomic.h"

/* Which threads may block on a word: the kernel finds private words faster. */
enum weft_futex_scope {
	WEFT_FUTEX_PROCESSES,
	WEFT_FUTEX_THREADS,
};

#define WEFT_FUTEX_ALL INT32_MAX

/*
 * Blocks while *word is value, ns at most; UINT64_MAX: no timeout. Returns 0:
 * woken, or the word has another value, or a signal arrived; or -ETIMEDOUT.
 */
int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope reach);

/* Blocks on two words that processes share; -ENOSYS: before Linux 5.16. */
int weft_futex_wait_two(weft_au32 *const word[2], const uint32_t value[2],
			uint64_t ns);

/* Wakes at most count waiters of the word. */
void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope reach);

/*
 * Block on a word that processes share until a wake with a common bit; and wake
 * all waiters that have a common bit.
 */
int weft_futex_wait_bits(weft_au32 *word, uint32_t value, uint32_t bits,
			 uint64_t ns);
void weft_futex_wake_bits(weft_au32 *word, uint32_t bits);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex(2): sleeping on a word until somebody wakes those who sleep there. The
 * kernel looks at the word once more before it lets a thread sleep, so a
 * change before the sleep is never missed; a wake without a change may be.
 */
#ifndef WEFT_BASE_FUTEX_H
#define WEFT_BASE_FUTEX_H

#include "src/base/atomic.h"

/* Who may sleep on a word: the kernel finds private words sooner. */
enum weft_futex_reach {
	WEFT_FUTEX_PROCESSES,
	WEFT_FUTEX_THREADS,
};

#define WEFT_FUTEX_ALL INT32_MAX

/*
 * Sleeps while *word is value, ns at most; UINT64_MAX: without limit. 0: woken,
 * or the word has another value, or a signal came; -ETIMEDOUT.
 */
int weft_futex_sleep(weft_au32 *word, uint32_t value, uint64_t ns,
		     enum weft_futex_reach reach);

/* The same on two words that processes share; -ENOSYS: before Linux 5.16. */
int weft_futex_sleep_two(weft_au32 *const word[2], const uint32_t value[2],
			 uint64_t ns);

/* Wakes so many of those who sleep on the word. */
void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_reach reach);

/* Sleeps as above, of processes, for wakes that share a bit; and wakes all who
 * do. */
int weft_futex_sleep_bits(weft_au32 *word, uint32_t value, uint32_t bits,
			  uint64_t ns);
void weft_futex_wake_bits(weft_au32 *word, uint32_t bits);

#endif

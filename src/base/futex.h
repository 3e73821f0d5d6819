/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex(2): blocking on a word until another thread wakes its waiters. The
 * kernel compares the word again before a thread blocks, so an earlier change
 * of the word is never missed. A wake-up without a change of the word may be
 * missed.
 */
#ifndef WEFT_BASE_FUTEX_H
#define WEFT_BASE_FUTEX_H

#include "src/base/atomic.h"

/*
 * Which threads may block on a word: those of several processes, or only those
 * of this process, for which the kernel's lookup is faster.
 */
enum weft_futex_scope {
	WEFT_FUTEX_PROCESSES,
	WEFT_FUTEX_THREADS,
};

#define WEFT_FUTEX_ALL INT32_MAX

/*
 * Blocks while *word equals `value`, for at most `ns` nanoseconds; UINT64_MAX:
 * no timeout. Returns 0 if the thread was woken, the word has a different
 * value, or a signal arrived; otherwise -ETIMEDOUT.
 */
int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope scope);

/*
 * Like weft_futex_wait, but waits on two words that are shared between
 * processes. Also returns -ENOSYS if the kernel is older than Linux 5.16, or if
 * a seccomp filter forbids the system call.
 */
int weft_futex_wait_two(weft_au32 *const word[2], const uint32_t value[2],
			uint64_t ns);

void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope scope);

/*
 * weft_futex_wait_bits blocks on a word shared between processes until it is
 * woken with one of the given bits. weft_futex_wake_bits wakes all waiters that
 * have one of the given bits.
 */
int weft_futex_wait_bits(weft_au32 *word, uint32_t value, uint32_t bits,
			 uint64_t ns);
void weft_futex_wake_bits(weft_au32 *word, uint32_t bits);

#endif

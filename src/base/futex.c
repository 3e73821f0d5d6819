/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking on a word in memory, and waking the threads that are blocked on it.
 */
#include "src/base/futex.h"

#include "src/base/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/*
 * futex_waitv was added in Linux 5.16; the headers may be older than the
 * kernel.
 */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define WORD_U32 2u /* FUTEX_32, which newer headers call FUTEX2_SIZE_U32 */

struct waitv_entry { /* same layout as the kernel's struct futex_waitv */
	uint64_t value;
	uint64_t address;
	uint32_t flags;
	uint32_t zero;
};

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

static int scope_flag(enum weft_futex_scope scope)
{
	return scope == WEFT_FUTEX_THREADS ? FUTEX_PRIVATE_FLAG : 0;
}

int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope scope)
{
	struct timespec ts = timespec_of(ns);

	if (!syscall(SYS_futex, word, FUTEX_WAIT | scope_flag(scope), value,
		     ns == UINT64_MAX ? NULL : &ts, NULL, 0))
		return 0;
	return errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

int weft_futex_wait_two(weft_au32 *const word[2], const uint32_t value[2],
			uint64_t ns)
{
	uint64_t now = weft_now_ns();
	struct timespec until =
		timespec_of(ns < INT64_MAX - now ? now + ns : INT64_MAX);
	struct waitv_entry w[2] = {
		{ value[0], (uintptr_t)word[0], WORD_U32, 0 },
		{ value[1], (uintptr_t)word[1], WORD_U32, 0 },
	};

	if (syscall(SYS_futex_waitv, w, 2, 0, &until, CLOCK_MONOTONIC) >= 0)
		return 0;
	/* EPERM: a seccomp filter that does not know the system call */
	if (errno == EPERM || errno == ENOSYS)
		return -ENOSYS;
	return errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope scope)
{
	syscall(SYS_futex, word, FUTEX_WAKE | scope_flag(scope), count, NULL,
		NULL, 0);
}

int weft_futex_wait_bits(weft_au32 *word, uint32_t value, uint32_t bits,
			 uint64_t ns)
{
	bool forever = ns == UINT64_MAX;
	struct timespec until = timespec_of(forever ? 0 : weft_now_ns() + ns);

	if (!syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value,
		     forever ? NULL : &until, NULL, bits))
		return 0;
	return errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

void weft_futex_wake_bits(weft_au32 *word, uint32_t bits)
{
	syscall(SYS_futex, word, FUTEX_WAKE_BITSET, WEFT_FUTEX_ALL, NULL, NULL,
		bits);
}

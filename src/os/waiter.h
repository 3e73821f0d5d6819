/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: the parts that all users of the wait policy (wait_policy.h) share.
 *
 * Every event wakes its waiters, so a thread could block without a timeout.
 * Threads nevertheless block in slices, because no notification reports the
 * death of a peer. A slice also hides a lost wake-up: the waiter only wakes
 * late. With WEFT_WAIT_UNBOUNDED=1 in the environment there are no slices, and
 * a lost wake-up is a hang. This is for tests: deaths are not detected then.
 */
#ifndef WEFT_WAITER_H
#define WEFT_WAITER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether WEFT_WAIT_UNBOUNDED is set. */
bool weft_wait_is_unbounded(void);

/*
 * Returns the longest time for which a thread may block before it checks what
 * no notification reports: ns, or UINT64_MAX if slices are unbounded.
 */
uint64_t weft_wait_slice(uint64_t ns);

/* Returns the time ns after now; UINT64_MAX: never. */
static inline uint64_t weft_wait_end(uint64_t now_ns, uint64_t ns)
{
	return ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + ns;
}

#endif

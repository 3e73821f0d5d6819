/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guards for work on shared memory that another process may have corrupted.
 * Code checks values where this is cheap. Code with many kinds of indices, such
 * as the network model, does not check each of them but runs under a guard: a
 * fault ends the work, not the process.
 *
 *   weft_guard(work, arg) -> work calls weft_guard_fail(), or faults
 *                         -> weft_guard returns -EFAULT
 *
 * After a fault the memory is in an unknown state, and resources that the work
 * acquired are leaked: the owner of the memory must be abandoned. Guards do not
 * nest.
 */
#ifndef WEFT_GUARD_H
#define WEFT_GUARD_H

#include "src/base/attr.h"

#include <stdbool.h>

/*
 * Installs handlers for processor faults (SIGSEGV, SIGBUS, SIGFPE), once per
 * process. Outside of a guard the earlier actions apply.
 */
void weft_guard_init(void);

/*
 * Runs work(arg). Returns 0, or -EFAULT after a fault, which is logged. Makes
 * no system call.
 */
int weft_guard(void (*work)(void *arg), void *arg);

/* Like weft_guard(), for faults that are expected: they are not logged. */
int weft_guard_quiet(void (*work)(void *arg), void *arg);

/*
 * Installs the handlers. Returns whether SIGBUS (missing memory) still reaches
 * them: the program may have installed its own handler since.
 */
bool weft_guard_works(void);

/* Ends the work of this thread; without a guard, aborts the process. */
WEFT_NORETURN WEFT_COLD void weft_guard_fail(const char *why);

/*
 * Like WEFT_ASSERT (must.h), for values in memory that another process may have
 * corrupted: ends the work.
 */
#ifdef WEFT_ASSERTS
#define WEFT_GUARD_ASSERT(x) \
	(weft_likely(x) ? (void)0 : weft_guard_fail(__FILE__ ": " #x))
#else
#define WEFT_GUARD_ASSERT(x) ((void)sizeof(!(x)))
#endif

#endif

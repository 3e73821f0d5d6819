/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work on shared memory whose contents may have been overwritten. What is
 * cheap to check is checked; a model with a hundred kinds of indices is not
 * checked at every step, but run under a guard: whatever leads it astray ends
 * the work, not the process.
 *
 *   weft_guard(work, arg) -> work calls weft_guard_leave(), or faults
 *                         -> weft_guard returns -EFAULT
 *
 * The memory is in an unknown state then, and what the work took is lost: its
 * owner must be given up. Guards do not nest.
 */
#ifndef WEFT_BASE_GUARD_H
#define WEFT_BASE_GUARD_H

#include "src/base/attr.h"

/*
 * Takes the signals of faults of the processor (SIGSEGV, SIGBUS, SIGFPE), once
 * for the process. Outside of a guard they do what they did before.
 */
void weft_guard_init(void);

/* Runs work(arg): 0, or -EFAULT, which has been logged. No system call. */
int weft_guard(void (*work)(void *arg), void *arg);

/* Ends the work of this thread; without a guard, the process. */
WEFT_NORETURN WEFT_COLD void weft_guard_leave(const char *why);

#endif

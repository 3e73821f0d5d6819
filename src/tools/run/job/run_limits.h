/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resource limits of mpiexec's own process (setrlimit). Libraries do not check
 * all of their allocations and threads; so their needs are checked before they
 * start, and a limit that is too low ends mpiexec with a message instead of a
 * signal.
 */
#ifndef WEFT_RUN_LIMITS_H
#define WEFT_RUN_LIMITS_H

/*
 * Raises the stack limit of the main thread to what mpiexec needs if the hard
 * limit allows it. Returns 0, or -EINVAL after a message. First call of main().
 */
int run_limits_stack(void);

/*
 * Restores the stack limit that mpiexec was started with, before execve().
 * System calls only.
 */
void run_limits_restore(void);

/*
 * Checks the address space for the threads and the memory of libpmix with
 * nranks ranks. Returns 0, or -ENOMEM after a message.
 */
int run_limits_space(int nranks);

#endif

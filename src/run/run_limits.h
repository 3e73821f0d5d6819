/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of mpiexec's own process (setrlimit). Libraries do not check all of
 * their allocations and threads; so what they need is checked before they
 * start, and a limit ends mpiexec with a message instead of a signal.
 */
#ifndef WEFT_RUN_LIMITS_H
#define WEFT_RUN_LIMITS_H

/*
 * The stack of the main thread: raised to what mpiexec needs where the hard
 * limit allows it. 0, or -EINVAL after saying what is missing. First of all in
 * main().
 */
int run_limits_stack(void);

/* Gives a process that is about to call execve() the stack limit that mpiexec
 * was started with. System calls only. */
void run_limits_restore(void);

/*
 * Addresses for the threads and the memory of the PMIx library, for so many
 * ranks. 0, or -ENOMEM after saying what is missing.
 */
int run_limits_space(int nranks);

#endif

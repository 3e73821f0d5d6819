/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resource limits of mpiexec's own process (setrlimit). Libraries do not check
 * the result of every allocation and thread creation. So mpiexec checks before
 * it starts them whether the limits are sufficient: a limit that is too low
 * ends mpiexec with a message instead of a signal.
 */
#ifndef WEFT_RUN_LIMITS_H
#define WEFT_RUN_LIMITS_H

/*
 * Raises the stack limit of the main thread to the size that mpiexec needs, if
 * the hard limit allows it. Must be the first call of main(). Returns 0, or
 * -EINVAL after a message.
 */
int run_limits_stack(void);

/*
 * Restores the stack limit with which mpiexec was started, before execve().
 * Makes system calls only.
 */
void run_limits_restore(void);

/*
 * Checks whether the limit of the address space leaves enough for the threads
 * and the memory of libpmix with nranks ranks. Returns 0, or -ENOMEM after a
 * message.
 */
int run_limits_space(int nranks);

#endif

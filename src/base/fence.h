/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(2): with this system call one process executes a memory fence in
 * all registered processes, which then need no fence instructions of their own.
 */
#ifndef WEFT_BASE_FENCE_H
#define WEFT_BASE_FENCE_H

/*
 * Registers this process, permanently. Returns -errno if the kernel does not
 * support it. Returns 0 otherwise. A process with one thread is registered
 * immediately. For a process with several threads the kernel waits for all
 * processors, which takes ten milliseconds or more, so call this before threads
 * are started.
 */
int weft_membarrier_register(void);

/* Executes a full fence in every registered process. */
void weft_membarrier(void);

#endif

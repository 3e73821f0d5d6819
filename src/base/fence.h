/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(2): one process executes a fence in all registered processes, so
 * that they need no fence of their own.
 */
#ifndef WEFT_BASE_FENCE_H
#define WEFT_BASE_FENCE_H

/*
 * Registers this process, permanently. Returns -errno if the kernel does not
 * support it. A process with one thread is registered at once; one with several
 * threads waits for all processors, ten milliseconds or more, so call this
 * before threads are started.
 */
int weft_membarrier_register(void);

/* Executes a full fence in every registered process. */
void weft_membarrier(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(2): one process fences in all others that have asked for it, so
 * that those need not.
 */
#ifndef WEFT_BASE_FENCE_H
#define WEFT_BASE_FENCE_H

/*
 * Asks for it, once and for all. -errno: the kernel has none. A process of one
 * thread gets it at once; one of several waits for all processors to come by,
 * ten milliseconds or more, so whoever will start threads asks first.
 */
int weft_fence_join(void);

/* A full fence in every process that has asked for it. */
void weft_fence_others(void);

#endif

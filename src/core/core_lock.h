/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lock of the core. With MPI_THREAD_MULTIPLE a single lock protects the core;
 * otherwise weft_lock() costs only one predictable branch. The lock is held
 * while operations are posted and during one pass over the completion queue,
 * never while blocking, stepping requests, or in a user's function. It is not
 * recursive.
 */
#ifndef WEFT_CORE_LOCK_H
#define WEFT_CORE_LOCK_H

#include "src/base/attr.h"

#include <pthread.h>
#include <stdbool.h>

/* the thread level is MPI_THREAD_MULTIPLE; set once by MPI_Init */
extern bool weft_threads WEFT_HIDDEN;
extern pthread_mutex_t weft_big_lock;

static inline void weft_lock(void)
{
	if (weft_unlikely(weft_threads))
		pthread_mutex_lock(&weft_big_lock);
}

static inline void weft_unlock(void)
{
	if (weft_unlikely(weft_threads))
		pthread_mutex_unlock(&weft_big_lock);
}

#endif

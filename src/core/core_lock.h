/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With MPI_THREAD_MULTIPLE one lock guards the core; weft_lock() costs one
 * predictable branch otherwise. It is held for the time of posting or of one
 * pass over the queue, never while sleeping, stepping, or inside a user's
 * function. The lock is not recursive.
 */
#ifndef WEFT_CORE_LOCK_H
#define WEFT_CORE_LOCK_H

#include "src/base/attr.h"

#include <pthread.h>
#include <stdbool.h>

/* MPI_THREAD_MULTIPLE; set once by MPI_Init */
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

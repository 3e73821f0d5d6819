/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow path of the domain's mutex, for the case of contention. */
#include "prov/ofi/weft_lock.h"

#include "src/base/futex.h"

/* spins before blocking; the mutex is held for well under a microsecond */
#ifndef SPINS
#define SPINS 100
#endif

void weft_mutex_lock_slow(struct weft_mutex *m)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t expect = 0;

		weft_relax();
		if (weft_cas32(&m->word, &expect, 1))
			return;
	}
	/* the word is 2 from now on, so that the holder wakes this thread */
	while (weft_swap32(&m->word, 2) != 0)
		weft_futex_wait(&m->word, 2, UINT64_MAX, WEFT_FUTEX_THREADS);
}

void weft_mutex_wake(struct weft_mutex *m)
{
	weft_futex_wake(&m->word, 1, WEFT_FUTEX_THREADS);
}

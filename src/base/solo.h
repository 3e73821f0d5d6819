/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that several threads ask for and one at a time does. Who comes
 * meanwhile leaves a note and goes; the one who is at it then goes round again.
 * So when the last of them has left, the job was done once more after every
 * request, and whoever sleeps now missed nothing.
 *
 *   asking                           leaving
 *     again = 1                        busy = 0
 *     busy? then the other reads it    again? then once more
 *
 * Each side stores and then loads what the other stores, so all four are
 * sequentially consistent: with less, both may see the old value, and a request
 * is left lying until the next one comes.
 */
#ifndef WEFT_BASE_SOLO_H
#define WEFT_BASE_SOLO_H

#include "src/base/atomic.h"

struct weft_solo {
	weft_au32 busy;
	weft_au32 again;
};

/* Has the job done, here or where it is under way; the sum of its results. */
static inline int weft_solo_run(struct weft_solo *s, int (*job)(void *arg),
				void *arg)
{
	uint32_t idle;
	int n = 0;

	/* seq_cst, three times: the race above */
	atomic_store_explicit(&s->again, 1, memory_order_seq_cst);
	do {
		idle = 0;
		/* what the last one wrote is seen */
		if (!atomic_compare_exchange_strong_explicit(
			    &s->busy, &idle, 1, memory_order_seq_cst,
			    memory_order_seq_cst))
			return n;
		while (weft_swap32(&s->again, 0))
			n += job(arg);
		atomic_store_explicit(&s->busy, 0, memory_order_seq_cst);
	} while (atomic_load_explicit(&s->again, memory_order_seq_cst));
	return n;
}

#endif

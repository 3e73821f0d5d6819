/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a job that several threads request, one thread at a time. A thread that
 * requests it meanwhile sets a flag and returns; the running thread then runs
 * the job again. So when the last thread has left, the job has run after every
 * request, and a thread that blocks now missed nothing.
 *
 *   request                          leave
 *     again = 1                        busy = 0
 *     busy? the other reads again      again? run the job again
 *
 * Each side stores, then loads what the other side stores, so all four accesses
 * are sequentially consistent: with weaker ordering both may read the old
 * value, and a request is pending until the next one.
 */
#ifndef WEFT_COALESCED_TASK_H
#define WEFT_COALESCED_TASK_H

#include "src/base/atomic.h"

struct weft_coalesced_task {
	weft_au32 busy;
	weft_au32 again;
};

/*
 * Runs the job, here or in the thread that is running it; returns the sum of
 * its results.
 */
static inline int weft_coalesced_task_run(struct weft_coalesced_task *s,
					  int (*job)(void *arg), void *arg)
{
	uint32_t idle;
	int n = 0;

	/* seq_cst, three times: for the race above */
	atomic_store_explicit(&s->again, 1, memory_order_seq_cst);
	do {
		idle = 0;
		/* acquires what the last thread wrote */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a task that several threads request, in one thread at a time. A thread
 * that requests the task while another thread runs it sets a flag and returns;
 * the running thread then runs the task again. So when the last thread has
 * left, the task has run after every request, and a thread that blocks
 * afterwards has missed no request.
 *
 *   request                            leave
 *     again = 1                          busy = 0
 *     busy? its thread reads again       again? run the task again
 *
 * Each side stores, then loads what the other side stores, so all four accesses
 * are sequentially consistent: with weaker ordering both sides may read the old
 * value, and the request stays pending until the next one.
 */
#ifndef WEFT_COALESCED_TASK_H
#define WEFT_COALESCED_TASK_H

#include "src/base/atomic.h"

struct weft_coalesced_task {
	weft_au32 busy;
	weft_au32 again;
};

/*
 * Requests the task `job`: runs it in this thread or, if another thread is
 * running it, makes that thread run it once more. Returns the sum of the
 * results of the runs in this thread.
 */
static inline int weft_coalesced_task_run(struct weft_coalesced_task *s,
					  int (*job)(void *arg), void *arg)
{
	uint32_t idle;
	int n = 0;

	/* seq_cst here and below: for the race described above */
	atomic_store_explicit(&s->again, 1, memory_order_seq_cst);
	do {
		idle = 0;
		/*
		 * acquires the writes of the thread that previously ran the
		 * task
		 */
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

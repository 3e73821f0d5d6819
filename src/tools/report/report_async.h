/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second thread for work that overlaps with the work of the caller: the ranks
 * have exited, so the other processors are idle. If no thread can be created,
 * report_async_join() does the work itself.
 *
 *   report_async_start -> report_async_join
 *
 * report_async_join() of a zeroed structure does nothing.
 */
#ifndef WEFT_REPORT_ASYNC_H
#define WEFT_REPORT_ASYNC_H

#include <pthread.h>
#include <stdbool.h>

struct report_async {
	/* function of the work; NULL: the work is complete */
	void (*work)(void *arg);
	void *arg;
	pthread_t thread;
	bool no_thread; /* no thread could be created */
};

/*
 * Starts the work in a second thread. b and arg must stay valid until
 * report_async_join().
 */
void report_async_start(struct report_async *b, void (*work)(void *arg),
			void *arg);
void report_async_join(struct report_async *b);

#endif

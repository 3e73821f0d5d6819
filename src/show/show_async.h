/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second thread for work that can overlap with other work: the ranks have
 * exited, so the other processors are idle. If no thread can be created,
 * show_async_join() does the work itself.
 *
 *   show_async_start -> show_async_join
 *
 * show_async_join() of a zeroed structure does nothing.
 */
#ifndef WEFT_SHOW_ASYNC_H
#define WEFT_SHOW_ASYNC_H

#include <pthread.h>
#include <stdbool.h>

struct show_async {
	void (*work)(void *arg); /* NULL: complete */
	void *arg;
	pthread_t thread;
	bool no_thread; /* no thread could be created */
};

/* b and arg must stay valid until show_async_join(). */
void show_async_start(struct show_async *b, void (*work)(void *arg), void *arg);
void show_async_join(struct show_async *b);

#endif

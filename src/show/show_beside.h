/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second thread for work that can overlap with other work: the ranks have
 * exited, so the other processors are idle. If no thread can be created,
 * show_beside_end() does the work itself.
 *
 *   show_beside_begin -> show_beside_end
 *
 * show_beside_end() of a zeroed structure does nothing.
 */
#ifndef WEFT_SHOW_BESIDE_H
#define WEFT_SHOW_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct show_beside {
	void (*work)(void *arg); /* NULL: complete */
	void *arg;
	pthread_t who;
	bool alone; /* no thread could be created */
};

/* b and arg must stay valid until show_beside_end(). */
void show_beside_begin(struct show_beside *b, void (*work)(void *arg),
		       void *arg);
void show_beside_end(struct show_beside *b);

#endif

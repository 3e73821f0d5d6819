/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that is done beside other work: when the ranks are gone, the other
 * processors have nothing to do. Where no thread can be had it is done by
 * whoever waits for it.
 *
 *   show_beside_begin -> show_beside_end; all 0: there is nothing to wait for
 */
#ifndef WEFT_SHOW_BESIDE_H
#define WEFT_SHOW_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct show_beside {
	void (*work)(void *arg); /* NULL: it is over */
	void *arg;
	pthread_t who;
	bool alone; /* there is no thread for it */
};

/* b and arg stay where they are until the end. */
void show_beside_begin(struct show_beside *b, void (*work)(void *arg),
		       void *arg);
void show_beside_end(struct show_beside *b);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* See show_async.h. */
#include "src/show/show_async.h"

#include <stddef.h>

static void *run(void *arg)
{
	struct show_async *b = arg;

	b->work(b->arg);
	return NULL;
}

void show_async_start(struct show_async *b, void (*work)(void *arg), void *arg)
{
	b->work = work;
	b->arg = arg;
	b->no_thread = pthread_create(&b->thread, NULL, run, b) != 0;
}

void show_async_join(struct show_async *b)
{
	if (!b->work)
		return;
	if (b->no_thread)
		b->work(b->arg);
	else
		pthread_join(b->thread, NULL);
	b->work = NULL;
}

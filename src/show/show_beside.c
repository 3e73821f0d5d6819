/* SPDX-License-Identifier: BSD-3-Clause */
/* See show_beside.h. */
#include "src/show/show_beside.h"

#include <stddef.h>

static void *run(void *arg)
{
	struct show_beside *b = arg;

	b->work(b->arg);
	return NULL;
}

void show_beside_begin(struct show_beside *b, void (*work)(void *arg),
		       void *arg)
{
	b->work = work;
	b->arg = arg;
	b->alone = pthread_create(&b->who, NULL, run, b) != 0;
}

void show_beside_end(struct show_beside *b)
{
	if (!b->work)
		return;
	if (b->alone)
		b->work(b->arg);
	else
		pthread_join(b->who, NULL);
	b->work = NULL;
}

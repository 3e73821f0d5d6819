/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in a second thread (report_async.h). */
#include "src/tools/report/report_async.h"

#include <stddef.h>

static void *async_run(void *arg)
{
	struct report_async *b = arg;

	b->work(b->arg);
	return NULL;
}

void report_async_start(struct report_async *b, void (*work)(void *arg),
			void *arg)
{
	b->work = work;
	b->arg = arg;
	b->no_thread = pthread_create(&b->thread, NULL, async_run, b) != 0;
}

void report_async_join(struct report_async *b)
{
	if (!b->work)
		return;
	if (b->no_thread)
		b->work(b->arg);
	else
		pthread_join(b->thread, NULL);
	b->work = NULL;
}

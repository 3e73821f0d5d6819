/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of message requests without messages: a request that starts and
 * completes inside one call does so under the lock. The functions below are
 * stubs.
 */
#include "src/msg/msg_ack.h"
#include "src/core/core_lock.h"
#include "src/msg/msg.h"

#include "test/t.h"

#include <stdlib.h>

#define THREADS 4

struct weft_core weft_core;
bool weft_threads = true;
weft_au32 weft_completed;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

static int starts; /* number of operations that each thread starts */

void weft_req_init(struct weft_req *r, const struct weft_req_ops *ops,
		   struct weft_comm *comm, uint32_t flags)
{
	r->ops = ops;
	r->flags = flags;
}

int weft_p2p_step(struct weft_req *r)
{
	return 1;
}

void weft_p2p_wait(struct weft_req *r)
{
}

int weft_req_no_query(struct weft_req *r, MPI_Status *status)
{
	return 0;
}

void weft_req_orphaned(struct weft_req *r)
{
	abort();
}

bool weft_retry_remove(struct weft_retry *e)
{
	return false;
}

void weft_ctrl_cancel_expected(struct weft_p2p *p)
{
}

int weft_ctrl_cancel(struct weft_p2p *p)
{
	return 0;
}

void weft_comm_put(struct weft_comm *comm)
{
}

void weft_dt_put(struct weft_dt *dt)
{
}

void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r))
{
}

void weft_persist_remove(struct weft_persist *p)
{
}

static void *start_to_proc_null(void *arg)
{
	struct weft_p2p p = { .peer = MPI_PROC_NULL };
	int i;

	for (i = 0; i < starts; i++) {
		if (weft_p2p_ops.start(&p.req) || !weft_req_is_done(&p.req))
			abort();
	}
	return NULL;
}

/* A thread that blocks until a completion relies on the count. */
static void every_completion_of_every_thread_is_counted(void **state)
{
	char arg[THREADS];

	starts = t_scale(2000000);
	t_threads(THREADS, start_to_proc_null, arg, 1);
	T_IS(weft_load32(&weft_completed), THREADS * starts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_completion_of_every_thread_is_counted),
	};

	return T_RUN(tests);
}

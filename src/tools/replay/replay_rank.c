/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoint of a rank, and its progress. Polls and waits follow the progress
 * loop of the library (src/msg/msg_progress.c) and the completion queue of the
 * provider (prov/ofi/queue/weft_cq.c), because a series of polls without result
 * takes virtual time.
 */
#include "src/tools/replay/replay_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define BATCH  16 /* maximum number of completions per poll of the library */
#define BUDGET 64 /* maximum number of packets per poll of the provider */

struct replay_job replay_job;

void replay_fail(const char *form, ...)
{
	va_list ap;

	fprintf(stderr, "weft-sim: ");
	va_start(ap, form);
	vfprintf(stderr, form, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

/* ---- completions --------------------------------------------------------- */

void replay_rank_done(struct replay_rank *r, struct replay_op *op)
{
	weft_list_push_back(&r->done, &op->link);
	r->done_count++;
}

static void op_done(void *arg, struct weft_nic_op *nop)
{
	struct replay_rank *r = arg;
	struct replay_op *op = nop->context;

	op->err = nop->err;
	op->got_tag = nop->tag;
	op->got_bytes = nop->len;
	replay_rank_done(r, op);
}

static int no_region(void *arg, const struct weft_mem_access *want, void **at_p,
		     void **region_p)
{
	(void)arg;
	(void)want;
	(void)at_p;
	(void)region_p;
	return -ENOKEY;
}

static void no_event(void *arg, struct weft_nic_op *op, void *region)
{
	(void)arg;
	(void)op;
	(void)region;
}

static const struct weft_nic_up up = {
	.done = op_done,
	.region = no_region,
	.event = no_event,
};

int replay_rank_open(struct replay_rank *r)
{
	struct replay_job *j = &replay_job;
	struct weft_nic_attr attr = {
		.machine = j->machine,
		.carrier = &weft_carrier_vt,
		.up = &up,
		.up_arg = r,
		.eager_bytes = j->opt.eager,
		.node = -1,
		.world = j->world,
	};
	int err;

	weft_list_init(&r->done);
	weft_list_init(&r->retry);
	weft_list_init(&r->steps);
	weft_list_init(&r->routes);
	weft_vt_host_rank(j->world, r->rank);
	weft_vt_name(j->world, r->rank, &attr.name);
	err = weft_nic_open(&attr, &r->nic);
	if (err)
		return err;
	r->carrier = weft_nic_carrier(r->nic);
	r->world = replay_world_open(r);
	return r->world ? 0 : -ENOMEM;
}

struct weft_peer *replay_peer(struct replay_rank *r, uint32_t rank)
{
	struct weft_peer *peer = NULL;
	union weft_name name;

	weft_vt_name(replay_job.world, rank, &name);
	return r->carrier->ops->peer(r->carrier, &name, &peer) ? NULL : peer;
}

/* ---- progress ------------------------------------------------------------ */

static void poll_nic(struct replay_rank *r)
{
	weft_nic_poll(r->nic, BUDGET);
	replay_routes_poll(r);
}

static void dispatch(struct replay_op *op)
{
	op->req.bytes = (MPI_Count)op->got_bytes;
	weft_req_complete(&op->req, op->err);
	if (op->free_when_done)
		op->req.ops->free(&op->req);
}

/*
 * Completes the requests of up to BATCH entries. Returns their number. *some_p:
 * whether one of them is not a probe without a message. The provider counts in
 * the same way: a loop of such probes is a series of polls without result.
 */
static int take(struct replay_rank *r, bool *some_p)
{
	int n = 0;

	*some_p = false;
	while (n < BATCH && r->done_count) {
		struct weft_list *l = weft_list_pop_front(&r->done);
		struct replay_op *op =
			weft_container_of(l, struct replay_op, link);

		r->done_count--;
		n++;
		*some_p |= op->err != -ENOMSG;
		dispatch(op);
	}
	return n;
}

static void check_verdict(struct replay_rank *r, int err)
{
	if (weft_likely(!err))
		return;
	if (err == -EDEADLK)
		replay_rank_stuck();
	replay_fail("rank %u: the model has failed (%d)", r->rank, -err);
}

int replay_progress(void)
{
	struct replay_rank *r = replay_me;
	const struct weft_backend *b = r->carrier->ops->backend;
	/* relaxed: one thread */
	uint32_t before = weft_load32_relaxed(&weft_completed);
	bool some;
	int n;

	if (r->done_count < BATCH)
		poll_nic(r);
	n = take(r, &some);
	if (some)
		b->completed(r->carrier);
	else if (!n)
		check_verdict(r, b->verdict(r->carrier));
	n += weft_load32_relaxed(&weft_completed) != before;
	if (weft_unlikely(!weft_list_empty(&r->retry)))
		n += replay_retry_run(r);
	if (weft_unlikely(!weft_list_empty(&r->steps)))
		n += replay_steps_run(r);
	return n;
}

void replay_block(uint32_t mark)
{
	struct replay_rank *r = replay_me;
	bool some;
	int err = 0;

	/* relaxed: one thread */
	if (weft_load32_relaxed(&weft_completed) != mark)
		return;
	for (;;) {
		poll_nic(r);
		if (r->done_count || r->signalled)
			break;
		err = r->carrier->ops->wait(r->carrier, UINT64_MAX);
		if (err && err != -ETIMEDOUT)
			break;
	}
	if (take(r, &some))
		return;
	r->signalled = false;
	if (err != -EAGAIN && err != -ETIMEDOUT)
		check_verdict(r, err);
}

void replay_wait_until(bool (*holds)(void *arg), void *arg)
{
	/* relaxed: one thread */
	uint32_t mark = weft_load32_relaxed(&weft_completed);

	while (!holds(arg)) {
		if (!replay_progress())
			replay_block(mark);
		mark = weft_load32_relaxed(&weft_completed);
	}
}

void replay_rank_stuck(void)
{
	replay_me->stuck = true;
	replay_job.stuck++;
	weft_vt_leave(replay_me->carrier);
	for (;;)
		replay_fiber_park(NULL);
}

/* ---- clock --------------------------------------------------------------- */

uint64_t replay_clock_ps(void)
{
	struct weft_carrier *c = replay_me->carrier;

	return c->ops->backend->now_ps(c, false);
}

void replay_compute(uint64_t ps)
{
	struct weft_carrier *c = replay_me->carrier;

	if (ps)
		c->ops->backend->compute(c, ps);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of recorded programs, and the three modes of a collective.
 * Schedules are allocated from a pool with the core lock held.
 */
#include "coll/coll_sched.h"

#include "coll/coll_device.h"
#include "src/offload/offload_device.h"
#include "coll/coll_select.h"
#include "coll/coll_shared.h"
#include "src/base/pool.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"

#include <errno.h>

static struct weft_pool sched_pool;

static int req_start(struct weft_req *r);
static int req_step(struct weft_req *r);
static void req_free(struct weft_req *r);

static const struct weft_req_ops sched_ops = {
	.name = "collective",
	.start = req_start,
	.cancel = weft_req_no_cancel,
	.step = req_step,
	.query = weft_req_no_query,
	.free = req_free,
};

static struct coll_sched *sched_alloc(void)
{
	struct coll_sched *s;

	weft_lock();
	if (!sched_pool.obj_bytes)
		weft_pool_init(&sched_pool, sizeof(*s));
	s = weft_pool_get(&sched_pool);
	weft_unlock();
	return s;
}

struct coll_sched *coll_sched_open(const struct weft_coll_args *a,
				   uint32_t flags)
{
	struct coll_sched *s = sched_alloc();

	if (!s)
		return NULL;
	/* WEFT_REQ_SEND: the status is empty, as for a send */
	weft_req_init(&s->req, &sched_ops, a->comm, flags | WEFT_REQ_SEND);
	weft_comm_get(a->comm);
	if (flags & WEFT_REQ_PERSISTENT)
		weft_persist_add(&s->persist, &s->req, NULL);
	s->op = a->op ? weft_op_get(a->op) : NULL;
	s->route = a->route;
	s->pc = 0;
	coll_prog_init(&s->prog, a, true);
	coll_prog_steps_set(&s->prog, s->steps, COLL_SCHED_STEPS);
	return s;
}

void coll_sched_close(struct coll_sched *s)
{
	struct weft_comm *comm = s->req.comm;

	if (s->req.flags & WEFT_REQ_PERSISTENT)
		weft_persist_remove(&s->persist);
	coll_prog_fini(&s->prog);
	if (s->op)
		weft_op_put(s->op);
	weft_route_close(s->route);
	s->req.obj.kind = WEFT_KIND_FREE;
	weft_lock();
	weft_pool_put(&sched_pool, s);
	weft_unlock();
	weft_comm_put(comm);
}

int coll_sched_step(struct coll_sched *s)
{
	struct coll_prog *p = &s->prog;

	for (; s->pc < p->nstep; s->pc++)
		if (!coll_step_do(p, &p->step[s->pc]))
			return 0;
	return p->err ? p->err : 1;
}

/* Resets the state of the last execution; the steps are kept. */
static void sched_rewind(struct coll_sched *s)
{
	s->pc = 0;
	s->prog.nmsg = 0;
	s->prog.waited = 0;
	s->prog.err = 0;
}

void coll_sched_start(struct coll_sched *s)
{
	sched_rewind(s);
	s->req.error = 0;
	/* relaxed: the request is inactive, so no thread waits for it */
	weft_store32_relaxed(&s->req.done, 0);
	s->req.flags |= WEFT_REQ_ACTIVE;
	/*
	 * The caller executes the first steps, so that operations are posted to
	 * the collective unit in the order of the calls, whichever thread
	 * executes the other steps.
	 */
	coll_sched_step(s);
	weft_progress_add(&s->req);
}

static int req_start(struct weft_req *r)
{
	coll_sched_start(weft_container_of(r, struct coll_sched, req));
	return 0;
}

static int req_step(struct weft_req *r)
{
	return coll_sched_step(weft_container_of(r, struct coll_sched, req));
}

static void req_free(struct weft_req *r)
{
	coll_sched_close(weft_container_of(r, struct coll_sched, req));
}

/* ---- blocking, nonblocking, persistent ---- */

int weft_coll_run(const struct weft_coll_args *a)
{
	int rc;

	if (weft_unlikely(weft_core.device_shared || weft_device_used())) {
		if (coll_direct_possible(a) && coll_direct_run(a, &rc))
			return rc;
		if (coll_on_device(a))
			return coll_device_run(a);
	}
	return coll_run_host(a);
}

int coll_run_host(const struct weft_coll_args *a)
{
	const struct coll_algo *row;
	struct weft_coll_args b;
	struct coll_prog p;
	int rc;

	if (coll_unit_run(a, &rc))
		return rc;
	coll_unit_join(a->comm);
	if (coll_exact_requested(a)) {
		rc = coll_exact_join(a, true);
		if (rc)
			return rc;
	}
	b = *a;
	b.blocks = true;
	coll_prog_init(&p, &b, false);
	row = coll_select(&b);
	if (row->need & COLL_SHARED && !coll_shared_prepare(&p, &b)) {
		b.blocks = false; /* select a row without shared memory */
		row = coll_select(&b);
	}
	row->fn(&p, &b);
	coll_wait_all(&p);
	coll_prog_fini(&p);
	return p.err;
}

static int sched_record(const struct weft_coll_args *a, uint32_t flags,
			struct coll_sched **s_p)
{
	struct coll_sched *s;
	int rc = coll_exact_requested(a) ? coll_exact_join(a, false) : 0;

	if (rc)
		return rc;
	s = coll_sched_open(a, flags);
	if (!s)
		return -ENOMEM;
	coll_select(a)->fn(&s->prog, a);
	coll_wait_all(&s->prog);
	rc = s->prog.err;
	if (rc) {
		coll_sched_close(s);
		return rc;
	}
	*s_p = s;
	return 0;
}

int weft_coll_start(const struct weft_coll_args *a, struct weft_req **req_p)
{
	struct coll_sched *s;
	int rc;

	if (weft_device_used() && coll_on_device(a))
		return coll_device_start(a, req_p);
	if (coll_unit_start(a, req_p, &rc))
		return rc;
	coll_unit_begin(a->comm);
	rc = sched_record(a, 0, &s);
	if (rc)
		return rc;
	*req_p = &s->req;
	coll_sched_start(s);
	return 0;
}

int weft_coll_init(const struct weft_coll_args *a, struct weft_req **req_p)
{
	struct weft_coll_args any = *a;
	struct coll_sched *s;
	int rc;

	if (weft_device_used() && coll_on_device(a))
		return coll_device_init(a, req_p);
	any.any_order = true;
	any.route = coll_unit_private_route(a);
	rc = sched_record(&any, WEFT_REQ_PERSISTENT, &s);
	if (!rc)
		*req_p = &s->req;
	return rc;
}

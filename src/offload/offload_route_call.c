/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective calls on a route. In a process with one thread calls have no CQ
 * entries: the provider works in the caller's memory, which is the stack of a
 * waiting caller, or the request. With threads, for nonblocking calls in
 * virtual time, and with providers without the extension, the collective calls
 * of libfabric are used.
 */
#include "src/offload/offload_route_call.h"

#include "src/base/attr.h"
#include "src/base/pool.h"
#include "src/boot/boot_abort.h"
#include "src/diag/diag_deadlock.h"
#include "src/core/core_fi.h"
#include "src/core/core_io.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/core/core_state.h"
#include "src/msg/msg_wait.h"
#include "src/boot/boot_world.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"

#include <errno.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>

struct call_req {
	struct weft_req req;
	struct weft_route *route;
	union {
		/* provider's state of a call without CQ entry */
		struct fi_weft_work work;
		struct weft_io io; /* libfabric call with CQ entry */
	};
};

static struct weft_pool call_reqs;

/* ---- types and operations ------------------------------------------------ */

bool weft_route_supports(const struct weft_op *op, const struct weft_dt *dt)
{
	return dt->basic < WEFT_NUM_WORDS &&
	       WEFT_NUM_GROUP_OPS >> op->num & 1 && op->row[dt->basic];
}

void weft_route_reduction(struct weft_coll_call *call, const struct weft_op *op,
			  const struct weft_dt *dt)
{
	call->type = (uint8_t)dt->basic;
	call->op = op->num;
}

void weft_route_calls_open(void)
{
	weft_pool_init(&call_reqs, sizeof(struct call_req));
}

void weft_route_calls_close(void)
{
	weft_pool_fini(&call_reqs);
}

/* ---- waiting ------------------------------------------------------------- */

/*
 * Converts an error of a route to -errno of the core: -EIO, which means that
 * members made different calls, becomes -EPROTO.
 */
static int call_errno(int rc)
{
	return rc == -EIO ? -EPROTO : rc;
}

static uint64_t oversubscribed_flag(void)
{
	return weft_core.oversubscribed ? FI_WEFT_OVERSUBSCRIBED : 0;
}

/* Ends the job after a deadlock in virtual time or a failure of the model. */
static WEFT_COLD void virtual_time_ended(const struct weft_route *r, int rc)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	w.comm = r->comm;
	w.seq = (int)weft_load32(&r->comm->coll_seq) - 1;
	if (rc == -EDEADLK)
		weft_deadlock_report(&w);
	if (rc == -EHOSTDOWN)
		weft_world_halt();
	weft_core_abort(1, "the fabric failed: %s", fi_strerror(-rc));
}

/* timeout in ms while requests are stepped: an event may need many steps */
#define STEP_MS 1

static int finish_timeout(void)
{
	/* relaxed: a hint */
	if (weft_unlikely(weft_load32_relaxed(&weft_core.stepping)) &&
	    !weft_core.traits.waits_end)
		return STEP_MS;
	return weft_progress_timeout(-1);
}

/* Waits for a call; rc: result of starting the call. Returns 0 or -errno. */
static WEFT_HOT int call_finish(struct weft_route *r, struct fi_weft_work *work,
				int rc)
{
	if (rc == -FI_EINPROGRESS)
		rc = r->ops->wait(&r->mc->fid, work, finish_timeout());
	while (weft_unlikely(rc == -FI_EAGAIN)) {
		weft_progress();
		rc = r->ops->wait(&r->mc->fid, work, finish_timeout());
	}
	if (weft_unlikely(rc == -EDEADLK || rc == -EOWNERDEAD ||
			  rc == -EHOSTDOWN || rc == -ENETDOWN))
		virtual_time_ended(r, rc);
	return weft_likely(!rc) ? 0 : call_errno(weft_fi_errno(rc));
}

/* ---- requests ------------------------------------------------------------ */

static void req_work_done(struct fi_weft_work *work, int err)
{
	struct call_req *q = weft_container_of(work, struct call_req, work);

	weft_req_complete(&q->req, call_errno(weft_fi_errno(-err)));
}

static void req_work_wait(struct weft_req *r)
{
	struct call_req *q = weft_container_of(r, struct call_req, req);

	call_finish(q->route, &q->work, -FI_EINPROGRESS);
}

static void req_io_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err)
{
	struct call_req *q = weft_container_of(io, struct call_req, io);

	weft_req_complete(&q->req, call_errno(err));
}

/* Takes no lock: there is only one thread. */
static void req_work_free(struct weft_req *r)
{
	struct weft_comm *comm = r->comm;

	r->obj.kind = WEFT_KIND_FREE;
	weft_pool_put(&call_reqs, weft_container_of(r, struct call_req, req));
	weft_comm_put(comm);
}

static void req_io_free(struct weft_req *r)
{
	struct weft_comm *comm = r->comm;

	r->obj.kind = WEFT_KIND_FREE;
	weft_lock();
	weft_pool_put(&call_reqs, weft_container_of(r, struct call_req, req));
	weft_unlock();
	weft_comm_put(comm);
}

static const struct weft_req_ops req_work_ops = {
	.name = "collective",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.wait = req_work_wait,
	.query = weft_req_no_query,
	.free = req_work_free,
};

static const struct weft_req_ops req_io_ops = {
	.name = "collective",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = req_io_free,
};

/* Returns a new request, or NULL: no memory. Requires the lock. */
WEFT_INLINE struct call_req *req_make(struct weft_route *r,
				      const struct weft_req_ops *ops)
{
	struct call_req *q = weft_pool_get(&call_reqs);

	if (weft_unlikely(!q))
		return NULL;
	/* marked as a send, because it returns an empty status */
	weft_req_init(&q->req, ops, r->comm, WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
	q->route = r;
	return q;
}

/* ---- posting ------------------------------------------------------------- */

/*
 * Posts a call that works in the request's memory. Returns 0, -errno, or
 * -ENOSYS: not possible, and nothing was done.
 */
static int post_work(struct weft_route *r, const struct weft_coll_call *call,
		     struct weft_req **req_p)
{
	struct call_req *q;
	int rc;

	if (weft_unlikely(weft_threads || weft_core.traits.reports_waits))
		return -ENOSYS;
	q = req_make(r, &req_work_ops);
	if (!q)
		return -ENOMEM;
	q->work.call = *call;
	rc = r->ops->begin(&r->mc->fid, &q->work, oversubscribed_flag(),
			   req_work_done);
	if (rc && rc != -FI_EINPROGRESS) {
		weft_pool_put(&call_reqs, q);
		return rc == -FI_ENOSYS ? -ENOSYS : weft_fi_errno(rc);
	}
	weft_comm_get(r->comm);
	if (!rc)
		weft_req_complete(&q->req, 0);
	*req_p = &q->req;
	return 0;
}

/* Makes the libfabric call, in which the root is identified by its address. */
static ssize_t fi_call(const struct weft_route *r,
		       const struct weft_coll_call *c, void *context)
{
	fi_addr_t to = fi_mc_addr(r->mc);
	fi_addr_t root = weft_core.proc[r->comm->proc[c->root]].real;
	bool exact = c->type == WEFT_COLL_EXACT;
	enum fi_datatype type = exact ? FI_DOUBLE : (enum fi_datatype)c->type;
	uint64_t flags = exact ? FI_WEFT_EXACT : 0;
	enum fi_op op = (enum fi_op)c->op;
	struct fid_ep *ep = weft_core.ep;

	switch (c->kind) {
	case WEFT_COLL_BARRIER:
		return fi_barrier(ep, to, context);
	case WEFT_COLL_BCAST:
		return fi_broadcast(ep, c->out, c->count, NULL, to, root, type,
				    flags, context);
	case WEFT_COLL_REDUCE:
		return fi_reduce(ep, c->in, c->count, NULL, c->out, NULL, to,
				 root, type, op, flags, context);
	case WEFT_COLL_ALLREDUCE:
		return fi_allreduce(ep, c->in, c->count, NULL, c->out, NULL, to,
				    type, op, flags, context);
	case WEFT_COLL_ALLGATHER:
		return fi_allgather(ep, c->in, c->count, NULL, c->out, NULL, to,
				    type, flags, context);
	case WEFT_COLL_ALLTOALL:
		return fi_alltoall(ep, c->in, c->count, NULL, c->out, NULL, to,
				   type, flags, context);
	case WEFT_COLL_REDUCE_SCATTER:
		return fi_reduce_scatter(ep, c->in, c->count, NULL, c->out,
					 NULL, to, type, op, flags, context);
	case WEFT_COLL_GATHER:
		return fi_gather(ep, c->in, c->count, NULL, c->out, NULL, to,
				 root, type, flags, context);
	case WEFT_COLL_SCATTER:
		return fi_scatter(ep, c->in, c->count, NULL, c->out, NULL, to,
				  root, type, flags, context);
	default:
		return -FI_EINVAL;
	}
}

static int post_fi(struct weft_route *r, const struct weft_coll_call *call,
		   struct weft_req **req_p)
{
	ssize_t rc = -FI_ENOMEM;
	struct call_req *q;

	weft_lock();
	q = req_make(r, &req_io_ops);
	if (q) {
		q->io.done = req_io_done;
		rc = fi_call(r, call, &q->io);
		if (rc)
			weft_pool_put(&call_reqs, q);
		else
			weft_comm_get(r->comm);
	}
	weft_unlock();
	*req_p = rc ? NULL : &q->req;
	return rc ? weft_fi_errno((int)rc) : 0;
}

int weft_route_post(struct weft_route *r, const struct weft_coll_call *call,
		    struct weft_req **req_p)
{
	int rc = post_work(r, call, req_p);

	return rc == -ENOSYS ? post_fi(r, call, req_p) : rc;
}

/* ---- blocking calls ------------------------------------------------------ */

static int run_posted(struct weft_route *r, const struct weft_coll_call *call)
{
	struct weft_req *req;
	int rc = weft_route_post(r, call, &req);

	if (rc)
		return rc;
	weft_req_wait(req);
	return weft_req_collect(&req, MPI_STATUS_IGNORE);
}

int weft_route_run(struct weft_route *r, const struct weft_coll_call *call)
{
	struct fi_weft_work work;
	int rc;

	if (weft_unlikely(weft_threads))
		return run_posted(r, call);
	work.call = *call;
	rc = r->ops->begin(&r->mc->fid, &work, oversubscribed_flag(), NULL);
	if (rc == -FI_ENOSYS)
		return run_posted(r, call);
	return weft_likely(!rc) ? 0 : call_finish(r, &work, rc);
}

/* ---- fast paths ---------------------------------------------------------- */

/* Executes work->call, or posts it if req_p is not NULL. */
WEFT_HOT static int fast_run(struct weft_route *r, struct fi_weft_work *work,
			     struct weft_req **req_p)
{
	int rc;

	if (req_p)
		return post_work(r, &work->call, req_p);
	rc = r->ops->begin(&r->mc->fid, work, oversubscribed_flag(), NULL);
	if (weft_unlikely(weft_core.traits.reports_waits) && rc != -FI_ENOSYS)
		weft_comm_next_tag(r->comm);
	if (weft_likely(!rc))
		return 0;
	return rc == -FI_ENOSYS ? -ENOSYS : call_finish(r, work, rc);
}

WEFT_HOT int weft_route_barrier(struct weft_route *r, struct weft_req **req_p)
{
	struct fi_weft_work work;

	if (weft_unlikely(weft_threads))
		return -ENOSYS;
	work.call.kind = WEFT_COLL_BARRIER;
	return fast_run(r, &work, req_p);
}

WEFT_HOT int weft_route_allreduce(struct weft_route *r, const void *in,
				  void *out, MPI_Count count, MPI_Datatype type,
				  MPI_Op op, struct weft_req **req_p)
{
	const struct weft_dt *dt = weft_dt_of(type);
	const struct weft_op *o = weft_op_of(op);
	struct fi_weft_work work;

	if (weft_unlikely(!dt || !o || !weft_route_supports(o, dt) ||
			  (uint64_t)count - 1 >= WEFT_ROUTE_FAST_ELEMS ||
			  weft_threads))
		return -ENOSYS;
	work.call.kind = WEFT_COLL_ALLREDUCE;
	weft_route_reduction(&work.call, o, dt);
	work.call.root = 0;
	work.call.in = in;
	work.call.out = out;
	work.call.count = (size_t)count;
	return fast_run(r, &work, req_p);
}

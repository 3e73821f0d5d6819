/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of the provider's collective unit, and calls on them. */
#include "src/core/core_abort.h"
#include "src/core/core_fi.h"
#include "src/core/core_meet.h"
#include "src/core/core_unit_int.h"

#include "src/base/attr.h"
#include "src/types/types_dt.h"
#include "src/core/core_io.h"
#include "src/types/types_op.h"
#include "src/core/core_progress.h"
#include "src/core/core_req.h"
#include "src/core/core_state.h"
#include "src/core/core_deadlock.h"
#include "src/core/core_wait.h"
#include "src/core/core_wire_up.h"

#include <errno.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <stdlib.h>

#define UNIT_PEND_MS 20

/* A request of the unit. */
struct unit_req {
	struct weft_req req;
	struct weft_io io;
};

static struct fid_eq *unit_eq; /* NULL: the provider has no unit */
static struct weft_pool unit_reqs;

int weft_unit_open(void)
{
	struct weft_core *c = &weft_core;
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE };
	int rc;

	if (!(c->info->caps & FI_COLLECTIVE))
		return 0;
	weft_pool_init(&unit_reqs, sizeof(struct unit_req));
	weft_short_open();
	weft_later_open();
	rc = fi_eq_open(c->fabric, &attr, &unit_eq, NULL);
	return rc ? rc : fi_ep_bind(c->ep, &unit_eq->fid, 0);
}

void weft_unit_close(void)
{
	if (!unit_eq)
		return;
	fi_close(&unit_eq->fid);
	unit_eq = NULL;
	weft_pool_fini(&unit_reqs);
	weft_later_close();
}

/* ---- joining ------------------------------------------------------------ */

bool weft_unit_here(void)
{
	return unit_eq;
}

static int route_set(struct weft_route *r, uint64_t salt)
{
	struct weft_comm *comm = r->comm;
	/* the context: threads may join equal groups in any order */
	const uint64_t key[2] = { comm->ctx, salt };
	struct fi_av_set_attr attr = { .start_addr = FI_ADDR_NOTAVAIL,
				       .end_addr = FI_ADDR_NOTAVAIL,
				       .comm_key = (uint8_t *)&key,
				       .comm_key_size = sizeof(key) };
	int rc = fi_av_set(weft_core.av, &attr, &r->set, NULL);

	for (int i = 0; !rc && i < comm->size; i++) {
		int proc = comm->proc[i];

		rc = weft_wire_reach(proc);
		if (!rc)
			rc = fi_av_set_insert(r->set,
					      weft_core.proc[proc].real);
	}
	return rc;
}

/* Notes the joins that are over; whichever thread reads, all are noted. */
static void route_events(void)
{
	struct fi_eq_err_entry err = { 0 };
	struct weft_route *r;
	struct fi_eq_entry e;
	uint32_t event;
	ssize_t n;

	weft_lock();
	n = fi_eq_read(unit_eq, &event, &e, sizeof(e), 0);
	if (n == sizeof(e) && event == FI_JOIN_COMPLETE) {
		r = e.context;
		weft_store32(&r->joined, 1);
	} else if (n == -FI_EAVAIL && fi_eq_readerr(unit_eq, &err, 0) > 0) {
		r = err.context;
		weft_store32(&r->joined, 2);
	}
	weft_unlock();
}

static void route_free(struct weft_route *r)
{
	if (r->mc)
		fi_close(&r->mc->fid);
	if (r->set)
		fi_close(&r->set->fid);
	free(r);
}

int weft_route_open(struct weft_comm *comm, uint64_t salt, bool software,
		    struct weft_route **r_p)
{
	struct weft_route *r;
	fi_addr_t addr;
	int rc;

	if (!unit_eq || comm->inter || comm->size < 2)
		return -EOPNOTSUPP;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->comm = comm;
	weft_lock();
	rc = route_set(r, salt);
	if (!rc)
		rc = fi_av_set_addr(r->set, &addr);
	if (!rc)
		rc = fi_join_collective(weft_core.ep, addr, r->set,
					software ? FI_WEFT_SOFTWARE : 0, &r->mc,
					r);
	if (rc)
		route_free(r);
	else if (!weft_core.joining++)
		weft_progress_hurry();
	weft_unlock();
	if (!rc)
		*r_p = r;
	return rc ? weft_fi_errno(rc) : 0;
}

/* ---- of a provider that has collectives, but not our extension ---- */

static int no_route(struct fid *fid, struct fi_weft_route *route)
{
	return -FI_ENOSYS;
}

static int no_begin(struct fid *fid, const struct fi_weft_call *call,
		    struct fi_weft_work *work)
{
	return -FI_ENOSYS;
}

static int no_wait(struct fid *fid, struct fi_weft_work *work, int timeout_ms)
{
	return -FI_ENOSYS;
}

static struct fi_weft_routes no_routes = {
	.size = sizeof(no_routes),
	.route = no_route,
	.begin = no_begin,
	.wait = no_wait,
};

/* What became of it is asked once. */
static void route_look(struct weft_route *r)
{
	weft_lock();
	if (!r->ops) {
		weft_core.joining--;
		if (fi_open_ops(&r->mc->fid, FI_WEFT_ROUTES, 0,
				(void **)&r->ops, NULL))
			r->ops = &no_routes;
		if (r->ops->route(&r->mc->fid, &r->info))
			r->info.id = -1;
	}
	weft_unlock();
}

enum weft_route_state weft_route_state(struct weft_route *r)
{
	if (!weft_load32(&r->joined))
		route_events();
	if (!weft_load32(&r->joined))
		return WEFT_ROUTE_JOINING;
	route_look(r);
	if (weft_load32(&r->joined) != 1)
		return WEFT_ROUTE_FAILED;
	return r->info.id >= 0 ? WEFT_ROUTE_REAL : WEFT_ROUTE_MESSAGES;
}

bool weft_route_turn(struct weft_route *r, uint32_t *turn)
{
	bool joining = weft_route_state(r) == WEFT_ROUTE_JOINING;
	bool first;

	weft_lock();
	if (!*turn && (joining || r->held != r->passed))
		*turn = ++r->held;
	first = !*turn || *turn == r->passed + 1;
	weft_unlock();
	return first && !joining;
}

void weft_route_pass(struct weft_route *r, uint32_t *turn)
{
	if (!*turn)
		return;
	*turn = 0;
	weft_lock();
	r->passed++;
	weft_unlock();
}

static bool route_is_busy(struct weft_route *r)
{
	bool held;

	weft_lock();
	held = r->held != r->passed;
	weft_unlock();
	return held || weft_route_state(r) == WEFT_ROUTE_JOINING;
}

/*
 * The provider ends a sleep on completions when a join is over, and the time is
 * for the case that it does not: a thousand ranks that wake every millisecond
 * leave nobody the time to join.
 */
enum weft_route_state weft_route_wait(struct weft_route *r)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	w.comm = r->comm;
	w.seq = (int)weft_load32(&r->comm->coll_seq);
	weft_idle_show(&w);
	while (route_is_busy(r)) {
		if (!weft_progress())
			weft_progress_sleep(w.mark, UNIT_PEND_MS);
		w.mark = weft_load32(&weft_completed);
	}
	weft_idle_hide(&w);
	return weft_route_state(r);
}

void weft_route_close(struct weft_route *r)
{
	if (!r)
		return;
	weft_route_wait(r);
	weft_lock();
	route_free(r);
	weft_unlock();
}

int weft_unit_join(struct weft_comm *comm)
{
	int rc = unit_eq ? weft_comm_meet(comm) : 0;

	if (!rc)
		rc = weft_unit_begin(comm);
	if (rc)
		return rc == -EOPNOTSUPP ? 0 : rc;
	rc = weft_unit_settle(comm);
	/* a tree by messages is not what we want: coll/ has better ones */
	weft_route_close(comm->early);
	comm->early = NULL;
	return rc;
}

int weft_unit_begin(struct weft_comm *comm)
{
	return weft_route_open(comm, 0, false, &comm->early);
}

int weft_unit_settle(struct weft_comm *comm)
{
	enum weft_route_state state = weft_route_wait(comm->early);

	if (state == WEFT_ROUTE_REAL) {
		comm->route = comm->early;
		comm->early = NULL;
	}
	return state == WEFT_ROUTE_FAILED ? -EIO : 0;
}

void weft_unit_leave(struct weft_comm *comm)
{
	if (comm->route)
		route_free(comm->route);
	weft_route_close(comm->early);
	weft_route_close(comm->tree);
	comm->route = comm->early = comm->tree = NULL;
}

/* ---- operations --------------------------------------------------------- */

static const int8_t unit_type[WEFT_BASIC_COUNT] = {
	[WEFT_BASIC_I8] = FI_INT8 + 1,	  [WEFT_BASIC_I16] = FI_INT16 + 1,
	[WEFT_BASIC_I32] = FI_INT32 + 1,  [WEFT_BASIC_I64] = FI_INT64 + 1,
	[WEFT_BASIC_U8] = FI_UINT8 + 1,	  [WEFT_BASIC_U16] = FI_UINT16 + 1,
	[WEFT_BASIC_U32] = FI_UINT32 + 1, [WEFT_BASIC_U64] = FI_UINT64 + 1,
	[WEFT_BASIC_F32] = FI_FLOAT + 1,  [WEFT_BASIC_F64] = FI_DOUBLE + 1,
};

/* The provider's operation, or -1. */
static int unit_op(const struct weft_op *op)
{
	static const struct {
		MPI_Op mpi;
		enum fi_op fi;
	} ops[] = {
		{ MPI_SUM, FI_SUM }, { MPI_MIN, FI_MIN },
		{ MPI_MAX, FI_MAX }, { MPI_BAND, FI_BAND },
		{ MPI_BOR, FI_BOR }, { MPI_BXOR, FI_BXOR },
	};
	MPI_Op handle = weft_obj_handle(&op->obj);

	for (size_t i = 0; i < WEFT_COUNT_OF(ops); i++) {
		if (ops[i].mpi == handle)
			return (int)ops[i].fi;
	}
	return -1;
}

bool weft_unit_has_bulk(const struct weft_comm *comm)
{
	return comm->route && comm->route->info.bulk;
}

uint32_t weft_unit_names(const struct weft_op *op, const struct weft_dt *dt,
			 uint8_t *op_p)
{
	*op_p = (uint8_t)unit_op(op);
	return (uint32_t)(unit_type[dt->basic] - 1);
}

bool weft_unit_can(const struct weft_op *op, const struct weft_dt *dt)
{
	int type = unit_type[dt->basic] - 1, o = unit_op(op);

	return type >= 0 && o >= 0 && op->row && op->row[dt->basic] &&
	       (o == FI_SUM || o == FI_MIN || o == FI_MAX || type < FI_FLOAT);
}

static void unit_free(struct weft_req *r)
{
	struct weft_comm *comm = r->comm;

	r->obj.kind = WEFT_KIND_FREE;
	weft_lock();
	weft_pool_put(&unit_reqs, weft_container_of(r, struct unit_req, req));
	weft_unlock();
	weft_comm_put(comm);
}

static const struct weft_req_ops unit_ops = {
	.name = "collective",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = unit_free,
};

/* Members whose packets differ: the one thing that goes wrong on a route. */
int weft_unit_errno(int rc)
{
	return rc == -EIO ? -EPROTO : rc;
}

static void unit_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		      int err)
{
	struct unit_req *u = weft_container_of(io, struct unit_req, io);

	(void)e;
	weft_req_complete(&u->req, weft_unit_errno(err));
}

static const uint8_t unit_what[] = {
	[WEFT_UNIT_BARRIER] = FI_BARRIER,
	[WEFT_UNIT_BCAST] = FI_BROADCAST,
	[WEFT_UNIT_REDUCE] = FI_REDUCE,
	[WEFT_UNIT_ALLREDUCE] = FI_ALLREDUCE,
	[WEFT_UNIT_ALLGATHER] = FI_ALLGATHER,
	[WEFT_UNIT_ALLTOALL] = FI_ALLTOALL,
	[WEFT_UNIT_REDUCE_SCATTER] = FI_REDUCE_SCATTER,
	[WEFT_UNIT_GATHER] = FI_GATHER,
	[WEFT_UNIT_SCATTER] = FI_SCATTER,
};

static void unit_translate(const struct weft_unit_call *c,
			   struct fi_weft_call *f)
{
	f->what = (enum fi_collective_op)unit_what[c->kind];
	f->root = c->root;
	f->in = c->in;
	f->out = c->out;
	f->count = (size_t)c->count;
	f->datatype = FI_UINT8;
	f->op = FI_SUM;
	f->flags = (c->exact ? FI_WEFT_EXACT : 0) |
		   (weft_core.crowded ? FI_WEFT_CROWD : 0);
	if (!c->op)
		return;
	f->datatype = (enum fi_datatype)(unit_type[c->dt->basic] - 1);
	f->op = (enum fi_op)unit_op(c->op);
}

/* libfabric's call; its root is an address. */
static ssize_t unit_call(const struct weft_unit_call *c, void *context)
{
	const struct weft_route *r = c->route;
	fi_addr_t to = fi_mc_addr(r->mc);
	fi_addr_t root = weft_core.proc[r->comm->proc[c->root]].real;
	struct fid_ep *ep = weft_core.ep;
	struct fi_weft_call f;

	unit_translate(c, &f);
	switch (c->kind) {
	case WEFT_UNIT_BARRIER:
		return fi_barrier(ep, to, context);
	case WEFT_UNIT_BCAST:
		return fi_broadcast(ep, f.out, f.count, NULL, to, root,
				    f.datatype, f.flags, context);
	case WEFT_UNIT_REDUCE:
		return fi_reduce(ep, f.in, f.count, NULL, f.out, NULL, to, root,
				 f.datatype, f.op, f.flags, context);
	case WEFT_UNIT_ALLREDUCE:
		return fi_allreduce(ep, f.in, f.count, NULL, f.out, NULL, to,
				    f.datatype, f.op, f.flags, context);
	case WEFT_UNIT_ALLGATHER:
		return fi_allgather(ep, f.in, f.count, NULL, f.out, NULL, to,
				    f.datatype, f.flags, context);
	case WEFT_UNIT_ALLTOALL:
		return fi_alltoall(ep, f.in, f.count, NULL, f.out, NULL, to,
				   f.datatype, f.flags, context);
	case WEFT_UNIT_REDUCE_SCATTER:
		return fi_reduce_scatter(ep, f.in, f.count, NULL, f.out, NULL,
					 to, f.datatype, f.op, f.flags,
					 context);
	case WEFT_UNIT_GATHER:
		return fi_gather(ep, f.in, f.count, NULL, f.out, NULL, to, root,
				 f.datatype, f.flags, context);
	case WEFT_UNIT_SCATTER:
		return fi_scatter(ep, f.in, f.count, NULL, f.out, NULL, to,
				  root, f.datatype, f.flags, context);
	}
	return -FI_EINVAL;
}

int weft_unit_post(const struct weft_unit_call *call, struct weft_req **req_p)
{
	struct weft_comm *comm = call->route->comm;
	struct unit_req *u;
	struct fi_weft_call f;
	ssize_t rc;

	unit_translate(call, &f);
	rc = weft_later_begin(call->route, &f, req_p);
	if (rc != -ENOSYS)
		return (int)rc;
	rc = -FI_ENOMEM;
	weft_lock();
	u = weft_pool_get(&unit_reqs);
	if (u) {
		/* like a send: nothing to tell in the status */
		weft_req_init(&u->req, &unit_ops, comm,
			      WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
		u->io.done = unit_done;
		rc = unit_call(call, &u->io);
		if (rc)
			weft_pool_put(&unit_reqs, u);
		else
			weft_comm_get(comm);
	}
	weft_unlock();
	*req_p = rc ? NULL : &u->req;
	return rc ? weft_fi_errno((int)rc) : 0;
}

/* ---- blocking operations ------------------------------------------------- */

static int run_posted(const struct weft_unit_call *call)
{
	struct weft_req *req;
	int rc = weft_unit_post(call, &req);

	if (rc)
		return rc;
	weft_req_wait(req);
	return weft_req_collect(&req, MPI_STATUS_IGNORE);
}

/* Virtual time has ended: nobody can go on, or the model is in pieces. */
static WEFT_COLD void end_of_time(const struct weft_route *r, int rc)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	w.comm = r->comm;
	w.seq = (int)weft_load32(&r->comm->coll_seq) - 1;
	if (rc == -EDEADLK)
		weft_deadlock_report(&w);
	weft_core_abort(1, "the fabric failed: %s", fi_strerror(-rc));
}

WEFT_HOT int weft_unit_finish(struct weft_route *r, struct fi_weft_work *work,
			      int rc)
{
	if (rc == -FI_EINPROGRESS)
		rc = r->ops->wait(&r->mc->fid, work, weft_progress_timeout(-1));
	while (weft_unlikely(rc == -FI_EAGAIN)) {
		weft_progress();
		rc = r->ops->wait(&r->mc->fid, work, weft_progress_timeout(-1));
	}
	if (weft_unlikely(rc == -EDEADLK || rc == -EOWNERDEAD))
		end_of_time(r, rc);
	return weft_likely(!rc) ? 0 : weft_unit_errno(weft_fi_errno(rc));
}

static inline int run(const struct weft_unit_call *call)
{
	struct weft_route *r = call->route;
	struct fi_weft_work work;
	struct fi_weft_call f;
	int rc;

	if (weft_unlikely(weft_threads))
		return run_posted(call);
	unit_translate(call, &f);
	rc = r->ops->begin(&r->mc->fid, &f, &work);
	if (rc == -FI_ENOSYS)
		return run_posted(call);
	return weft_likely(!rc) ? 0 : weft_unit_finish(r, &work, rc);
}

int weft_unit_run(const struct weft_unit_call *call)
{
	/* the report of a deadlock has a number for each */
	if (weft_unlikely(weft_core.virt) && call->untagged)
		weft_comm_next_tag(call->route->comm);
	return run(call);
}

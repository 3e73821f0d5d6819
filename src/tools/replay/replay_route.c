/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes of the replay: the functions of offload_route.h that coll/
 * calls. A group of up to GROUP_MAX members is a group of the engine, as in the
 * library. A larger group uses the network's tree without the engine's records
 * of all members at each member, whose memory grows with the square of the
 * number of ranks; its calls on the tree are the same.
 */
#include "src/tools/replay/replay_int.h"

#include "prov/group/grp_net.h"
#include "src/base/hash.h"
#include "src/msg/msg_pause.h"
#include "src/offload/offload_device.h"
#include "src/offload/offload_route_call.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"

#include <errno.h>
#include <stdlib.h>

#define GROUP_MAX 1024
#define BUDGET	  64

struct replay_route {
	struct weft_route base;
	struct weft_list link; /* entry in replay_rank.routes */
	struct weft_nic_group *group;
	/* A large group: */
	struct nic_net *net;
	struct weft_backend_route attr;
	struct weft_peer **member;
	bool opening;
};

struct route_call {
	struct weft_grp_work work;
	struct weft_coll_call call; /* call of a large group */
	struct replay_op *op;
};

static struct replay_route *of(struct weft_route *r)
{
	return weft_container_of(r, struct replay_route, base);
}

/* ---- joining ------------------------------------------------------------- */

static void joined(void *arg, struct weft_nic_group *g, int err)
{
	struct replay_route *r = arg;

	(void)g;
	weft_store32(&r->base.joined, err ? 2 : 1);
	replay_me->signalled = true;
}

static struct weft_peer **members_of(const struct weft_comm *comm)
{
	struct weft_peer **m = calloc((size_t)comm->size, sizeof(*m));

	for (int i = 0; m && i < comm->size; i++)
		m[i] = replay_peer(replay_me, (uint32_t)comm->proc[i]);
	return m;
}

static uint64_t key_of(const struct weft_comm *comm, uint64_t salt)
{
	uint64_t program = replay_me->program->index;

	/*
	 * the key contains the program, since the communicators of two programs
	 * have the same context ids
	 */
	return weft_hash_mix(comm->ctx ^
			     weft_hash_mix(salt + 1 + (program << 32))) |
	       1;
}

static int join_small(struct replay_route *r, uint64_t salt)
{
	struct weft_comm *comm = r->base.comm;
	struct weft_peer **m = members_of(comm);
	const struct weft_nic_group_attr attr = {
		.member = m,
		.n = comm->size,
		.me = comm->rank,
		.key = key_of(comm, salt),
		.joined = joined,
		.arg = r,
	};
	int rc = m ? weft_nic_join(replay_me->nic, &attr, &r->group) : -ENOMEM;

	free(m);
	return rc;
}

static void open_large(struct replay_route *r)
{
	int rc = nic_net_open(replay_me->carrier, &r->attr, &r->net);

	if (rc == -EAGAIN)
		return;
	r->opening = false;
	r->base.info.id = rc ? -1 : nic_net_id(r->net);
	joined(r, NULL, 0);
}

static int join_large(struct replay_route *r, uint64_t salt)
{
	struct weft_comm *comm = r->base.comm;

	/* only the first member's list is read */
	if (!comm->rank)
		r->member = members_of(comm);
	if (!comm->rank && !r->member)
		return -ENOMEM;
	r->attr = (struct weft_backend_route){
		.key = key_of(comm, salt),
		.routes = (uint32_t)replay_job.machine->routes,
		.n = comm->size,
		.me = comm->rank,
		.member = r->member,
	};
	r->opening = true;
	open_large(r);
	return 0;
}

int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p)
{
	struct replay_route *r;
	int rc;

	if (comm->inter || comm->size < 2)
		return -EOPNOTSUPP;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->base.comm = comm;
	weft_list_push_back(&replay_me->routes, &r->link);
	rc = comm->size <= GROUP_MAX ? join_small(r, salt)
				     : join_large(r, salt);
	if (rc)
		replay_fail("rank %u: cannot join a class route (%d)",
			    replay_me->rank, -rc);
	*r_p = &r->base;
	return 0;
}

void replay_routes_poll(struct replay_rank *me)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &me->routes) {
		struct replay_route *r =
			weft_container_of(pos, struct replay_route, link);

		if (r->opening)
			open_large(r);
		if (r->net)
			nic_net_poll(r->net);
	}
}

enum weft_route_state weft_route_state(struct weft_route *b)
{
	struct replay_route *r = of(b);
	struct weft_nic_group_info info;

	if (!weft_load32(&b->joined))
		return WEFT_ROUTE_JOINING;
	if (r->group) {
		weft_nic_group_info(r->group, &info);
		b->info.id = info.route;
		b->info.most = info.most;
	}
	if (weft_load32(&b->joined) != 1)
		return WEFT_ROUTE_FAILED;
	return b->info.id >= 0 ? WEFT_ROUTE_CLASS : WEFT_ROUTE_MESSAGES;
}

static bool is_joined(void *arg)
{
	struct weft_route *b = arg;

	return b->deferred == b->posted &&
	       weft_route_state(b) != WEFT_ROUTE_JOINING;
}

enum weft_route_state weft_route_wait(struct weft_route *b)
{
	replay_wait_until(is_joined, b);
	return weft_route_state(b);
}

bool weft_route_may_post(struct weft_route *b, uint32_t *number)
{
	bool joining = weft_route_state(b) == WEFT_ROUTE_JOINING;

	if (!*number && (joining || b->deferred != b->posted))
		*number = ++b->deferred;
	return (!*number || *number == b->posted + 1) && !joining;
}

void weft_route_posted(struct weft_route *b, uint32_t *number)
{
	if (!*number)
		return;
	*number = 0;
	b->posted++;
}

static void route_free(struct replay_route *r)
{
	weft_list_remove(&r->link);
	if (r->group)
		weft_nic_leave(r->group);
	nic_net_close(r->net);
	free(r->member);
	free(r);
}

void weft_route_close(struct weft_route *b)
{
	if (!b)
		return;
	weft_route_wait(b);
	route_free(of(b));
}

int weft_route_join_begin(struct weft_comm *comm)
{
	return weft_route_open(comm, 0, &comm->joining);
}

void weft_route_join_wait(struct weft_comm *comm)
{
	if (weft_route_wait(comm->joining) == WEFT_ROUTE_CLASS) {
		comm->route = comm->joining;
		comm->joining = NULL;
	}
}

void weft_route_join(struct weft_comm *comm)
{
	if (weft_route_join_begin(comm))
		return;
	weft_route_join_wait(comm);
	weft_route_close(comm->joining);
	comm->joining = NULL;
}

void weft_route_leave(struct weft_comm *comm)
{
	if (comm->route)
		route_free(of(comm->route));
	weft_route_close(comm->joining);
	comm->route = comm->joining = NULL;
}

size_t weft_route_max_bytes(const struct weft_route *b)
{
	return b->info.most;
}

bool weft_route_has_bulk(const struct weft_comm *comm)
{
	(void)comm;
	return false;
}

int weft_route_resolve(const struct weft_comm *comm)
{
	(void)comm;
	return 0;
}

bool weft_routes_exist(void)
{
	return true;
}

/* ---- calls --------------------------------------------------------------- */

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

static void large_done(struct weft_coll_call *call)
{
	struct route_call *q = weft_container_of(call, struct route_call, call);

	q->work.complete = true;
	if (q->work.done)
		q->work.done(&q->work);
}

static int begin(struct replay_route *r, struct route_call *q)
{
	if (r->group)
		return weft_grp_begin(r->group, &q->work, 0);
	q->work.complete = false;
	q->call = q->work.call;
	q->call.done = large_done;
	if (!nic_net_can(r->net, &q->call))
		replay_fail("a collective of %d ranks is not possible on the "
			    "tree of this machine",
			    r->base.comm->size);
	nic_net_post(r->net, &q->call);
	return 0;
}

/* Checks a call after a wait, as weft_grp_poll_woken() does. */
static void poll_woken(struct replay_route *r, struct route_call *q)
{
	if (r->group) {
		weft_grp_poll_woken(&q->work, BUDGET);
		return;
	}
	if (nic_net_poll_woken(r->net, BUDGET) > 1 || !q->work.complete) {
		weft_nic_poll(replay_me->nic, BUDGET);
		replay_routes_poll(replay_me);
	}
}

int weft_route_run(struct weft_route *b, const struct weft_coll_call *call)
{
	struct replay_route *r = of(b);
	struct weft_carrier *c = replay_me->carrier;
	struct route_call q = { .work = { .call = *call } };
	int rc = begin(r, &q);

	while (!rc && !q.work.complete) {
		if (replay_me->done_count) {
			replay_progress();
			continue;
		}
		rc = c->ops->wait(c, UINT64_MAX);
		if (rc == -EDEADLK)
			replay_rank_stuck();
		if (rc == -EAGAIN || rc == -ETIMEDOUT)
			rc = 0;
		if (!rc)
			poll_woken(r, &q);
	}
	return rc;
}

static void posted_done(struct weft_grp_work *w)
{
	struct route_call *q = weft_container_of(w, struct route_call, work);

	q->op->err = w->call.err;
	replay_rank_done(replay_me, q->op);
}

static void call_free(struct weft_req *r)
{
	struct replay_op *op = weft_container_of(r, struct replay_op, req);

	free(op);
}

static const struct weft_req_ops call_ops = {
	.name = "collective",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = call_free,
};

int weft_route_post(struct weft_route *b, const struct weft_coll_call *call,
		    struct weft_req **req_p)
{
	/* one allocation: the call is freed with its request */
	struct {
		struct replay_op op;
		struct route_call q;
	} *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return -ENOMEM;
	weft_req_init(&m->op.req, &call_ops, b->comm, WEFT_REQ_ACTIVE);
	m->q.op = &m->op;
	m->q.work.call = *call;
	m->q.work.done = posted_done;
	*req_p = &m->op.req;
	rc = begin(of(b), &m->q);
	if (rc)
		free(m);
	return rc;
}

int weft_route_barrier(struct weft_route *r, struct weft_req **req_p)
{
	(void)r;
	(void)req_p;
	return -ENOSYS;
}

int weft_route_allreduce(struct weft_route *r, const void *in, void *out,
			 MPI_Count count, MPI_Datatype type, MPI_Op op,
			 struct weft_req **req_p)
{
	(void)r;
	(void)in;
	(void)out;
	(void)count;
	(void)type;
	(void)op;
	(void)req_p;
	return -ENOSYS;
}

/* ---- memory shared by ranks: none (coll_shared_fits()) ------------------- */

struct weft_pause weft_pause_begin(const struct weft_comm *c)
{
	return (struct weft_pause){ .comm = c };
}

int weft_pause(struct weft_pause *p, weft_au32 *word, uint32_t seen,
	       uint32_t bits, weft_au32 *waiters)
{
	(void)p;
	(void)word;
	(void)seen;
	(void)bits;
	(void)waiters;
	return -ENOSYS;
}

void weft_pause_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters)
{
	(void)word;
	(void)bits;
	(void)waiters;
}

/* ---- device memory: none ------------------------------------------------- */

bool weft_core_exact;

bool weft_device_owns_slow(const void *at)
{
	(void)at;
	return false;
}

int weft_device_pack(const struct weft_typed *t, size_t pos, void *dst,
		     size_t len)
{
	weft_pack(t, pos, dst, len);
	return 0;
}

int weft_device_unpack(const struct weft_typed *t, size_t pos, const void *src,
		       size_t len)
{
	weft_unpack(t, pos, src, len);
	return 0;
}

int weft_device_copy(const struct weft_typed *dst, const struct weft_typed *src)
{
	weft_pack_copy(dst, src);
	return 0;
}

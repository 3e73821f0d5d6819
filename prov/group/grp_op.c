/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of a group: selection of the path (packets of the unit, the
 * modelled network, long vectors, messages), exact sums, and completion.
 */
#include "prov/group/cunit/cunit_exact.h"
#include "prov/group/grp_int.h"
#include "prov/group/grp_net.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"

#include <stdlib.h>

/* A pending operation that completes a struct weft_nic_op. */
struct coll_op {
	struct weft_grp_work work;
	struct weft_nic_op *op;
};

const size_t grp_op_bytes = sizeof(struct coll_op);

static void work_narrow(struct weft_grp_work *w)
{
	for (size_t i = 0; w->out && i < w->count; i++)
		w->out[i] = weft_cunit_exact_to(&w->wide[i]);
	free(w->wide);
}

/*
 * Fails the group, since members that called different operations cannot
 * synchronise again.
 */
static WEFT_COLD void work_mismatch(struct weft_nic_group *c)
{
	c->check.broken = true;
	c->nic->coll->checks = true;
	c->nic->coll_active = true;
}

/* Called when the collective unit has completed the call. */
WEFT_HOT static void work_done(struct weft_coll_call *call)
{
	struct weft_grp_work *w =
		weft_container_of(call, struct weft_grp_work, call);

	if (weft_unlikely(w->wide != NULL))
		work_narrow(w);
	w->coll->pending--;
	w->coll->nic->coll->pending--;
	if (weft_unlikely(call->err == -EPROTO))
		work_mismatch(w->coll);
	w->complete = true;
	if (w->done)
		w->done(w);
}

/* Widens the doubles of an exact sum; the wide sums are computed in place. */
static int work_widen(struct weft_grp_work *w)
{
	size_t count = w->call.count;

	w->wide = malloc((count + 1) * sizeof(*w->wide));
	if (!w->wide)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		double x;

		memcpy(&x, (const char *)w->call.in + i * sizeof(x), sizeof(x));
		weft_cunit_exact_from(&w->wide[i], x);
	}
	/* a reduction's output buffer is valid at the root only */
	w->out = w->call.kind == WEFT_COLL_REDUCE && w->call.root != w->coll->me
			 ? NULL
			 : w->call.out;
	w->count = count;
	w->call.in = w->wide;
	w->call.out = w->wide;
	return 0;
}

/* Bit mask of the kinds of operations that reduce. */
#define REDUCTIONS                                            \
	(1u << WEFT_COLL_REDUCE | 1u << WEFT_COLL_ALLREDUCE | \
	 1u << WEFT_COLL_REDUCE_SCATTER)

static int state_check(const struct weft_nic_group *c)
{
	if (weft_likely(c->state == COLL_READY))
		return 0;
	return c->state == COLL_FAILED ? -ECONNRESET : -EAGAIN;
}

/* Checks the arguments of a call, and sets its number of bytes. */
static int call_check(const struct weft_nic_group *c,
		      struct weft_coll_call *call)
{
	size_t elem = weft_cunit_bytes(call->type);

	if (!elem || call->kind >= WEFT_COLL_GROUP_KINDS ||
	    (REDUCTIONS >> call->kind & 1 &&
	     !weft_cunit_supports(call->op, call->type)))
		return -EOPNOTSUPP;
	call->bytes = call->count * elem;
	return call->root < 0 || call->root >= c->n ? -EINVAL : 0;
}

/*
 * Returns whether the result of a reduction is independent of the order in
 * which contributions are combined.
 */
static bool order_independent(const struct weft_coll_call *call)
{
	return (call->kind == WEFT_COLL_REDUCE ||
		call->kind == WEFT_COLL_ALLREDUCE) &&
	       call->type < WEFT_NUM_F32;
}

/*
 * Returns the group that executes the call: that of the barrier class for
 * barriers, that of the unordered tree for reductions that do not depend on the
 * order, if the machine has one; otherwise the class route.
 */
WEFT_INLINE struct weft_cunit_group *
group_for(const struct weft_nic_group *c, const struct weft_coll_call *call)
{
	if (call->kind == WEFT_COLL_BARRIER && c->bar)
		return c->bar;
	if (weft_unlikely(c->unordered != NULL) && order_independent(call))
		return c->unordered;
	return c->hw;
}

/* Registers the operation, so that poll progresses it. */
static void work_pend(struct weft_nic_group *c, struct weft_grp_work *w)
{
	w->complete = false;
	c->pending++;
	c->nic->coll->pending++;
	c->nic->coll_active = true;
}

static void work_set(struct weft_nic_group *c, struct weft_grp_work *w)
{
	w->coll = c;
	w->wide = NULL;
	w->is_long = false;
	w->call.done = work_done;
}

/* Handles the result of an operation that consists of a single packet. */
WEFT_INLINE int work_single_end(struct weft_nic_group *c,
				struct weft_grp_work *w, int ret)
{
	w->complete = true;
	if (weft_unlikely(ret == -EINPROGRESS)) {
		work_set(c, w);
		work_pend(c, w);
		return 0;
	}
	if (weft_unlikely(ret))
		work_mismatch(c);
	if (w->done) {
		w->coll = c;
		w->done(w);
	}
	return 0;
}

/* Starts an operation on one of the slow paths. */
static int work_post(struct weft_nic_group *c, struct weft_grp_work *w)
{
	bool exact = w->call.type == WEFT_COLL_EXACT;
	struct weft_cunit_group *hw;

	work_set(c, w);
	if (weft_unlikely(c->chain != NULL) && nic_chain_can(&w->call)) {
		work_pend(c, w);
		nic_chain_post(c->chain, &w->call);
		return 0;
	}
	w->is_long = nic_long_applies(c, w);
	if (exact && !w->is_long && work_widen(w))
		return -ENOMEM;
	work_pend(c, w);
	if (w->is_long) {
		nic_long_post(c, w);
		return 0;
	}
	if (c->net && nic_net_can(c->net, &w->call)) {
		nic_net_post(c->net, &w->call);
		return 0;
	}
	c->msg_used |= !c->hw;
	hw = group_for(c, &w->call);
	return weft_cunit_post(hw ? hw : c->by_msg, &w->call);
}

static WEFT_COLD int post_barrier(struct weft_nic_group *c,
				  struct weft_grp_work *w)
{
	int ret = state_check(c);

	w->call = (struct weft_coll_call){ .kind = WEFT_COLL_BARRIER,
					   .type = WEFT_NUM_U8 };
	return ret ? ret : work_post(c, w);
}

/*
 * Starts a barrier. Fast path: nothing is queued unless the barrier has to
 * wait.
 */
static int begin_barrier(struct weft_nic_group *c, struct weft_grp_work *w,
			 unsigned polls)
{
	struct weft_cunit_group *g = c->bar ? c->bar : c->hw;
	int ret = -EAGAIN;

	if (weft_likely(c->state == COLL_READY && g))
		ret = weft_cunit_sync(g, polls);
	if (weft_unlikely(ret == -EAGAIN))
		return post_barrier(c, w);
	if (weft_unlikely(ret == -EINPROGRESS))
		weft_cunit_sync_adopt(g, &w->call);
	else
		w->call.err = ret;
	return work_single_end(c, w, ret);
}

WEFT_HOT int weft_grp_begin(struct weft_nic_group *c, struct weft_grp_work *w,
			    unsigned polls)
{
	struct weft_cunit_group *hw;
	int ret;

	if (w->call.kind == WEFT_COLL_BARRIER)
		return begin_barrier(c, w, polls);
	ret = state_check(c);
	if (weft_unlikely(ret))
		return ret;
	hw = group_for(c, &w->call);
	ret = call_check(c, &w->call);
	if (weft_unlikely(ret))
		return ret;
	ret = -EAGAIN;
	if (hw && w->call.type != WEFT_COLL_EXACT)
		ret = weft_cunit_single(hw, &w->call, polls);
	if (weft_likely(!ret && !w->done)) {
		w->complete = true;
		return 0;
	}
	return ret == -EAGAIN ? work_post(c, w) : work_single_end(c, w, ret);
}

WEFT_HOT bool weft_grp_spin(struct weft_grp_work *w, unsigned polls)
{
	struct weft_cunit_group *g = group_for(w->coll, &w->call);

	if (w->is_long)
		return nic_long_spin(w, polls);
	while (!w->complete && g && weft_cunit_spin(g, polls))
		weft_cunit_poll(g);
	return w->complete;
}

/*
 * Checks for completion after a wake-up. If polling the modelled network
 * yielded nothing but the result of this operation, no further poll is needed.
 */
WEFT_HOT void weft_grp_poll_woken(struct weft_grp_work *w, int budget)
{
	struct weft_nic_group *c = w->coll;
	int n;

	if (weft_likely(c->net != NULL)) {
		n = nic_net_poll_woken(c->net, budget);
		if (w->complete && n <= 1)
			return;
	}
	weft_nic_poll(c->nic, budget);
}

bool weft_grp_oversubscribed(const struct weft_nic_group *c)
{
	return c->oversubscribed;
}

static void coll_op_done(struct weft_grp_work *w)
{
	struct coll_op *o = weft_container_of(w, struct coll_op, work);
	struct weft_nic *nic = w->coll->nic;
	struct weft_nic_op *op = o->op;
	int err = w->call.err;

	op->data = w->call.flags;
	op->len = 0;
	weft_pool_put(&nic->coll->ops, o);
	nic_done(nic, op, err);
}

int weft_grp_post(struct weft_nic_group *c, struct weft_nic_op *op,
		  const struct weft_coll_call *call)
{
	struct grp *nc = c->nic->coll;
	struct coll_op *o = weft_pool_get(&nc->ops);
	int ret;

	if (!o)
		return -ENOMEM;
	o->op = op;
	o->work.done = coll_op_done;
	o->work.call = *call;
	ret = weft_grp_begin(c, &o->work, 0);
	if (ret)
		weft_pool_put(&nc->ops, o);
	return ret;
}

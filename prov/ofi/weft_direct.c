/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that are waited for on the spot: no operation object, no entry
 * in a queue. A blocking MPI call is one begin and one wait here.
 */
#include "prov/ofi/weft_coll.h"
#include "prov/ofi/weft_coll_call.h"
#include "src/base/clock.h"

#include <sched.h>

/*
 * Looks at the shared word before anything else is looked at: some us, in a
 * crowd few; and how often that is repeated before the processor is given away.
 * Who has one of his own loses it to strangers only by giving it away.
 */
#define DIRECT_TURNS  1500
#define CROWD_TURNS   2
#define DIRECT_ROUNDS 100

/*
 * In a crowd the others come while this one yields, and then nobody has to be
 * woken: two and a half times faster than sleeping. But a yield that comes back
 * late gave the processor to somebody who computes, so sleep for a while, the
 * longer the oftener that happens.
 */
#define CROWD_YIELDS  64
#define CROWD_LOOK    8 /* yields between looks at everything else */
#define CROWD_LATE_NS UINT64_C(1000000)
#define CROWD_SHUN_MIN UINT64_C(2000000)
#define CROWD_SHUN_MAX UINT64_C(64000000)

/* What lies in the caller's memory. */
struct direct {
	struct weft_coll_work work;
	/* of those that are waited for later */
	struct weft_mc *mc;
	void (*over)(struct fi_weft_work *work, int err);
};

static_assert(sizeof(struct direct) <= sizeof(struct fi_weft_work),
	      "room for the work");

static struct weft_coll_work *work_of(struct fi_weft_work *w)
{
	return (struct weft_coll_work *)w->opaque;
}

/* Yields came back late not long ago. */
static bool is_shunning(struct weft_mc *mc)
{
	if (weft_likely(!mc->shun_until_ns))
		return false;
	if (weft_now_ns() < mc->shun_until_ns)
		return true;
	mc->shun_until_ns = 0;
	return false;
}

static int work_result(const struct weft_coll_work *w)
{
	return weft_likely(!w->call.err) ? 0 : (int)weft_fi_err(w->call.err);
}

/* In which the caller sleeps when he waits for everything. */
static struct weft_cq *queue_of(const struct weft_ep *ep)
{
	return ep->tx_cq ? ep->tx_cq : ep->rx_cq;
}

static void later_done(struct weft_coll_work *w)
{
	struct direct *d = weft_container_of(w, struct direct, work);

	if (queue_of(d->mc->ep))
		weft_cq_rouse(queue_of(d->mc->ep));
	d->over((struct fi_weft_work *)d, -work_result(w));
}

/* Nobody looks now. */
static void keep_for_later(struct weft_mc *mc, const struct fi_weft_call *c,
			   struct weft_coll_work *w)
{
	struct direct *d = weft_container_of(w, struct direct, work);

	d->mc = mc;
	d->over = c->over;
	w->done = later_done;
}

/* How often a call looks before it says that it is under way. */
static unsigned turns_of(struct weft_mc *mc, uint64_t flags, bool crowd)
{
	if (flags & FI_WEFT_LATER)
		return 0;
	if (!crowd)
		return DIRECT_TURNS;
	return is_shunning(mc) ? 0 : CROWD_TURNS;
}

WEFT_HOT int weft_coll_begin(struct fid *fid, const struct fi_weft_call *c,
			     struct fi_weft_work *work)
{
	struct weft_mc *mc = weft_container_of(fid, struct weft_mc, fid.fid);
	struct weft_coll_work *w = work_of(work);
	unsigned turns;
	bool crowd;
	int ret;

	if (!mc->direct)
		return -FI_ENOSYS;
	w->done = NULL;
	crowd = (c->flags & FI_WEFT_CROWD) || weft_nic_coll_crowded(mc->coll);
	turns = turns_of(mc, c->flags, crowd);
	if (!weft_coll_call(c, &w->call))
		return -FI_EOPNOTSUPP;
	ret = weft_nic_coll_begin(mc->coll, w, turns);
	if (weft_unlikely(ret))
		return (int)weft_fi_err(ret);
	if (weft_likely(w->over))
		return work_result(w);
	w->crowd = crowd;
	if (c->flags & FI_WEFT_LATER)
		keep_for_later(mc, c, w);
	return -FI_EINPROGRESS;
}

/* Gives the processor away; false: the time is over. */
static bool rest(struct weft_ep *ep, uint64_t deadline)
{
	struct weft_cq *cq = queue_of(ep);

	if (cq && cq->watch.obj != FI_WAIT_NONE)
		return !weft_watch_sleep(&cq->watch, deadline);
	sched_yield();
	return true;
}

/* A yield came back late: none for a while. */
static void shun(struct weft_mc *mc, uint64_t now)
{
	mc->shun_until_ns = now + CROWD_SHUN_MIN + mc->shun_ns;
	if (mc->shun_ns < CROWD_SHUN_MAX)
		mc->shun_ns += CROWD_SHUN_MIN + mc->shun_ns;
}

static bool is_late(struct weft_mc *mc, uint64_t *then)
{
	uint64_t now = weft_now_ns(), took = now - *then;

	*then = now;
	if (took > CROWD_LATE_NS)
		shun(mc, now);
	return took > CROWD_LATE_NS;
}

/* Yields until the others are there; false: they take longer. */
static bool yield_to_others(struct weft_mc *mc, struct weft_coll_work *w)
{
	uint64_t then;
	int i;

	if (is_shunning(mc))
		return false;
	then = weft_now_ns();
	for (i = 1; i < CROWD_YIELDS; i++) {
		sched_yield();
		if (weft_nic_coll_spin(w, 1)) {
			mc->shun_ns /= 2;
			return true;
		}
		if (is_late(mc, &then))
			return false;
		if (i % CROWD_LOOK == 0)
			weft_domain_progress(mc->ep->domain);
	}
	return w->over;
}

static int wait_long(struct weft_ep *ep, struct weft_coll_work *w,
		     int timeout_ms)
{
	uint64_t deadline =
		timeout_ms ? weft_deadline(ep->domain, timeout_ms) : 0;
	int rounds = w->crowd ? 0 : DIRECT_ROUNDS;

	for (;;) {
		weft_domain_progress(ep->domain);
		if (w->over)
			return work_result(w);
		if (weft_cq_has(ep->tx_cq) || weft_cq_has(ep->rx_cq) ||
		    !deadline)
			return -FI_EAGAIN;
		if (rounds && rounds--) {
			if (weft_nic_coll_spin(w, DIRECT_TURNS))
				return work_result(w);
		} else if (!rest(ep, deadline)) {
			return -FI_EAGAIN;
		}
	}
}

WEFT_HOT int weft_coll_wait(struct fid *fid, struct fi_weft_work *work,
			    int timeout_ms)
{
	struct weft_mc *mc = weft_container_of(fid, struct weft_mc, fid.fid);
	struct weft_coll_work *w = work_of(work);

	if (weft_unlikely(mc->ep->carrier->virt != NULL))
		return (int)weft_fi_err(
			weft_coll_wait_virtual(mc->ep, w, timeout_ms));
	if (weft_nic_coll_spin(w, w->crowd ? 0 : DIRECT_TURNS) ||
	    (w->crowd && timeout_ms && yield_to_others(mc, w)))
		return work_result(w);
	return wait_long(mc->ep, w, timeout_ms);
}

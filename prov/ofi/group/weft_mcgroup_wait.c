/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking collectives without an operation object or a CQ entry. A blocking
 * MPI call is one begin and one wait.
 */
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_progress.h"
#include "prov/ofi/queue/weft_wait.h"
#include "src/base/clock.h"

#define OWN_CORE       weft_wait_policy_rule[WEFT_OWN_CORE]
#define OVERSUBSCRIBED weft_wait_policy_rule[WEFT_OVERSUBSCRIBED]

/* yields between two polls of all endpoints, if oversubscribed */
#define YIELDS_PER_POLL 8

/* State of a collective call, stored in the caller's memory. */
struct mc_work {
	struct weft_grp_work work;
	/* group of the operation; set only for operations with a callback */
	struct weft_mcgroup *mc;
	void (*done)(struct fi_weft_work *work, int err);
};

static_assert(sizeof(struct mc_work) <= sizeof(struct fi_weft_work) &&
		      !offsetof(struct mc_work, work.call),
	      "a work of the extension begins with its call");

static struct weft_grp_work *work_of(struct fi_weft_work *w)
{
	return (struct weft_grp_work *)w;
}

static int work_result(const struct weft_grp_work *w)
{
	return weft_likely(!w->call.err) ? 0 : (int)weft_ofi_err(w->call.err);
}

/* Returns the queue in which the caller blocks. */
static struct weft_cq *queue_of(const struct weft_ep *ep)
{
	return ep->tx_cq ? ep->tx_cq : ep->rx_cq;
}

static void posted_done(struct weft_grp_work *w)
{
	struct mc_work *d = weft_container_of(w, struct mc_work, work);

	if (queue_of(d->mc->ep))
		weft_cq_wake(queue_of(d->mc->ep));
	d->done((struct fi_weft_work *)d, -work_result(w));
}

WEFT_HOT int
weft_mcgroup_begin(struct fid *fid, struct fi_weft_work *work, uint64_t flags,
		   void (*done)(struct fi_weft_work *work, int err))
{
	struct weft_mcgroup *mc =
		weft_container_of(fid, struct weft_mcgroup, fid.fid);
	struct weft_grp_work *w = work_of(work);
	unsigned spins = 0;
	bool oversubscribed;
	int ret;

	if (!mc->one_thread)
		return -FI_ENOSYS;
	w->done = NULL;
	oversubscribed = flags || mc->oversubscribed;
	if (!done && !oversubscribed)
		spins = OWN_CORE.spin.polls;
	else if (!done && !weft_wait_policy_backs_off(&mc->policy))
		spins = OVERSUBSCRIBED.spin.polls;
	ret = weft_grp_begin(mc->group, w, spins);
	if (weft_unlikely(ret))
		return (int)weft_ofi_err(ret);
	if (weft_likely(w->complete))
		return weft_likely(!w->call.err) ? 0 : work_result(w);
	w->oversubscribed = oversubscribed;
	if (done) {
		struct mc_work *d = weft_container_of(w, struct mc_work, work);

		d->mc = mc;
		d->done = done;
		w->done = posted_done;
	}
	return -FI_EINPROGRESS;
}

/*
 * Blocks in the completion queue if it has a wait object, otherwise yields.
 * Returns false after the deadline.
 */
static bool block_or_yield(struct weft_ep *ep, uint64_t deadline)
{
	struct weft_cq *cq = queue_of(ep);

	if (cq && cq->watch.obj != FI_WAIT_NONE)
		return !weft_watch_wait(&cq->watch, deadline);
	weft_wait_policy_release_cpu();
	return true;
}

/*
 * Yields until the operation completes (returns true) or the limit of the wait
 * policy is reached (returns false).
 */
static bool yield_to_others(struct weft_mcgroup *mc, struct weft_grp_work *w)
{
	unsigned most = OVERSUBSCRIBED.yield.count;
	uint64_t now = weft_now_ns();

	for (unsigned i = 1; i < most; i++) {
		now = weft_wait_policy_yield(&mc->policy, now);
		if (!now)
			return false;
		if (weft_grp_spin(w, 1))
			return true;
		if (i % YIELDS_PER_POLL)
			continue;
		weft_domain_progress(mc->ep->domain);
		now = weft_now_ns();
	}
	return w->complete;
}

static int wait_long(struct weft_ep *ep, struct weft_grp_work *w,
		     int timeout_ms)
{
	uint64_t deadline =
		timeout_ms ? weft_deadline(ep->domain, timeout_ms) : 0;
	unsigned rounds = w->oversubscribed ? OVERSUBSCRIBED.spin.rounds
					    : OWN_CORE.spin.rounds;

	for (;;) {
		weft_domain_progress(ep->domain);
		if (w->complete)
			return work_result(w);
		if (weft_cq_has(ep->tx_cq) || weft_cq_has(ep->rx_cq) ||
		    !deadline)
			return -FI_EAGAIN;
		if (rounds && rounds--) {
			if (weft_grp_spin(w, OWN_CORE.spin.polls))
				return work_result(w);
		} else if (!block_or_yield(ep, deadline)) {
			return -FI_EAGAIN;
		}
	}
}

WEFT_HOT int weft_mcgroup_wait(struct fid *fid, struct fi_weft_work *work,
			       int timeout_ms)
{
	struct weft_mcgroup *mc =
		weft_container_of(fid, struct weft_mcgroup, fid.fid);
	struct weft_grp_work *w = work_of(work);

	if (weft_unlikely(mc->ep->carrier->ops->backend->blocks_at_once))
		return (int)weft_ofi_err(
			weft_mcgroup_wait_virtual(mc->ep, w, timeout_ms));
	if (weft_grp_spin(w, w->oversubscribed ? 0 : OWN_CORE.spin.polls) ||
	    (w->oversubscribed && timeout_ms && yield_to_others(mc, w)))
		return work_result(w);
	return wait_long(mc->ep, w, timeout_ms);
}

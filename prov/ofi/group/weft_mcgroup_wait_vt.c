/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking wait in virtual time. Spinning is useless there: the result arrives
 * after the model has run, and the model runs only while this rank blocks. So
 * this wait blocks at once, and checks for completion when the rank is woken.
 */
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/ep/weft_progress.h"

#define NS_PER_MS UINT64_C(1000000)

/*
 * Blocks once. Returns 0 if woken or timed out, or an error if virtual time has
 * ended.
 */
static int wait_virtual(struct weft_carrier *c, int timeout_ms)
{
	uint64_t ns = timeout_ms < 0 ? UINT64_MAX : timeout_ms * NS_PER_MS;
	int ret = timeout_ms ? c->ops->wait(c, ns) : 0;

	return ret == -ETIMEDOUT || ret == -EAGAIN ? 0 : ret;
}

WEFT_HOT int weft_mcgroup_wait_virtual(struct weft_ep *ep,
				       struct weft_grp_work *w, int timeout_ms)
{
	int ret;

	/* another thread's progress may have completed the operation */
	if (w->complete)
		return w->call.err;
	while (!weft_cq_has(ep->tx_cq) && !weft_cq_has(ep->rx_cq)) {
		ret = wait_virtual(ep->carrier, timeout_ms);
		if (weft_unlikely(ret))
			return ret;
		weft_grp_poll_woken(w, WEFT_POLL_BUDGET);
		if (w->complete)
			return w->call.err;
		if (timeout_ms >= 0)
			break;
	}
	return -EAGAIN;
}

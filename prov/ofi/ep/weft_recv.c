/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives without a CQ entry (FI_WEFT_RECV): the completion is written to the
 * caller's memory, and the caller's callback, if any, is called. Used by
 * MPI_Recv and MPI_Irecv.
 */
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_post.h"
#include "prov/ofi/ep/weft_progress.h"

WEFT_HOT static ssize_t recv_post(struct fid_ep *fid, void *buf, size_t len,
				  uint64_t tag, uint64_t ignore,
				  struct fi_weft_arrival *a)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post_match m = { tag, ignore };
	const struct weft_post p = {
		.addr = FI_ADDR_UNSPEC,
		.context = a,
		.flags = WEFT_OP_TAGGED | WEFT_OP_UNQUEUED,
	};

	if (weft_unlikely(!ep->rx_cq))
		return -FI_ENOCQ;
	return weft_post_recv(ep, &p, buf, len, &m);
}

WEFT_HOT static void recv_poll(struct fid_ep *fid,
			       const struct fi_weft_arrival *a, unsigned spins)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct weft_cq *cq = ep->rx_cq;

	weft_enter(ep->domain);
	do
		weft_nic_poll(ep->nic, WEFT_POLL_BUDGET);
	while (!a->complete && cq->head == cq->tail && spins--);
	weft_leave(ep->domain);
}

/* Called by up_done when the engine has received the message. */
void weft_recv_complete(struct weft_ep *ep, const struct weft_nic_op *op)
{
	struct fi_weft_arrival *a = op->context;

	weft_cntr_count(ep->cntr[WEFT_CNTR_RECV]);
	a->tag = op->tag;
	a->data = op->data;
	a->flags = op->flags & WEFT_OP_DATA ? FI_REMOTE_CQ_DATA : 0;
	a->len = op->len;
	a->err = op->err ? (int)-weft_ofi_err(op->err) : 0;
	a->complete = 1;
	weft_cq_wake(ep->rx_cq);
	if (a->call)
		a->call(a);
}

struct fi_weft_recv weft_recv_ops = {
	.size = sizeof(struct fi_weft_recv),
	.post = recv_post,
	.poll = recv_poll,
};

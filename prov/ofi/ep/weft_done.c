/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that the engine calls. A completed operation is counted and becomes
 * an entry in a completion queue; a peer's request is checked against the
 * registered regions; a peer's access is counted and reported. All callbacks
 * are called with the domain's lock held.
 */
#include "prov/ofi/weft_av.h"
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/weft_mr.h"

static const uint8_t cntr_of[] = {
	[WEFT_SEND] = WEFT_CNTR_SEND,
	[WEFT_RECV] = WEFT_CNTR_RECV,
	[WEFT_WRITE] = WEFT_CNTR_WRITE,
	[WEFT_READ] = WEFT_CNTR_READ,
	[WEFT_ATOMIC] = WEFT_CNTR_WRITE,
	[WEFT_FETCH] = WEFT_CNTR_READ,
	[WEFT_COMPARE] = WEFT_CNTR_READ,
	[WEFT_COLLECTIVE] = WEFT_CNTR_WRITE,
	[WEFT_REMOTE_WRITE] = WEFT_CNTR_REMOTE_WRITE,
	[WEFT_REMOTE_READ] = WEFT_CNTR_REMOTE_READ,
};

/*
 * Returns the CQ flags of a received message; computed by shifts, without
 * branches.
 */
static inline uint64_t received_flags(const struct weft_nic_op *op)
{
	static_assert(FI_REMOTE_CQ_DATA == (uint64_t)WEFT_OP_DATA << 16 &&
			      FI_MULTI_RECV == (uint64_t)WEFT_OP_RELEASE << 9,
		      "shifts");
	return (uint64_t)(op->flags & WEFT_OP_DATA) << 16 |
	       (uint64_t)(op->flags & WEFT_OP_RELEASE) << 9;
}

WEFT_INLINE void entry_fill(struct weft_ep *ep, const struct weft_nic_op *op,
			    struct weft_cqe *e)
{
	e->context = op->context;
	e->flags = op->comp_flags;
	e->len = op->len;
	e->buf = op->iov[0].iov_base;
	e->data = op->data;
	e->tag = op->tag;
	e->src = FI_ADDR_NOTAVAIL;
	e->err = NULL;
	if (op->kind != WEFT_RECV)
		return;
	e->flags |= received_flags(op);
	if ((ep->caps & FI_SOURCE) && op->peer)
		e->src = weft_ep_source(ep, op->peer);
}

static WEFT_COLD void op_failure(struct weft_ep *ep, struct weft_cq *cq,
				 struct weft_nic_op *op)
{
	struct weft_cqe e;

	weft_cntr_count_err(ep->cntr[cntr_of[op->kind]]);
	entry_fill(ep, op, &e);
	if (cq)
		weft_cq_write_err(cq, &e, -op->err, op->olen);
}

/* Counts an operation that succeeded and writes its CQ entry. */
WEFT_INLINE void op_success(struct weft_ep *ep, struct weft_cq *cq,
			    struct weft_cntr *cntr,
			    const struct weft_nic_op *op)
{
	struct weft_cqe *e;

	weft_cntr_count(cntr);
	if (!cq ||
	    (op->flags & (WEFT_OP_QUIET | WEFT_OP_RELEASE)) == WEFT_OP_QUIET)
		return;
	e = weft_cq_slot(cq);
	if (weft_unlikely(!e))
		return;
	entry_fill(ep, op, e);
	weft_cq_commit(cq);
}

WEFT_NOINLINE WEFT_HOT static void queue_done(struct weft_ep *ep,
					      struct weft_nic_op *op)
{
	if (weft_unlikely(op->err))
		op_failure(ep, op->kind == WEFT_RECV ? ep->rx_cq : ep->tx_cq,
			   op);
	else if (weft_likely(op->kind == WEFT_RECV))
		op_success(ep, ep->rx_cq, ep->cntr[WEFT_CNTR_RECV], op);
	else
		op_success(ep, ep->tx_cq, ep->cntr[cntr_of[op->kind]], op);
}

WEFT_HOT static void up_done(void *arg, struct weft_nic_op *op)
{
	if (op->flags & WEFT_OP_UNQUEUED)
		weft_recv_complete(arg, op);
	else
		queue_done(arg, op);
}

static int up_region(void *arg, const struct weft_mem_access *want, void **at_p,
		     void **region_p)
{
	struct weft_ep *ep = arg;
	struct weft_mr_request w = {
		.key = want->key,
		.addr = want->addr,
		.len = want->len,
	};
	struct weft_mr *mr;
	int err;

	if (want->access & WEFT_MR_REMOTE_READ)
		w.access |= FI_REMOTE_READ;
	if (want->access & WEFT_MR_REMOTE_WRITE)
		w.access |= FI_REMOTE_WRITE;
	err = weft_mr_find(ep->domain, &w, &mr, at_p);
	if (!err)
		*region_p = mr;
	return err;
}

static void up_event(void *arg, struct weft_nic_op *op, void *region)
{
	struct weft_ep *ep = arg;
	bool write = op->kind == WEFT_REMOTE_WRITE;
	struct weft_cqe e = {
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
		.len = op->len,
		.data = op->data,
		.src = FI_ADDR_NOTAVAIL,
	};

	weft_cntr_count(ep->cntr[cntr_of[op->kind]]);
	if (region)
		weft_mr_event(region, write ? FI_REMOTE_WRITE : FI_REMOTE_READ);
	if (ep->rx_cq && (op->flags & WEFT_OP_DATA)) {
		e.src = weft_ep_source(ep, op->peer);
		weft_cq_write(ep->rx_cq, &e);
	}
}

const struct weft_nic_up weft_done_callbacks = {
	.done = up_done,
	.region = up_region,
	.event = up_event,
};

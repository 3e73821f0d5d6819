/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions shared by weft_msg.c, weft_tagged.c, weft_rma.c and weft_atomic.c
 * that are too long for a header.
 */
#include "prov/ofi/ep/weft_post.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/ep/weft_progress.h"

unsigned weft_post_flags(uint64_t fi_flags, bool selective)
{
	unsigned flags = 0;

	if (selective && !(fi_flags & FI_COMPLETION))
		flags |= WEFT_OP_QUIET;
	/* one FIN reports both match and delivery */
	if (fi_flags & (FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE))
		flags |= WEFT_OP_ACK;
	if (fi_flags & FI_REMOTE_CQ_DATA)
		flags |= WEFT_OP_DATA;
	if (fi_flags & FI_INJECT)
		flags |= WEFT_OP_INJECT;
	if (fi_flags & FI_FENCE)
		flags |= WEFT_OP_FENCE;
	if (fi_flags & FI_MULTI_RECV)
		flags |= WEFT_OP_MULTI;
	return flags;
}

WEFT_COLD ssize_t weft_post_refused(struct weft_ep *ep, int err)
{
	if (err == -EAGAIN)
		weft_ep_progress(ep);
	return weft_ofi_err(err);
}

int weft_post_iov(struct weft_nic_op *op, const struct iovec *iov, size_t count)
{
	size_t i;

	if (weft_unlikely(count > WEFT_IOV_MAX))
		return -EINVAL;
	op->len = 0;
	for (i = 0; i < count; i++) {
		op->iov[i] = iov[i];
		op->len += iov[i].iov_len;
	}
	if (!count)
		op->iov[0] = (struct iovec){ NULL, 0 };
	op->iov_count = (uint8_t)(count ? count : 1);
	return 0;
}

ssize_t weft_post_sendv(struct weft_ep *ep, const struct weft_post *p,
			const struct iovec *iov, size_t count, uint64_t tag,
			uint64_t data)
{
	struct weft_nic_op *op;
	ssize_t ret;
	int err;

	weft_enter(ep->domain);
	op = weft_post_op(ep, p, &ret);
	if (op) {
		op->tag = tag;
		op->data = data;
		err = weft_post_iov(op, iov, count);
		if (!err && (p->flags & WEFT_OP_INJECT) &&
		    op->len > ep->inject_bytes)
			err = -EMSGSIZE;
		if (!err && weft_unlikely(ep->hmem))
			err = weft_hmem_op_translate(ep, op);
		if (!err)
			err = weft_nic_send(ep->nic, op);
		ret = weft_post_end(ep, op, err);
	}
	weft_leave(ep->domain);
	return ret;
}

/* ---- receives ------------------------------------------------------------ */

/*
 * Starts a receive. A peek polls the carrier first: a program that peeks in a
 * loop finds the completion of a peek at every read of its queue, and a read
 * makes progress only if the queue is empty.
 */
static inline int recv_start(struct weft_ep *ep, struct weft_nic_op *op,
			     uint64_t fi_flags)
{
	if (weft_unlikely(fi_flags & FI_PEEK)) {
		weft_ep_progress(ep);
		return weft_nic_peek(ep->nic, op);
	}
	return weft_nic_recv(ep->nic, op);
}

ssize_t weft_post_recvv(struct weft_ep *ep, const struct weft_post *p,
			const struct iovec *iov, size_t count,
			const struct weft_post_match *m)
{
	struct weft_nic_op *op;
	int err = -ENOMEM;

	if (!ep->nic)
		return -FI_EOPBADSTATE;
	weft_enter(ep->domain);
	op = weft_post_recv_op(ep, p, m);
	if (op) {
		op->comp_flags &= ~FI_PEEK;
		err = -EINVAL;
		if (weft_post_source(ep, p->addr, op))
			err = weft_post_iov(op, iov, count);
		if (!err && weft_unlikely(ep->hmem) &&
		    !(p->comp_flags & FI_PEEK))
			err = weft_hmem_op_translate(ep, op);
		if (!err)
			err = recv_start(ep, op, p->comp_flags);
		if (err)
			weft_nic_op_put(op);
	}
	weft_leave(ep->domain);
	return weft_ofi_err(err);
}

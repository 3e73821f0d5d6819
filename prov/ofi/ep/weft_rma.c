/* SPDX-License-Identifier: BSD-3-Clause */
/* fi_read, fi_write and their variants. */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/ep/weft_post.h"

#define READ_FLAGS  (FI_READ | FI_RMA)
#define WRITE_FLAGS (FI_WRITE | FI_RMA)

/* Remote memory that a call accesses, and its immediate data. */
struct target {
	uint64_t addr;
	uint64_t key;
	uint64_t data;
};

static ssize_t rma_post(struct weft_ep *ep, const struct weft_post *p,
			const struct iovec *iov, size_t count,
			const struct target *t)
{
	struct weft_nic_op *op;
	ssize_t ret;
	int err;

	weft_enter(ep->domain);
	op = weft_post_op(ep, p, &ret);
	if (op) {
		op->addr = t->addr;
		op->key = t->key;
		op->data = t->data;
		op->tag = 0;
		op->flags |= ep->tx_order;
		err = weft_post_iov(op, iov, count);
		if (!err && (p->flags & WEFT_OP_INJECT) &&
		    op->len > ep->inject_bytes)
			err = -EMSGSIZE;
		if (!err && weft_unlikely(ep->hmem))
			err = weft_hmem_op_translate(ep, op);
		if (!err)
			err = weft_nic_rma(ep->nic, op);
		ret = weft_post_end(ep, op, err);
	}
	weft_leave(ep->domain);
	return ret;
}

static ssize_t post_msg(struct weft_ep *ep, struct weft_post *p,
			const struct fi_msg_rma *msg, uint64_t flags)
{
	struct target t = { .data = msg->data };

	if (msg->rma_iov_count > 1)
		return -FI_EINVAL;
	if (msg->rma_iov_count) {
		t.addr = msg->rma_iov[0].addr;
		t.key = msg->rma_iov[0].key;
	}
	p->addr = msg->addr;
	p->context = msg->context;
	p->flags = weft_post_flags(flags, ep->tx_selective);
	return rma_post(ep, p, msg->msg_iov, msg->iov_count, &t);
}

static ssize_t weft_readv(struct fid_ep *fid, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t src_addr,
			  uint64_t addr, uint64_t key, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct target t = { addr, key, 0 };
	const struct weft_post p = { .addr = src_addr,
				     .context = context,
				     .comp_flags = READ_FLAGS,
				     .flags = ep->tx_flags,
				     .kind = WEFT_READ };

	return rma_post(ep, &p, iov, count, &t);
}

static ssize_t weft_read(struct fid_ep *fid, void *buf, size_t len, void *desc,
			 fi_addr_t src_addr, uint64_t addr, uint64_t key,
			 void *context)
{
	const struct iovec iov = { buf, len };

	return weft_readv(fid, &iov, NULL, 1, src_addr, addr, key, context);
}

static ssize_t weft_readmsg(struct fid_ep *fid, const struct fi_msg_rma *msg,
			    uint64_t flags)
{
	struct weft_post p = { .comp_flags = READ_FLAGS, .kind = WEFT_READ };

	return post_msg(weft_to_ep(fid), &p, msg,
			flags & ~(FI_REMOTE_CQ_DATA | FI_INJECT));
}

static ssize_t weft_writev(struct fid_ep *fid, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t dest_addr,
			   uint64_t addr, uint64_t key, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct target t = { addr, key, 0 };
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = WRITE_FLAGS,
				     .flags = ep->tx_flags,
				     .kind = WEFT_WRITE };

	return rma_post(ep, &p, iov, count, &t);
}

static ssize_t weft_write(struct fid_ep *fid, const void *buf, size_t len,
			  void *desc, fi_addr_t dest_addr, uint64_t addr,
			  uint64_t key, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };

	return weft_writev(fid, &iov, NULL, 1, dest_addr, addr, key, context);
}

static ssize_t weft_writemsg(struct fid_ep *fid, const struct fi_msg_rma *msg,
			     uint64_t flags)
{
	struct weft_post p = { .comp_flags = WRITE_FLAGS, .kind = WEFT_WRITE };

	return post_msg(weft_to_ep(fid), &p, msg, flags);
}

/*
 * Posts an injected access. Success generates no completion; failures are
 * reported as usual.
 */
static ssize_t rma_inject(struct weft_ep *ep, const struct iovec *iov,
			  fi_addr_t dest_addr, unsigned flags,
			  const struct target *t)
{
	const struct weft_post p = {
		.addr = dest_addr,
		.comp_flags = WRITE_FLAGS,
		.flags = flags | WEFT_OP_QUIET | WEFT_OP_INJECT,
		.kind = WEFT_WRITE,
	};

	return rma_post(ep, &p, iov, 1, t);
}

static ssize_t weft_inject_write(struct fid_ep *fid, const void *buf,
				 size_t len, fi_addr_t dest_addr, uint64_t addr,
				 uint64_t key)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };
	const struct target t = { addr, key, 0 };

	return rma_inject(weft_to_ep(fid), &iov, dest_addr, 0, &t);
}

static ssize_t weft_writedata(struct fid_ep *fid, const void *buf, size_t len,
			      void *desc, uint64_t data, fi_addr_t dest_addr,
			      uint64_t addr, uint64_t key, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct iovec iov = { (void *)(uintptr_t)buf, len };
	const struct target t = { addr, key, data };
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = WRITE_FLAGS,
				     .flags = ep->tx_flags | WEFT_OP_DATA,
				     .kind = WEFT_WRITE };

	return rma_post(ep, &p, &iov, 1, &t);
}

static ssize_t weft_inject_writedata(struct fid_ep *fid, const void *buf,
				     size_t len, uint64_t data,
				     fi_addr_t dest_addr, uint64_t addr,
				     uint64_t key)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };
	const struct target t = { addr, key, data };

	return rma_inject(weft_to_ep(fid), &iov, dest_addr, WEFT_OP_DATA, &t);
}

struct fi_ops_rma weft_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = weft_read,
	.readv = weft_readv,
	.readmsg = weft_readmsg,
	.write = weft_write,
	.writev = weft_writev,
	.writemsg = weft_writemsg,
	.inject = weft_inject_write,
	.writedata = weft_writedata,
	.injectdata = weft_inject_writedata,
};

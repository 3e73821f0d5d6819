/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that the caller packs and unpacks (FI_WEFT_TYPED). Used by MPI for
 * derived datatypes.
 */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

static_assert(sizeof(struct fi_weft_data) == sizeof(struct weft_nic_typed) &&
		      offsetof(struct fi_weft_data, unpack) ==
			      offsetof(struct weft_nic_typed, unpack) &&
		      offsetof(struct fi_weft_data, arg) ==
			      offsetof(struct weft_nic_typed, arg),
	      "the engine reads what the caller filled");

/*
 * Returns the minimum size of a typed message, bytes. Typed messages are not
 * used if the machine's interfaces transfer long messages.
 */
static size_t typed_least(struct fid_ep *fid)
{
	struct weft_ep *ep = weft_to_ep(fid);
	size_t least = ep->domain->machine->typed_bytes;

	return !least || ep->carrier->ops->backend->transfers_later ? SIZE_MAX
								    : least;
}

static void typed_fill(struct weft_nic_op *op, const struct fi_weft_data *data,
		       size_t len)
{
	op->iov[0].iov_base = (void *)(uintptr_t)data;
	op->iov[0].iov_len = len;
	op->iov_count = WEFT_IOV_TYPED;
	op->len = len;
}

static ssize_t typed_send(struct fid_ep *fid, const struct fi_weft_data *data,
			  size_t len, fi_addr_t addr, uint64_t tag,
			  uint64_t flags, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = {
		.addr = addr,
		.context = context,
		.comp_flags = FI_SEND | FI_TAGGED,
		.flags = (weft_post_flags(flags, ep->tx_selective) &
			  ~(unsigned)WEFT_OP_INJECT) |
			 WEFT_OP_TAGGED,
		.kind = WEFT_SEND,
	};
	struct weft_nic_op *op;
	ssize_t ret;

	if (!ep->nic)
		return -FI_EOPBADSTATE;
	if (len < typed_least(fid))
		return -FI_EINVAL;
	weft_enter(ep->domain);
	op = weft_post_op(ep, &p, &ret);
	if (op) {
		typed_fill(op, data, len);
		op->tag = tag;
		op->data = 0;
		ret = weft_post_end(ep, op, weft_nic_send(ep->nic, op));
	}
	weft_leave(ep->domain);
	return ret;
}

static ssize_t typed_recv(struct fid_ep *fid, const struct fi_weft_data *data,
			  size_t len, uint64_t tag, uint64_t ignore,
			  uint64_t flags, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post_match m = { tag, ignore };
	const struct weft_post p = {
		.addr = FI_ADDR_UNSPEC,
		.context = context,
		.comp_flags = FI_RECV | FI_TAGGED,
		.flags =
			WEFT_OP_TAGGED | (flags & FI_CLAIM ? WEFT_OP_CLAIM : 0),
	};
	struct weft_nic_op *op;
	int err = -ENOMEM;

	if (!ep->nic)
		return -FI_EOPBADSTATE;
	if (len < typed_least(fid))
		return -FI_EINVAL;
	weft_enter(ep->domain);
	op = weft_post_recv_op(ep, &p, &m);
	if (op) {
		typed_fill(op, data, len);
		weft_post_source(ep, FI_ADDR_UNSPEC, op);
		err = weft_nic_recv(ep->nic, op);
		if (err)
			weft_nic_op_put(op);
	}
	weft_leave(ep->domain);
	return err ? weft_ofi_err(err) : 0;
}

struct fi_weft_typed weft_typed_ops = {
	.size = sizeof(struct fi_weft_typed),
	.least = typed_least,
	.send = typed_send,
	.recv = typed_recv,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fi_tsend, fi_trecv and their variants, with FI_PEEK, FI_CLAIM, FI_DISCARD. */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

#define RECV_FLAGS (FI_RECV | FI_TAGGED)
#define SEND_FLAGS (FI_SEND | FI_TAGGED)

static ssize_t weft_trecv(struct fid_ep *fid, void *buf, size_t len, void *desc,
			  fi_addr_t src_addr, uint64_t tag, uint64_t ignore,
			  void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post_match m = { tag, ignore };
	const struct weft_post p = {
		.addr = src_addr,
		.context = context,
		.comp_flags = RECV_FLAGS,
		.flags = (ep->rx_flags & WEFT_OP_QUIET) | WEFT_OP_TAGGED,
	};

	return weft_post_recv(ep, &p, buf, len, &m);
}

static ssize_t weft_trecvv(struct fid_ep *fid, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t src_addr,
			   uint64_t tag, uint64_t ignore, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post_match m = { tag, ignore };
	const struct weft_post p = {
		.addr = src_addr,
		.context = context,
		.comp_flags = RECV_FLAGS,
		.flags = (ep->rx_flags & WEFT_OP_QUIET) | WEFT_OP_TAGGED,
	};

	return weft_post_recvv(ep, &p, iov, count, &m);
}

/*
 * Implements fi_trecvmsg. A peek always reports its completion, even without
 * FI_COMPLETION.
 */
static ssize_t weft_trecvmsg(struct fid_ep *fid,
			     const struct fi_msg_tagged *msg, uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post_match m = { msg->tag, msg->ignore };
	struct weft_post p = {
		.addr = msg->addr,
		.context = msg->context,
		.comp_flags = RECV_FLAGS | (flags & FI_PEEK),
		.flags = WEFT_OP_TAGGED,
	};

	if (flags & FI_CLAIM)
		p.flags |= WEFT_OP_CLAIM;
	if (flags & FI_DISCARD)
		p.flags |= WEFT_OP_DISCARD;
	if ((flags & FI_DISCARD) && !(flags & (FI_PEEK | FI_CLAIM)))
		return -FI_EINVAL;
	if (!(flags & FI_PEEK))
		p.flags |= weft_post_flags(flags, ep->rx_selective) &
			   WEFT_OP_QUIET;
	return weft_post_recvv(ep, &p, msg->msg_iov, msg->iov_count, &m);
}

WEFT_HOT static ssize_t weft_tsend(struct fid_ep *fid, const void *buf,
				   size_t len, void *desc, fi_addr_t dest_addr,
				   uint64_t tag, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = SEND_FLAGS,
				     .flags = ep->tx_flags | WEFT_OP_TAGGED,
				     .kind = WEFT_SEND };

	return weft_post_send(ep, &p, buf, len, tag, 0);
}

static ssize_t weft_tsendv(struct fid_ep *fid, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t dest_addr,
			   uint64_t tag, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = SEND_FLAGS,
				     .flags = ep->tx_flags | WEFT_OP_TAGGED,
				     .kind = WEFT_SEND };

	return weft_post_sendv(ep, &p, iov, count, tag, 0);
}

static ssize_t weft_tsendmsg(struct fid_ep *fid,
			     const struct fi_msg_tagged *msg, uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = {
		.addr = msg->addr,
		.context = msg->context,
		.comp_flags = SEND_FLAGS,
		.flags = weft_post_flags(flags, ep->tx_selective) |
			 WEFT_OP_TAGGED,
		.kind = WEFT_SEND,
	};

	return weft_post_sendv(ep, &p, msg->msg_iov, msg->iov_count, msg->tag,
			       msg->data);
}

WEFT_HOT static ssize_t weft_tinject(struct fid_ep *fid, const void *buf,
				     size_t len, fi_addr_t dest_addr,
				     uint64_t tag)
{
	return weft_post_inject(weft_to_ep(fid), WEFT_OP_TAGGED, buf, len,
				dest_addr, tag, 0);
}

static ssize_t weft_tsenddata(struct fid_ep *fid, const void *buf, size_t len,
			      void *desc, uint64_t data, fi_addr_t dest_addr,
			      uint64_t tag, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = {
		.addr = dest_addr,
		.context = context,
		.comp_flags = SEND_FLAGS,
		.flags = ep->tx_flags | WEFT_OP_TAGGED | WEFT_OP_DATA,
		.kind = WEFT_SEND,
	};

	return weft_post_send(ep, &p, buf, len, tag, data);
}

static ssize_t weft_tinjectdata(struct fid_ep *fid, const void *buf, size_t len,
				uint64_t data, fi_addr_t dest_addr,
				uint64_t tag)
{
	return weft_post_inject(weft_to_ep(fid), WEFT_OP_TAGGED | WEFT_OP_DATA,
				buf, len, dest_addr, tag, data);
}

struct fi_ops_tagged weft_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = weft_trecv,
	.recvv = weft_trecvv,
	.recvmsg = weft_trecvmsg,
	.send = weft_tsend,
	.sendv = weft_tsendv,
	.sendmsg = weft_tsendmsg,
	.inject = weft_tinject,
	.senddata = weft_tsenddata,
	.injectdata = weft_tinjectdata,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fi_send, fi_recv and their variants: messages without a tag. */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

#define RECV_FLAGS (FI_RECV | FI_MSG)
#define SEND_FLAGS (FI_SEND | FI_MSG)

static const struct weft_post_match any = { 0, 0 };

static ssize_t weft_recv(struct fid_ep *fid, void *buf, size_t len, void *desc,
			 fi_addr_t src_addr, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = src_addr,
				     .context = context,
				     .comp_flags = RECV_FLAGS,
				     .flags = ep->rx_flags };

	return weft_post_recv(ep, &p, buf, len, &any);
}

static ssize_t weft_recvv(struct fid_ep *fid, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t src_addr,
			  void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = src_addr,
				     .context = context,
				     .comp_flags = RECV_FLAGS,
				     .flags = ep->rx_flags };

	return weft_post_recvv(ep, &p, iov, count, &any);
}

static ssize_t weft_recvmsg(struct fid_ep *fid, const struct fi_msg *msg,
			    uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = {
		.addr = msg->addr,
		.context = msg->context,
		.comp_flags = RECV_FLAGS,
		.flags = weft_post_flags(flags, ep->rx_selective) &
			 (WEFT_OP_QUIET | WEFT_OP_MULTI),
	};

	if ((flags & FI_MULTI_RECV) && msg->iov_count != 1)
		return -FI_EINVAL;
	return weft_post_recvv(ep, &p, msg->msg_iov, msg->iov_count, &any);
}

static ssize_t weft_send(struct fid_ep *fid, const void *buf, size_t len,
			 void *desc, fi_addr_t dest_addr, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = SEND_FLAGS,
				     .flags = ep->tx_flags,
				     .kind = WEFT_SEND };

	return weft_post_send(ep, &p, buf, len, 0, 0);
}

static ssize_t weft_sendv(struct fid_ep *fid, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t dest_addr,
			  void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = SEND_FLAGS,
				     .flags = ep->tx_flags,
				     .kind = WEFT_SEND };

	return weft_post_sendv(ep, &p, iov, count, 0, 0);
}

static ssize_t weft_sendmsg(struct fid_ep *fid, const struct fi_msg *msg,
			    uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = {
		.addr = msg->addr,
		.context = msg->context,
		.comp_flags = SEND_FLAGS,
		.flags = weft_post_flags(flags, ep->tx_selective),
		.kind = WEFT_SEND,
	};

	return weft_post_sendv(ep, &p, msg->msg_iov, msg->iov_count, 0,
			       msg->data);
}

static ssize_t weft_inject(struct fid_ep *fid, const void *buf, size_t len,
			   fi_addr_t dest_addr)
{
	return weft_post_inject(weft_to_ep(fid), 0, buf, len, dest_addr, 0, 0);
}

static ssize_t weft_senddata(struct fid_ep *fid, const void *buf, size_t len,
			     void *desc, uint64_t data, fi_addr_t dest_addr,
			     void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_post p = { .addr = dest_addr,
				     .context = context,
				     .comp_flags = SEND_FLAGS,
				     .flags = ep->tx_flags | WEFT_OP_DATA,
				     .kind = WEFT_SEND };

	return weft_post_send(ep, &p, buf, len, 0, data);
}

static ssize_t weft_injectdata(struct fid_ep *fid, const void *buf, size_t len,
			       uint64_t data, fi_addr_t dest_addr)
{
	return weft_post_inject(weft_to_ep(fid), WEFT_OP_DATA, buf, len,
				dest_addr, 0, data);
}

struct fi_ops_msg weft_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = weft_recv,
	.recvv = weft_recvv,
	.recvmsg = weft_recvmsg,
	.send = weft_send,
	.sendv = weft_sendv,
	.sendmsg = weft_sendmsg,
	.inject = weft_inject,
	.senddata = weft_senddata,
	.injectdata = weft_injectdata,
};

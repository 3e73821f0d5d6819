/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints with FI_HMEM: buffers may lie in memory of any kind (prov/mem).
 * Each call finds where the interface reaches its buffers, and goes on as
 * every other endpoint's does; those have no part in this and pay nothing.
 * Messages are here, remote memory and FI_WEFT_MEM in weft_hmem_rma.c.
 */
#include "prov/ofi/weft_data.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_hmem.h"

int weft_hmem_reach(struct iovec *iov)
{
	const struct weft_mem_kind *k;

	if (!iov->iov_len)
		return 0;
	k = weft_mem_kind_of(iov->iov_base, iov->iov_len);
	return k ? k->reach(iov->iov_base, iov->iov_len, &iov->iov_base)
		 : -EFAULT;
}

int weft_hmem_reach_all(struct weft_hmem_iov *r, const struct iovec *iov,
			size_t count)
{
	int err = 0;

	r->use = iov;
	if (count > WEFT_IOV_MAX)
		return 0; /* the call will say so */
	for (size_t i = 0; i < count && !err; i++) {
		r->iov[i] = iov[i];
		err = weft_hmem_reach(&r->iov[i]);
	}
	r->use = r->iov;
	return err;
}

/* ---- messages ---- */

static ssize_t hmem_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			 fi_addr_t addr, void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.recv(ep, v.iov_base, len, desc, addr,
				       context);
}

static ssize_t hmem_recvv(struct fid_ep *ep, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t addr,
			  void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.recvv(ep, r.use, desc, count, addr, context);
}

/* A buffer of several messages is reported by its address: the host's. */
static ssize_t hmem_recvmsg(struct fid_ep *ep, const struct fi_msg *msg,
			    uint64_t flags)
{
	struct fi_msg m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	if (err)
		return weft_ofi_err(err);
	if (flags & FI_MULTI_RECV && msg->iov_count &&
	    r.use[0].iov_base != msg->msg_iov[0].iov_base)
		return -FI_ENOSYS;
	m.msg_iov = r.use;
	return weft_msg_ops.recvmsg(ep, &m, flags);
}

static ssize_t hmem_send(struct fid_ep *ep, const void *buf, size_t len,
			 void *desc, fi_addr_t addr, void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.send(ep, v.iov_base, len, desc, addr,
				       context);
}

static ssize_t hmem_sendv(struct fid_ep *ep, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t addr,
			  void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.sendv(ep, r.use, desc, count, addr, context);
}

static ssize_t hmem_sendmsg(struct fid_ep *ep, const struct fi_msg *msg,
			    uint64_t flags)
{
	struct fi_msg m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	m.msg_iov = r.use;
	return err ? weft_ofi_err(err) : weft_msg_ops.sendmsg(ep, &m, flags);
}

static ssize_t hmem_inject(struct fid_ep *ep, const void *buf, size_t len,
			   fi_addr_t addr)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.inject(ep, v.iov_base, len, addr);
}

static ssize_t hmem_senddata(struct fid_ep *ep, const void *buf, size_t len,
			     void *desc, uint64_t data, fi_addr_t addr,
			     void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.senddata(ep, v.iov_base, len, desc, data,
					   addr, context);
}

static ssize_t hmem_injectdata(struct fid_ep *ep, const void *buf, size_t len,
			       uint64_t data, fi_addr_t addr)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_msg_ops.injectdata(ep, v.iov_base, len, data, addr);
}

struct fi_ops_msg weft_hmem_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = hmem_recv,
	.recvv = hmem_recvv,
	.recvmsg = hmem_recvmsg,
	.send = hmem_send,
	.sendv = hmem_sendv,
	.sendmsg = hmem_sendmsg,
	.inject = hmem_inject,
	.senddata = hmem_senddata,
	.injectdata = hmem_injectdata,
};

/* ---- tagged messages ---- */

static ssize_t hmem_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			  fi_addr_t addr, uint64_t tag, uint64_t ignore,
			  void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.recv(ep, v.iov_base, len, desc, addr, tag,
					  ignore, context);
}

static ssize_t hmem_trecvv(struct fid_ep *ep, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t addr,
			   uint64_t tag, uint64_t ignore, void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.recvv(ep, r.use, desc, count, addr, tag,
					   ignore, context);
}

static ssize_t hmem_trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
			     uint64_t flags)
{
	struct fi_msg_tagged m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	m.msg_iov = r.use;
	return err ? weft_ofi_err(err) : weft_tagged_ops.recvmsg(ep, &m, flags);
}

static ssize_t hmem_tsend(struct fid_ep *ep, const void *buf, size_t len,
			  void *desc, fi_addr_t addr, uint64_t tag,
			  void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.send(ep, v.iov_base, len, desc, addr, tag,
					  context);
}

static ssize_t hmem_tsendv(struct fid_ep *ep, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t addr,
			   uint64_t tag, void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.sendv(ep, r.use, desc, count, addr, tag,
					   context);
}

static ssize_t hmem_tsendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
			     uint64_t flags)
{
	struct fi_msg_tagged m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	m.msg_iov = r.use;
	return err ? weft_ofi_err(err) : weft_tagged_ops.sendmsg(ep, &m, flags);
}

static ssize_t hmem_tinject(struct fid_ep *ep, const void *buf, size_t len,
			    fi_addr_t addr, uint64_t tag)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.inject(ep, v.iov_base, len, addr, tag);
}

static ssize_t hmem_tsenddata(struct fid_ep *ep, const void *buf, size_t len,
			      void *desc, uint64_t data, fi_addr_t addr,
			      uint64_t tag, void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.senddata(ep, v.iov_base, len, desc, data,
					      addr, tag, context);
}

static ssize_t hmem_tinjectdata(struct fid_ep *ep, const void *buf, size_t len,
				uint64_t data, fi_addr_t addr, uint64_t tag)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_tagged_ops.injectdata(ep, v.iov_base, len, data, addr,
						tag);
}

struct fi_ops_tagged weft_hmem_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = hmem_trecv,
	.recvv = hmem_trecvv,
	.recvmsg = hmem_trecvmsg,
	.send = hmem_tsend,
	.sendv = hmem_tsendv,
	.sendmsg = hmem_tsendmsg,
	.inject = hmem_tinject,
	.senddata = hmem_tsenddata,
	.injectdata = hmem_tinjectdata,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoints with FI_HMEM: remote memory, and the memory itself. */
#include "prov/ofi/weft_data.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_hmem.h"

static ssize_t hmem_read(struct fid_ep *ep, void *buf, size_t len, void *desc,
			 fi_addr_t src, uint64_t addr, uint64_t key,
			 void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.read(ep, v.iov_base, len, desc, src, addr,
				       key, context);
}

static ssize_t hmem_readv(struct fid_ep *ep, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t src,
			  uint64_t addr, uint64_t key, void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.readv(ep, r.use, desc, count, src, addr, key,
					context);
}

static ssize_t hmem_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
			    uint64_t flags)
{
	struct fi_msg_rma m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	m.msg_iov = r.use;
	return err ? weft_ofi_err(err) : weft_rma_ops.readmsg(ep, &m, flags);
}

static ssize_t hmem_write(struct fid_ep *ep, const void *buf, size_t len,
			  void *desc, fi_addr_t dest, uint64_t addr,
			  uint64_t key, void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.write(ep, v.iov_base, len, desc, dest, addr,
					key, context);
}

static ssize_t hmem_writev(struct fid_ep *ep, const struct iovec *iov,
			   void **desc, size_t count, fi_addr_t dest,
			   uint64_t addr, uint64_t key, void *context)
{
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, iov, count);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.writev(ep, r.use, desc, count, dest, addr,
					 key, context);
}

static ssize_t hmem_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
			     uint64_t flags)
{
	struct fi_msg_rma m = *msg;
	struct weft_hmem_iov r;
	int err = weft_hmem_reach_all(&r, msg->msg_iov, msg->iov_count);

	m.msg_iov = r.use;
	return err ? weft_ofi_err(err) : weft_rma_ops.writemsg(ep, &m, flags);
}

static ssize_t hmem_inject_write(struct fid_ep *ep, const void *buf, size_t len,
				 fi_addr_t dest, uint64_t addr, uint64_t key)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.inject(ep, v.iov_base, len, dest, addr, key);
}

static ssize_t hmem_writedata(struct fid_ep *ep, const void *buf, size_t len,
			      void *desc, uint64_t data, fi_addr_t dest,
			      uint64_t addr, uint64_t key, void *context)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.writedata(ep, v.iov_base, len, desc, data,
					    dest, addr, key, context);
}

static ssize_t hmem_inject_writedata(struct fid_ep *ep, const void *buf,
				     size_t len, uint64_t data, fi_addr_t dest,
				     uint64_t addr, uint64_t key)
{
	struct iovec v;
	int err = weft_hmem_reach_one(&v, buf, len);

	return err ? weft_ofi_err(err)
		   : weft_rma_ops.injectdata(ep, v.iov_base, len, data, dest,
					     addr, key);
}

struct fi_ops_rma weft_hmem_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = hmem_read,
	.readv = hmem_readv,
	.readmsg = hmem_readmsg,
	.write = hmem_write,
	.writev = hmem_writev,
	.writemsg = hmem_writemsg,
	.inject = hmem_inject_write,
	.writedata = hmem_writedata,
	.injectdata = hmem_inject_writedata,
};

/* ---- the memory itself ---- */

/* A copy by the device's own means takes its time on the machine. */
static void pay(struct fid *fid, const struct weft_mem_kind *k, size_t len)
{
	struct weft_domain *d =
		weft_container_of(fid, struct weft_domain, fid.fid);
	struct weft_carrier *c = d->ep_count ? d->eps[0]->carrier : NULL;

	if (c && c->virt)
		c->virt->compute(c, (uint64_t)k->copy_ns * 1000 +
					    len * k->copy_ps_per_kib / 1024);
}

static int mem_copy(struct fid *fid, void *to, const void *from, size_t len,
		    bool in)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(in ? to : from, len);
	int err = !k ? -EFAULT : (in ? k->in : k->out)(to, from, len);

	if (!err)
		pay(fid, k, len);
	return (int)weft_ofi_err(err);
}

static int mem_in(struct fid *fid, void *to, const void *from, size_t len)
{
	return mem_copy(fid, to, from, len, true);
}

static int mem_out(struct fid *fid, void *to, const void *from, size_t len)
{
	return mem_copy(fid, to, from, len, false);
}

static int mem_alloc(struct fid *fid, size_t len, void **at)
{
	return (int)weft_ofi_err(weft_mem_alloc(WEFT_MEM_DEVICE, len, at));
}

static int mem_free(struct fid *fid, void *at)
{
	return (int)weft_ofi_err(weft_mem_free(WEFT_MEM_DEVICE, at));
}

struct fi_weft_mem weft_mem_ops = {
	.size = sizeof(struct fi_weft_mem),
	.alloc = mem_alloc,
	.free = mem_free,
	.in = mem_in,
	.out = mem_out,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* FI_WEFT_MEM: device memory for programs that call libfabric. */
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/ep/weft_stage.h"

#include <assert.h>
#include <string.h>

/*
 * Copies between device and host memory; in virtual time, charges the modelled
 * time of the device's copy.
 */
static int mem_move(struct fid *fid, const struct iovec *iov, size_t count,
		    void *host, int in)
{
	struct weft_domain *d =
		weft_container_of(fid, struct weft_domain, fid.fid);
	struct weft_stage_copy copy = {
		.iov = iov,
		.count = (int)count,
		.host = host,
		.in = in,
	};
	int err;

	for (size_t i = 0; i < count; i++)
		copy.bytes += iov[i].iov_len;
	weft_enter(d);
	err = weft_stage_copy(d->ep_count ? d->eps[0]->carrier : NULL, &copy);
	weft_leave(d);
	return (int)weft_ofi_err(err);
}

static int mem_in(struct fid *fid, void *to, const void *from, size_t len)
{
	const struct iovec iov = { to, len };

	return mem_move(fid, &iov, 1, (void *)(uintptr_t)from, 1);
}

static int mem_out(struct fid *fid, void *to, const void *from, size_t len)
{
	const struct iovec iov = { (void *)(uintptr_t)from, len };

	return mem_move(fid, &iov, 1, to, 0);
}

static int mem_alloc(struct fid *fid, size_t len, void **at)
{
	return (int)weft_ofi_err(weft_mem_alloc(WEFT_MEM_DEVICE, len, at));
}

static int mem_free(struct fid *fid, void *at)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(at, 1);

	if (k == weft_mem_kind_at(0))
		return -FI_EINVAL;
	return (int)weft_ofi_err(k->free(at));
}

static int mem_iface(struct fid *fid, const void *at, size_t len,
		     enum fi_hmem_iface *iface)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(at, len);

	if (!k)
		return -FI_EFAULT;
	*iface = (enum fi_hmem_iface)k->iface;
	return 0;
}

static int mem_use(struct fid_ep *fid)
{
	weft_hmem_enable(weft_container_of(fid, struct weft_ep, fid));
	return 0;
}

static int mem_use_segments(struct fid_ep *fid)
{
	weft_hmem_use(weft_container_of(fid, struct weft_ep, fid));
	return 0;
}

/* ---- memory of GPUs ---- */

static int mem_cuda(struct fid *fid)
{
	return weft_mem_cuda_possible();
}

static const void *const volatile *mem_cuda_gate(struct fid *fid)
{
	return weft_mem_cuda_gate();
}

static int mem_cuda_alloc(struct fid *fid, size_t len, void **at)
{
	return (int)weft_ofi_err(weft_mem_cuda.alloc(len, at));
}

static_assert(sizeof(struct fi_weft_share) == sizeof(struct weft_mem_share),
	      "the same description");

static int mem_share(struct fid *fid, const void *at, size_t len,
		     struct fi_weft_share *share)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(at, len);
	struct weft_mem_share s;

	if (!k || !k->share || k->share(at, len, &s))
		return -FI_EOPNOTSUPP;
	memcpy(share, &s, sizeof(s));
	return 0;
}

static int mem_open_share(struct fid *fid, const struct fi_weft_share *share,
			  void **at)
{
	const struct weft_mem_kind *k;
	struct weft_mem_share s;

	memcpy(&s, share, sizeof(s));
	k = weft_mem_kind_iface(s.iface);
	if (!k || !k->opened)
		return -FI_EOPNOTSUPP;
	return (int)weft_ofi_err(k->opened(&s, at));
}

static int mem_apply(struct fid *fid, const struct fi_weft_apply *x)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(x->to, 1);
	const struct weft_mem_apply apply = {
		.to = x->to,
		.a = x->a,
		.b = x->b,
		.count = x->count,
		.op = x->op,
		.type = x->type,
	};

	if (!k || !k->apply)
		return -FI_EOPNOTSUPP;
	return (int)weft_ofi_err(k->apply(&apply));
}

static int mem_copy(struct fid *fid, void *to, const void *from, size_t len)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(to, len);

	if (!k || !k->copy)
		return -FI_EOPNOTSUPP;
	return (int)weft_ofi_err(k->copy(to, from, len));
}

static int mem_wait(struct fid *fid)
{
	return (int)weft_ofi_err(weft_mem_cuda.wait());
}

struct fi_weft_mem weft_mem_ops = {
	.size = sizeof(struct fi_weft_mem),
	.alloc = mem_alloc,
	.free = mem_free,
	.in = mem_in,
	.out = mem_out,
	.iface = mem_iface,
	.move = mem_move,
	.use = mem_use,
	.use_segments = mem_use_segments,
	.cuda = mem_cuda,
	.cuda_gate = mem_cuda_gate,
	.cuda_alloc = mem_cuda_alloc,
	.share = mem_share,
	.open_share = mem_open_share,
	.apply = mem_apply,
	.copy = mem_copy,
	.wait = mem_wait,
};

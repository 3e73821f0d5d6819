/* SPDX-License-Identifier: BSD-3-Clause */
/* FI_WEFT_MEM: memory of the emulated device for programs over libfabric. */
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/ep/weft_stage.h"

/* Copies; in virtual time, charges the modelled time of the device's copy. */
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
	return (int)weft_ofi_err(weft_mem_free(WEFT_MEM_DEVICE, at));
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

struct fi_weft_mem weft_mem_ops = {
	.size = sizeof(struct fi_weft_mem),
	.alloc = mem_alloc,
	.free = mem_free,
	.in = mem_in,
	.out = mem_out,
	.iface = mem_iface,
	.move = mem_move,
	.use = mem_use,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RMA that is complete when the call returns (FI_WEFT_RMA_SYNC): one system
 * call, and no operation, queue or completion. Used by MPI for one-sided
 * accesses to the application's memory.
 */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"
#include "prov/mem/mem.h"

/*
 * Executes an access before returning. Inline for the reason given at
 * carrier_cma().
 */
WEFT_INLINE int access_now(struct weft_ep *ep, fi_addr_t addr, void *buf,
			   const struct weft_mem_access *want)
{
	struct weft_peer *peer;
	int err = -EAGAIN;

	weft_enter(ep->domain);
	/* the operating system can only access host memory */
	peer = ep->hmem && weft_mem_kind_of(buf, want->len) !=
				       weft_mem_kind_at(0)
		       ? NULL
		       : weft_post_peer(ep, addr);
	if (peer && !peer->lost)
		err = weft_nic_rma_now(ep->nic, peer, want, buf);
	weft_leave(ep->domain);
	return err ? -FI_EAGAIN : 0;
}

static int now_read(struct fid_ep *fid, void *buf, size_t len, fi_addr_t addr,
		    uint64_t remote, uint64_t key)
{
	const struct weft_mem_access want = { .key = key,
					      .addr = remote,
					      .len = len,
					      .access = WEFT_MR_REMOTE_READ };

	return access_now(weft_to_ep(fid), addr, buf, &want);
}

static int now_write(struct fid_ep *fid, const void *buf, size_t len,
		     fi_addr_t addr, uint64_t remote, uint64_t key)
{
	const struct weft_mem_access want = { .key = key,
					      .addr = remote,
					      .len = len,
					      .access = WEFT_MR_REMOTE_WRITE };

	return access_now(weft_to_ep(fid), addr, (void *)(uintptr_t)buf, &want);
}

struct fi_weft_rma_sync weft_rma_sync_ops = {
	.size = sizeof(struct fi_weft_rma_sync),
	.read = now_read,
	.write = now_write,
};

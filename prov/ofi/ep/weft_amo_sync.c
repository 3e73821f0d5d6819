/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on one word that the unit executes before the call returns
 * (FI_WEFT_AMO_SYNC): no operation, queue or completion. Used by MPI for
 * atomics in memory that processes of a host share.
 */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

#include <string.h>

static int amo_usable(struct fid_ep *fid)
{
	struct weft_ep *ep = weft_to_ep(fid);

	return ep->enabled && weft_nic_has_amo_word(ep->nic);
}

static int amo_word(struct fid_ep *fid, fi_addr_t addr,
		    const struct fi_weft_amo_word *c)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct weft_mem_access want = { .key = c->key,
					      .addr = c->remote };
	struct weft_amo_word w = {
		.at = c->at,
		.kind = c->compare  ? WEFT_COMPARE
			: c->result ? WEFT_FETCH
				    : WEFT_ATOMIC,
		.op = (uint8_t)c->op,
		.type = (uint8_t)c->type,
	};
	size_t bytes = weft_num_bytes((unsigned)c->type);
	struct weft_peer *peer;
	int err = -EAGAIN;

	if ((unsigned)c->op > UINT8_MAX || !bytes)
		return -FI_EOPNOTSUPP;
	if (c->op != FI_ATOMIC_READ)
		memcpy(&w.operand, c->operand, bytes);
	if (c->compare)
		memcpy(&w.compare, c->compare, bytes);
	weft_enter(ep->domain);
	peer = weft_post_peer(ep, addr);
	if (peer && !peer->lost)
		err = weft_nic_amo_now(ep->nic, peer, &want, &w);
	weft_leave(ep->domain);
	if (!err && c->result)
		memcpy(c->result, &w.old, bytes);
	return err;
}

struct fi_weft_amo_sync weft_amo_sync_ops = {
	.size = sizeof(struct fi_weft_amo_sync),
	.usable = amo_usable,
	.word = amo_word,
};

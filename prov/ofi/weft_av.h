/* SPDX-License-Identifier: BSD-3-Clause */
/* Address vectors: lookup of peers by address, and of addresses by peer. */
#ifndef WEFT_OFI_AV_H
#define WEFT_OFI_AV_H

#include "prov/ofi/weft_ofi.h"

int weft_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		 struct fid_av **av_p, void *context);

/*
 * Bind an endpoint to a vector, and unbind it. -EINVAL: the endpoint already
 * has one. The caller holds the lock.
 */
int weft_av_bind(struct weft_av *av, struct weft_ep *ep);
void weft_av_unbind(struct weft_ep *ep);

/* Slow paths of the two functions below, for use by these only (weft_av.c). */
struct weft_peer *weft_ep_peer_make(struct weft_ep *ep,
				    fi_addr_t addr) WEFT_COLD;
fi_addr_t weft_ep_source_find(struct weft_ep *ep,
			      struct weft_peer *peer) WEFT_COLD;

/*
 * Returns the peer with this address in O(1); NULL: the address is not in the
 * vector.
 */
static inline struct weft_peer *weft_ep_peer(struct weft_ep *ep, fi_addr_t addr)
{
	if (weft_likely(addr < ep->peer_room && ep->peers[addr]))
		return ep->peers[addr];
	return weft_ep_peer_make(ep, addr);
}

/*
 * Returns a peer's address in O(1); FI_ADDR_NOTAVAIL: the peer is not in the
 * vector.
 */
static inline fi_addr_t weft_ep_source(struct weft_ep *ep,
				       struct weft_peer *peer)
{
	if (weft_likely(peer->index < ep->source_room &&
			ep->sources[peer->index] != FI_ADDR_NOTAVAIL))
		return ep->sources[peer->index];
	return weft_ep_source_find(ep, peer);
}

#endif

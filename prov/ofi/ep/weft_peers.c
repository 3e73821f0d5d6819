/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports peers that have died or timed out, for callers that encode sources in
 * tags.
 */
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

static uint64_t peers_deaths(struct fid_ep *fid)
{
	struct weft_ep *ep = weft_to_ep(fid);
	uint64_t n;

	weft_enter(ep->domain);
	n = ep->nic ? weft_nic_dead_count(ep->nic) : 0;
	weft_leave(ep->domain);
	return n;
}

static int peers_dead(struct fid_ep *fid, fi_addr_t addr)
{
	struct weft_ep *ep = weft_to_ep(fid);
	uint32_t lost = 0;

	weft_enter(ep->domain);
	if (addr < ep->peer_room && ep->peers[addr])
		lost = ep->peers[addr]->lost;
	weft_leave(ep->domain);
	return lost == ECONNRESET || lost == ENOMEM ? (int)lost : 0;
}

struct filter {
	int (*fn)(void *arg, uint64_t tag, uint64_t ignore);
	void *arg;
};

static int filter_one(void *arg, uint64_t tag, uint64_t ignore)
{
	const struct filter *a = arg;

	return -a->fn(a->arg, tag, ignore);
}

static void peers_fail(struct fid_ep *fid,
		       int (*fn)(void *arg, uint64_t tag, uint64_t ignore),
		       void *arg)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct filter a = { fn, arg };

	weft_enter(ep->domain);
	if (ep->nic)
		weft_nic_recv_filter(ep->nic, filter_one, &a);
	weft_leave(ep->domain);
}

static void peers_contact(struct fid_ep *fid, fi_addr_t addr)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct weft_peer *peer = NULL;

	weft_enter(ep->domain);
	if (ep->nic && (addr >= ep->peer_room || !ep->peers[addr]))
		peer = weft_ep_peer(ep, addr);
	if (peer)
		weft_nic_contact(ep->nic, peer);
	weft_leave(ep->domain);
}

static void peers_ended(struct fid_ep *fid, fi_addr_t addr)
{
	struct weft_ep *ep = weft_to_ep(fid);

	weft_enter(ep->domain);
	if (ep->nic && addr < ep->peer_room && ep->peers[addr] &&
	    !ep->peers[addr]->lost)
		weft_nic_ended(ep->nic, ep->peers[addr]);
	weft_leave(ep->domain);
}

struct fi_weft_peers weft_peers_ops = {
	.size = sizeof(struct fi_weft_peers),
	.deaths = peers_deaths,
	.dead = peers_dead,
	.fail = peers_fail,
	.contact = peers_contact,
	.ended = peers_ended,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fi_open_ops: returns the ops tables of rdma/fi_ext_weft.h. */
#include "prov/ofi/weft_ext.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/weft_world.h"

#include <string.h>

/*
 * Returns the backend that provides the object's clock, and sets *c_p to its
 * carrier. If the domain has no endpoint yet, the clock is that of the host.
 */
static const struct weft_backend *clock_of(struct fid *fid,
					   struct weft_carrier **c_p)
{
	struct weft_ep *ep = weft_container_of(fid, struct weft_ep, fid.fid);
	struct weft_domain *d =
		weft_container_of(fid, struct weft_domain, fid.fid);
	struct weft_carrier *c;

	if (fid->fclass == FI_CLASS_EP)
		c = ep->carrier;
	else
		c = d->ep_count ? d->eps[0]->carrier : NULL;
	*c_p = c;
	return c ? c->ops->backend : &weft_backend_live;
}

static uint64_t now_ps(struct fid *fid)
{
	struct weft_carrier *c;

	return clock_of(fid, &c)->now_ps(c, true);
}

static uint64_t peek_ps(struct fid *fid)
{
	struct weft_carrier *c;

	return clock_of(fid, &c)->now_ps(c, false);
}

static uint64_t tick_ps(struct fid *fid)
{
	struct weft_carrier *c;

	return clock_of(fid, &c)->tick_ps(c);
}

static_assert(WEFT_COUNT_OF(((struct fi_weft_stats_data *)0)->unit) ==
		      WEFT_UNIT_COUNTERS,
	      "the counters of fi_ext_weft.h");

static void add_stats(struct fi_weft_stats_data *sum, struct weft_ep *ep)
{
	struct weft_carrier_stats s = { 0 };
	struct weft_nic_stats n;

	weft_nic_stats(ep->nic, &n);
	sum->posted_now += n.posted;
	sum->unexpected_now += n.unexpected;
	sum->rendezvous += n.rendezvous;
	sum->dma_bytes += n.dma_bytes;
	sum->paced += n.paced;
	sum->refused += n.garbage;
	sum->chained += n.chained;
	sum->unit_atomics += n.atomics;
	for (int i = 0; i < WEFT_UNIT_COUNTERS; i++)
		sum->unit[i] += n.unit[i];
	ep->carrier->ops->stats(ep->carrier, &s);
	sum->packets_sent += s.sent;
	sum->packets_received += s.received;
	sum->fifo_full += s.full;
	sum->refused += s.refused;
	sum->skipped += s.skipped;
	sum->sleeps += s.sleeps;
	sum->wakes += s.wakes;
	sum->resent += s.resent;
	sum->packets_remote += s.remote;
}

static ssize_t read_stats(struct fid *fid, struct fi_weft_stats_data *data,
			  size_t len)
{
	bool is_ep = fid->fclass == FI_CLASS_EP;
	struct weft_ep *ep = weft_container_of(fid, struct weft_ep, fid.fid);
	struct weft_domain *d =
		is_ep ? ep->domain
		      : weft_container_of(fid, struct weft_domain, fid.fid);
	struct fi_weft_stats_data sum = { 0 };

	if (is_ep && !ep->enabled)
		return -FI_EOPBADSTATE;
	weft_enter(d);
	if (is_ep) {
		add_stats(&sum, ep);
	} else {
		for (size_t i = 0; i < d->ep_count; i++)
			add_stats(&sum, d->eps[i]);
	}
	weft_leave(d);
	len = len < sizeof(sum) ? len : sizeof(sum);
	memcpy(data, &sum, len);
	return (ssize_t)len;
}

static struct fi_weft_clock clock_ops = {
	.size = sizeof(struct fi_weft_clock),
	.now_ps = now_ps,
	.tick_ps = tick_ps,
	.peek_ps = peek_ps,
};

static struct fi_weft_stats stats_ops = {
	.size = sizeof(struct fi_weft_stats),
	.read = read_stats,
};

static const struct {
	const char *name;
	void *ops;
} tables[] = {
	{ FI_WEFT_CLOCK, &clock_ops },
	{ FI_WEFT_STATS, &stats_ops },
	{ FI_WEFT_RECV, &weft_recv_ops },
	{ FI_WEFT_PEERS, &weft_peers_ops },
	{ FI_WEFT_TYPED, &weft_typed_ops },
	{ FI_WEFT_MEM, &weft_mem_ops },
	{ FI_WEFT_RMA_SYNC, &weft_rma_sync_ops },
	{ FI_WEFT_AMO_SYNC, &weft_amo_sync_ops },
};

int weft_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		  void *context)
{
	if (flags)
		return -FI_EBADFLAGS;
	if (fid->fclass == FI_CLASS_DOMAIN && weft_conf()->backend->has_world &&
	    !strcmp(name, FI_WEFT_WORLD)) {
		*ops = &weft_world_ops;
		return 0;
	}
	for (size_t i = 0; i < WEFT_COUNT_OF(tables); i++) {
		if (strcmp(tables[i].name, name))
			continue;
		*ops = tables[i].ops;
		return 0;
	}
	return -FI_ENOSYS;
}

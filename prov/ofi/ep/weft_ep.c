/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lifetime of an endpoint: created from an fi_info, bound to an address vector,
 * queues and counters, enabled (which opens the engine and sets the endpoint's
 * name), closed. The data path is in weft_msg.c and related files.
 */
#include "prov/ofi/ep/weft_ep.h"
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_av.h"
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/weft_domain.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/ep/weft_hmem.h"
#include "prov/ofi/weft_ext.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/ep/weft_ep_addr.h"
#include "prov/ofi/ep/weft_post.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define CQ_FLAGS \
	(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION | FI_READ | FI_WRITE)
#define MIN_MULTI_RECV 64

static struct weft_ep *to_ep(struct fid *fid)
{
	return weft_container_of(fid, struct weft_ep, fid.fid);
}

/* ---- bind ---------------------------------------------------------------- */

static int bind_cq(struct weft_ep *ep, struct weft_cq *cq, uint64_t flags)
{
	bool tx = flags & (FI_TRANSMIT | FI_READ | FI_WRITE);
	bool rx = flags & FI_RECV;

	if (flags & ~CQ_FLAGS)
		return -FI_EBADFLAGS;
	if ((!tx && !rx) || (tx && ep->tx_cq) || (rx && ep->rx_cq) ||
	    cq->domain != ep->domain)
		return -FI_EINVAL;
	if (tx) {
		ep->tx_cq = cq;
		ep->tx_selective = flags & FI_SELECTIVE_COMPLETION;
		weft_ref_get(&cq->ref);
	}
	if (rx) {
		ep->rx_cq = cq;
		ep->rx_selective = flags & FI_SELECTIVE_COMPLETION;
		weft_ref_get(&cq->ref);
	}
	return 0;
}

static const uint64_t cntr_flag[WEFT_CNTR_KINDS] = {
	[WEFT_CNTR_SEND] = FI_SEND,
	[WEFT_CNTR_RECV] = FI_RECV,
	[WEFT_CNTR_READ] = FI_READ,
	[WEFT_CNTR_WRITE] = FI_WRITE,
	[WEFT_CNTR_REMOTE_READ] = FI_REMOTE_READ,
	[WEFT_CNTR_REMOTE_WRITE] = FI_REMOTE_WRITE,
};

static int bind_cntr(struct weft_ep *ep, struct weft_cntr *cntr, uint64_t flags)
{
	uint64_t known = 0;
	int i;

	for (i = 0; i < WEFT_CNTR_KINDS; i++) {
		known |= cntr_flag[i];
		if ((flags & cntr_flag[i]) && ep->cntr[i])
			return -FI_EINVAL;
	}
	if (flags & ~known)
		return -FI_EBADFLAGS;
	for (i = 0; i < WEFT_CNTR_KINDS; i++) {
		if (!(flags & cntr_flag[i]))
			continue;
		ep->cntr[i] = cntr;
		weft_ref_get(&cntr->ref);
	}
	return 0;
}

static int bind_any(struct weft_ep *ep, struct fid *bfid, uint64_t flags)
{
	switch (bfid->fclass) {
	case FI_CLASS_CQ:
		return bind_cq(ep,
			       weft_container_of(bfid, struct weft_cq, fid.fid),
			       flags);
	case FI_CLASS_CNTR:
		return bind_cntr(
			ep, weft_container_of(bfid, struct weft_cntr, fid.fid),
			flags);
	case FI_CLASS_AV:
		return (int)weft_ofi_err(weft_av_bind(
			weft_container_of(bfid, struct weft_av, fid.fid), ep));
	case FI_CLASS_EQ:
		if (ep->eq)
			return -FI_EINVAL;
		ep->eq = weft_eq_of(bfid);
		weft_eq_get(ep->eq);
		return 0;
	default:
		return -FI_EINVAL;
	}
}

static int weft_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_ep *ep = to_ep(fid);
	int ret = -FI_EOPBADSTATE;

	weft_enter(ep->domain);
	if (!ep->enabled)
		ret = bind_any(ep, bfid, flags);
	weft_leave(ep->domain);
	return ret;
}

/* ---- enable -------------------------------------------------------------- */

static int enable_check(const struct weft_ep *ep)
{
	uint64_t tx = FI_SEND | FI_READ | FI_WRITE;
	bool sends = ep->tx_cq || ep->cntr[WEFT_CNTR_SEND] ||
		     ep->cntr[WEFT_CNTR_WRITE] || ep->cntr[WEFT_CNTR_READ];
	bool receives = ep->rx_cq || ep->cntr[WEFT_CNTR_RECV];

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	if (!ep->av)
		return -FI_ENOAV;
	if ((ep->caps & tx) && !sends)
		return -FI_ENOCQ;
	if ((ep->caps & FI_RECV) && (ep->caps & (FI_MSG | FI_TAGGED)) &&
	    !receives)
		return -FI_ENOCQ;
	return 0;
}

/*
 * If there is no launcher and the backend has a world (virtual time), joins the
 * world segment by the name of the job.
 */
static int world_join(struct weft_domain *d)
{
	const struct weft_conf *conf = weft_conf();

	if (!d->backend->has_world || d->world || !*conf->job)
		return 0;
	return weft_vt_join_job(&conf->vt, conf->job, &d->world);
}

static int nic_open(struct weft_ep *ep)
{
	const struct weft_conf *conf = weft_conf();
	const struct weft_carrier_ops *carrier = NULL;
	int err = world_join(ep->domain);
	struct weft_nic_attr attr = {
		.machine = ep->domain->machine,
		.up = &weft_done_callbacks,
		.up_arg = ep,
		.fifo_slots = conf->fifo_slots,
		.eager_bytes = conf->eager_bytes,
		.host_eager = conf->host_eager,
		.host_shared_copy = conf->host_shared_copy,
		.host_shared_copy_busy = conf->host_shared_copy_busy,
		.host_loop = conf->host_loop,
		.spin_ns = (uint32_t)conf->spin_ns,
		.min_multi = ep->min_multi_recv,
		.no_dma = !conf->dma,
		.node = conf->node,
		.arity = conf->arity,
		.faults = conf->faults,
		.silence_ms = conf->silence_ms,
		.stream_min = conf->stream_min,
		.encrypt = conf->encrypt,
		.world = ep->domain->world,
		.threads = ep->domain->threaded,
		.host_match = conf->host_match,
	};

	if (!err)
		err = weft_ep_addr_choose(ep, &carrier);
	attr.carrier = carrier;
	attr.name = ep->name;
	weft_ep_key_set(ep, &attr);
	if (!err)
		err = weft_nic_open(&attr, &ep->nic);
	if (err)
		return err;
	ep->carrier = weft_nic_carrier(ep->nic);
	weft_nic_name(ep->nic, &ep->name);
	weft_hmem_callbacks_set(ep);
	return 0;
}

static void nic_close(struct weft_ep *ep)
{
	weft_nic_close(ep->nic);
	ep->nic = NULL;
	ep->carrier = NULL;
}

static int ep_enable(struct weft_ep *ep)
{
	int err = enable_check(ep);

	if (err)
		return err;
	ep->tx_flags = weft_post_flags(ep->tx_op_flags, ep->tx_selective) &
		       (WEFT_OP_QUIET | WEFT_OP_ACK);
	ep->rx_flags = weft_post_flags(ep->rx_op_flags, ep->rx_selective) &
		       (WEFT_OP_QUIET | WEFT_OP_MULTI);
	err = nic_open(ep);
	if (err)
		return (int)weft_ofi_err(err);
	err = weft_domain_ep_add(ep->domain, ep);
	if (err) {
		nic_close(ep);
		return (int)weft_ofi_err(err);
	}
	ep->enabled = true;
	return 0;
}

static int weft_ep_control(struct fid *fid, int command, void *arg)
{
	struct weft_ep *ep = to_ep(fid);
	int ret;

	if (command != FI_ENABLE)
		return -FI_ENOSYS;
	weft_enter(ep->domain);
	ret = ep_enable(ep);
	weft_leave(ep->domain);
	return ret;
}

/* ---- close --------------------------------------------------------------- */

static void ep_unbind(struct weft_ep *ep)
{
	int i;

	weft_av_unbind(ep);
	if (ep->tx_cq)
		weft_ref_put(&ep->tx_cq->ref);
	if (ep->rx_cq)
		weft_ref_put(&ep->rx_cq->ref);
	for (i = 0; i < WEFT_CNTR_KINDS; i++) {
		if (ep->cntr[i])
			weft_ref_put(&ep->cntr[i]->ref);
	}
	if (ep->eq)
		weft_eq_put(ep->eq);
}

static int weft_ep_close(struct fid *fid)
{
	struct weft_ep *ep = to_ep(fid);
	struct weft_domain *d = ep->domain;

	if (weft_load32(&ep->ref))
		return -FI_EBUSY;
	weft_enter(d);
	if (ep->enabled)
		weft_domain_ep_del(d, ep);
	if (ep->nic)
		nic_close(ep);
	ep_unbind(ep);
	weft_leave(d);
	weft_ref_put(&d->ref);
	free(ep);
	return 0;
}

/* ---- options and names --------------------------------------------------- */

static ssize_t weft_ep_cancel(fid_t fid, void *context)
{
	struct weft_ep *ep = to_ep(fid);
	int err;

	if (!ep->nic)
		return -FI_EOPBADSTATE;
	weft_enter(ep->domain);
	err = weft_nic_cancel(ep->nic, context);
	weft_leave(ep->domain);
	/*
	 * -ENOENT is no error: the operation has completed, or will complete
	 * normally
	 */
	return err == -ENOENT ? 0 : weft_ofi_err(err);
}

static int get_p2p(const struct weft_ep *ep, void *optval, size_t *optlen)
{
	size_t room = *optlen;

	*optlen = sizeof(int);
	if (!ep->hmem)
		return -FI_ENOPROTOOPT;
	if (room < sizeof(int))
		return -FI_ETOOSMALL;
	*(int *)optval = ep->hmem == WEFT_HMEM_PEER ? FI_HMEM_P2P_ENABLED
						    : FI_HMEM_P2P_DISABLED;
	return 0;
}

static int weft_ep_getopt(fid_t fid, int level, int optname, void *optval,
			  size_t *optlen)
{
	struct weft_ep *ep = to_ep(fid);

	if (level == FI_OPT_ENDPOINT && optname == FI_OPT_FI_HMEM_P2P)
		return get_p2p(ep, optval, optlen);
	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*optlen < sizeof(size_t)) {
		*optlen = sizeof(size_t);
		return -FI_ETOOSMALL;
	}
	*(size_t *)optval = ep->min_multi_recv;
	*optlen = sizeof(size_t);
	return 0;
}

static int weft_ep_setopt(fid_t fid, int level, int optname, const void *optval,
			  size_t optlen)
{
	struct weft_ep *ep = to_ep(fid);

	if (level == FI_OPT_ENDPOINT && optname == FI_OPT_FI_HMEM_P2P)
		return optlen < sizeof(int)
			       ? -FI_EINVAL
			       : weft_hmem_set(ep, *(const int *)optval);
	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (optlen < sizeof(size_t))
		return -FI_EINVAL;
	weft_enter(ep->domain);
	ep->min_multi_recv = *(const size_t *)optval;
	if (ep->nic)
		weft_nic_set_min_multi(ep->nic, ep->min_multi_recv);
	weft_leave(ep->domain);
	return 0;
}

/* Returns the endpoint's name or, before fi_enable, the requested name. */
static int weft_ep_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct weft_ep *ep = to_ep(fid);
	size_t room = addr ? *addrlen : 0;

	*addrlen = weft_name_bytes(&ep->name);
	if (room)
		memcpy(addr, &ep->name, room < *addrlen ? room : *addrlen);
	return room < *addrlen ? -FI_ETOOSMALL : 0;
}

static int weft_ep_setname(fid_t fid, void *addr, size_t addrlen)
{
	struct weft_ep *ep = to_ep(fid);
	union weft_name name;

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	if (!weft_addr_read(addr, addrlen, &name) ||
	    name.sa.sa_family != ep->domain->family)
		return -FI_EINVAL;
	ep->name = name;
	return 0;
}

/* ---- tables -------------------------------------------------------------- */

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_ep_close,
	.bind = weft_ep_bind,
	.control = weft_ep_control,
	.ops_open = weft_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_ep ep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_ep_cancel,
	.getopt = weft_ep_getopt,
	.setopt = weft_ep_setopt,
	.tx_ctx = weft_nosys_tx_ctx,
	.rx_ctx = weft_nosys_rx_ctx,
	.rx_size_left = weft_nosys_size_left,
	.tx_size_left = weft_nosys_size_left,
};

static struct fi_ops_cm cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_ep_setname,
	.getname = weft_ep_getname,
	.getpeer = weft_nosys_getpeer,
	.connect = weft_nosys_connect,
	.listen = weft_nosys_listen,
	.accept = weft_nosys_accept,
	.reject = weft_nosys_reject,
	.shutdown = weft_nosys_shutdown,
	.join = weft_mcgroup_join,
};

/* Order bits of remote accesses. */
#define RMA_ORDERS                                                   \
	(FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_WAR | FI_ORDER_WAW | \
	 FI_ORDER_RMA_RAR | FI_ORDER_RMA_RAW | FI_ORDER_RMA_WAR |    \
	 FI_ORDER_RMA_WAW)

/*
 * Returns the flags for the reordering of remote accesses that is allowed:
 * none; WEFT_OP_LINES, if only the order of write after write was requested; or
 * WEFT_OP_RELAXED for any reordering.
 */
static uint32_t order_flags(uint64_t msg_order)
{
	uint64_t requested = msg_order & RMA_ORDERS;

	if (!requested)
		return WEFT_OP_RELAXED;
	return requested & ~(FI_ORDER_WAW | FI_ORDER_RMA_WAW) ? 0
							      : WEFT_OP_LINES;
}

static void ep_fill(struct weft_ep *ep, const struct fi_info *info)
{
	const struct fi_ep_attr *a = info->ep_attr;

	if (a && a->auth_key && a->auth_key_size) {
		ep->key_bytes = a->auth_key_size < sizeof(ep->key)
					? a->auth_key_size
					: sizeof(ep->key);
		memcpy(ep->key, a->auth_key, ep->key_bytes);
	}
	ep->caps = info->caps;
	if (info->tx_attr) {
		ep->tx_op_flags = info->tx_attr->op_flags;
		ep->tx_order = order_flags(info->tx_attr->msg_order);
	}
	if (info->rx_attr)
		ep->rx_op_flags = info->rx_attr->op_flags;
	ep->inject_bytes = ep->domain->machine->inject_bytes;
	ep->min_multi_recv = MIN_MULTI_RECV;
	if (!weft_addr_read(info->src_addr, info->src_addrlen, &ep->name) ||
	    ep->name.sa.sa_family != ep->domain->family) {
		ep->name = weft_addr_loopback(ep->domain->family, 0);
		weft_name_set_any(&ep->name);
	}
	/* peers cannot use 0.0.0.0 or :: as the endpoint's address */
	ep->anywhere = weft_name_is_any(&ep->name);
	if (ep->anywhere)
		weft_name_set_loopback(&ep->name);
	weft_list_init(&ep->av_link);
}

int weft_ep_open(struct fid_domain *domain, struct fi_info *info,
		 struct fid_ep **ep_p, void *context)
{
	struct weft_domain *d =
		weft_container_of(domain, struct weft_domain, fid);
	struct weft_ep *ep;

	if (!info || (info->ep_attr && info->ep_attr->type != FI_EP_UNSPEC &&
		      info->ep_attr->type != FI_EP_RDM))
		return -FI_EINVAL;
	ep = calloc(1, sizeof(*ep));
	if (!ep)
		return -FI_ENOMEM;
	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &fid_ops;
	ep->fid.ops = &ep_ops;
	ep->fid.cm = &cm_ops;
	ep->fid.msg = &weft_msg_ops;
	ep->fid.rma = &weft_rma_ops;
	ep->fid.tagged = &weft_tagged_ops;
	ep->fid.atomic = &weft_atomic_ops;
	ep->fid.collective = &weft_mcgroup_ops;
	ep->domain = d;
	ep_fill(ep, info);
	if (info->caps & FI_HMEM)
		weft_hmem_enable(ep);
	weft_ref_get(&d->ref);
	*ep_p = &ep->fid;
	return 0;
}

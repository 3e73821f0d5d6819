/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The domain: opens queues, counters, address vectors, memory regions and
 * endpoints, and has the lock that they share. Progress and waits use its list
 * of enabled endpoints.
 */
#include "prov/ofi/weft_domain.h"
#include "prov/ofi/ep/weft_atomic.h"
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_av.h"
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/ep/weft_ep.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_ext.h"
#include "prov/ofi/weft_mr.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/queue/weft_poll.h"
#include "prov/ofi/queue/weft_wait.h"

#include <stdlib.h>
#include <string.h>

static struct weft_domain *to_domain(struct fid *fid)
{
	return weft_container_of(fid, struct weft_domain, fid.fid);
}

int weft_domain_ep_add(struct weft_domain *d, struct weft_ep *ep)
{
	struct weft_ep **eps;

	eps = realloc(d->eps, (d->ep_count + 1) * sizeof(struct weft_ep *));
	if (!eps)
		return -ENOMEM;
	d->eps = eps;
	/*
	 * called before ep is listed, since the leader blocks on the old set of
	 * carriers
	 */
	weft_wait_ep_added(d, ep);
	eps[d->ep_count++] = ep;
	weft_mr_expose_all(ep);
	return 0;
}

void weft_domain_ep_del(struct weft_domain *d, struct weft_ep *ep)
{
	size_t i = 0;

	while (i < d->ep_count && d->eps[i] != ep)
		i++;
	if (i == d->ep_count)
		return;
	d->ep_count--;
	memmove(&d->eps[i], &d->eps[i + 1],
		(d->ep_count - i) * sizeof(struct weft_ep *));
	weft_wait_ep_removed(d, ep);
}

static int weft_domain_close(struct fid *fid)
{
	struct weft_domain *d = to_domain(fid);

	if (weft_load32(&d->ref))
		return -FI_EBUSY;
	weft_wait_close(d);
	if (d->eq)
		weft_eq_put(d->eq);
	weft_hash_fini(&d->mrs);
	weft_vt_close(d->world);
	weft_ref_put(&d->fabric->ref);
	free(d->eps);
	free(d);
	return 0;
}

static int weft_domain_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_domain *d = to_domain(fid);

	if (bfid->fclass != FI_CLASS_EQ || d->eq)
		return -FI_EINVAL;
	/* registration completes at once, so there would be no event */
	if (flags & FI_REG_MR)
		return -FI_EOPNOTSUPP;
	if (flags)
		return -FI_EBADFLAGS;
	d->eq = weft_eq_of(bfid);
	weft_eq_get(d->eq);
	return 0;
}

static int weft_endpoint2(struct fid_domain *domain, struct fi_info *info,
			  struct fid_ep **ep_p, uint64_t flags, void *context)
{
	if (flags)
		return -FI_EBADFLAGS;
	return weft_ep_open(domain, info, ep_p, context);
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_domain_close,
	.bind = weft_domain_bind,
	.control = weft_nosys_control,
	.ops_open = weft_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_domain domain_ops = {
	.size = sizeof(struct fi_ops_domain),
	.av_open = weft_av_open,
	.cq_open = weft_cq_open,
	.endpoint = weft_ep_open,
	.scalable_ep = weft_nosys_scalable_ep,
	.cntr_open = weft_cntr_open,
	.poll_open = weft_poll_open,
	.stx_ctx = weft_nosys_stx_ctx,
	.srx_ctx = weft_nosys_srx_ctx,
	.query_atomic = weft_query_atomic,
	.query_collective = weft_query_collective,
	.endpoint2 = weft_endpoint2,
};

/* Returns the family of names in this domain: AF_INET6 or AF_INET. */
static sa_family_t domain_family(const struct fi_info *info)
{
	union weft_name name;

	if (info->addr_format == FI_SOCKADDR_IN6)
		return AF_INET6;
	if (info->addr_format != FI_SOCKADDR_IN &&
	    weft_addr_read(info->src_addr, info->src_addrlen, &name))
		return name.sa.sa_family;
	return AF_INET;
}

int weft_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		     struct fid_domain **domain_p, void *context)
{
	struct weft_fabric *f =
		weft_container_of(fabric, struct weft_fabric, fid);
	struct weft_domain *d;
	int err;
	bool basic;

	if (!info->domain_attr ||
	    (info->domain_attr->name &&
	     strcmp(info->domain_attr->name, f->machine->name)))
		return -FI_EINVAL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -FI_ENOMEM;
	d->fid.fid.fclass = FI_CLASS_DOMAIN;
	d->fid.fid.context = context;
	d->fid.fid.ops = &fid_ops;
	d->fid.ops = &domain_ops;
	d->fid.mr = &weft_mr_ops;
	d->fabric = f;
	d->machine = f->machine;
	d->backend = weft_conf()->backend;
	/* unspecified attributes are set to the safest value */
	basic = info->domain_attr->mr_mode == FI_MR_BASIC;
	d->auto_progress = info->domain_attr->data_progress == FI_PROGRESS_AUTO;
	d->threaded = info->domain_attr->threading != FI_THREAD_DOMAIN ||
		      d->auto_progress;
	d->virt_addr = basic;
	d->prov_key = basic;
	d->av_type = info->domain_attr->av_type;
	d->family = domain_family(info);
	weft_hash_init(&d->mrs);
	err = weft_wait_open(d);
	if (err) {
		free(d);
		return (int)weft_ofi_err(err);
	}
	weft_ref_get(&f->ref);
	*domain_p = &d->fid;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory regions that peers may access, found by key. Keys are chosen by the
 * user and 8 bytes wide; addresses are offsets from the start of the region. If
 * the domain was opened with FI_MR_BASIC, the provider chooses the keys, and
 * addresses are virtual addresses.
 */
#include "prov/ofi/weft_mr.h"
#include "prov/mem/mem.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "src/base/memcheck.h"

#include <stdlib.h>

#define ACCESS                                                     \
	(FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | \
	 FI_REMOTE_WRITE)

static struct weft_mr *to_mr(struct fid *fid)
{
	return weft_container_of(fid, struct weft_mr, fid.fid);
}

int weft_mr_find(struct weft_domain *d, const struct weft_mr_request *want,
		 struct weft_mr **mr_p, void **at_p)
{
	struct weft_mr *mr = weft_hash_get(&d->mrs, want->key);
	uint64_t at;

	if (!mr)
		return -ENOKEY;
	if (want->access & ~mr->access)
		return -EACCES;
	at = want->addr - mr->start;
	/*
	 * for an address below the start, the unsigned difference is a huge
	 * offset
	 */
	if (at > mr->len || want->len > mr->len - at)
		return -EFAULT;
	*mr_p = mr;
	*at_p = mr->base + at;
	return 0;
}

/* ---- the tables that peers read ------------------------------------------ */

static void expose(struct weft_mr *mr, struct weft_ep *ep)
{
	struct weft_mem_access row = {
		.key = mr->fid.key,
		.addr = mr->start,
		.len = mr->len,
	};

	if (mr->access & FI_REMOTE_READ)
		row.access |= WEFT_MR_REMOTE_READ;
	if (mr->access & FI_REMOTE_WRITE)
		row.access |= WEFT_MR_REMOTE_WRITE;
	if (!row.access)
		return;
	/* this process must be notified of every access */
	if (mr->cntr || ep->cntr[WEFT_CNTR_REMOTE_READ] ||
	    ep->cntr[WEFT_CNTR_REMOTE_WRITE])
		row.access |= WEFT_MR_EVENTS;
	weft_nic_region_list(ep->nic, &row, mr->base);
}

static void expose_one(void *arg, uint64_t key, void *val)
{
	expose(val, arg);
}

void weft_mr_expose_all(struct weft_ep *ep)
{
	weft_hash_each(&ep->domain->mrs, expose_one, ep);
}

static void hide_everywhere(struct weft_mr *mr)
{
	struct weft_domain *d = mr->domain;

	for (size_t i = 0; i < d->ep_count; i++)
		weft_nic_region_unlist(d->eps[i]->nic, mr->fid.key);
}

/* Aborts accesses of peers to the region that are in progress. */
static void accesses_end(struct weft_mr *mr)
{
	struct weft_domain *d = mr->domain;

	for (size_t i = 0; i < d->ep_count; i++)
		weft_nic_region_closed(d->eps[i]->nic, mr->fid.key);
}

static void expose_everywhere(struct weft_mr *mr)
{
	struct weft_domain *d = mr->domain;

	for (size_t i = 0; i < d->ep_count; i++)
		expose(mr, d->eps[i]);
}

/* ---- open and close ------------------------------------------------------ */

static int weft_mr_close(struct fid *fid)
{
	struct weft_mr *mr = to_mr(fid);
	struct weft_domain *d = mr->domain;

	weft_enter(d);
	hide_everywhere(mr);
	accesses_end(mr);
	weft_hash_del(&d->mrs, mr->fid.key);
	if (mr->cntr)
		weft_ref_put(&mr->cntr->ref);
	if (mr->ep)
		weft_ref_put(&mr->ep->ref);
	weft_leave(d);
	weft_ref_put(&d->ref);
	free(mr);
	return 0;
}

static int bind_cntr(struct weft_mr *mr, struct weft_cntr *cntr, uint64_t flags)
{
	if (mr->cntr)
		return -FI_EINVAL;
	if (flags & ~(FI_REMOTE_READ | FI_REMOTE_WRITE))
		return -FI_EBADFLAGS;
	weft_ref_get(&cntr->ref);
	mr->cntr = cntr;
	mr->cntr_flags = flags ? flags : FI_REMOTE_READ | FI_REMOTE_WRITE;
	/* list the region again, so that peers report accesses from now on */
	hide_everywhere(mr);
	expose_everywhere(mr);
	return 0;
}

static int bind_ep(struct weft_mr *mr, struct weft_ep *ep)
{
	if (mr->ep)
		return -FI_EINVAL;
	weft_ref_get(&ep->ref);
	mr->ep = ep;
	return 0;
}

static int weft_mr_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_mr *mr = to_mr(fid);
	int ret;

	weft_enter(mr->domain);
	if (bfid->fclass == FI_CLASS_CNTR)
		ret = bind_cntr(
			mr, weft_container_of(bfid, struct weft_cntr, fid.fid),
			flags);
	else if (bfid->fclass == FI_CLASS_EP)
		ret = bind_ep(mr,
			      weft_container_of(bfid, struct weft_ep, fid.fid));
	else
		ret = -FI_EINVAL;
	weft_leave(mr->domain);
	return ret;
}

/*
 * Accepts FI_ENABLE and FI_REFRESH without an action, because registration
 * enables a region.
 */
static int weft_mr_control(struct fid *fid, int command, void *arg)
{
	return command == FI_ENABLE || command == FI_REFRESH ? 0 : -FI_ENOSYS;
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_mr_close,
	.bind = weft_mr_bind,
	.control = weft_mr_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

/*
 * Inserts the region under the user's key, or under a new key if the provider
 * chooses the keys. -ENOKEY: the key is in use.
 */
static int mr_key_insert(struct weft_domain *d, struct weft_mr *mr,
			 uint64_t key)
{
	if (d->prov_key)
		while (weft_hash_get(&d->mrs, d->next_key))
			d->next_key++;
	mr->fid.key = d->prov_key ? d->next_key++ : key;
	if (weft_hash_get(&d->mrs, mr->fid.key))
		return -ENOKEY;
	if (weft_hash_set(&d->mrs, mr->fid.key, mr))
		return -ENOMEM;
	expose_everywhere(mr);
	return 0;
}

static int attr_check(const struct fi_mr_attr *attr, uint64_t flags)
{
	if (flags & ~FI_RMA_EVENT)
		return -FI_EBADFLAGS;
	if (attr->iov_count != 1 || !attr->mr_iov)
		return -FI_EINVAL;
	if (attr->access & ~ACCESS)
		return -FI_EINVAL;
	if (attr->auth_key_size)
		return -FI_EINVAL;
	return 0;
}

/*
 * Sets *base_p to the address by which peers and the unit access memory of type
 * attr->iface (FI_HMEM_*). -FI_ENOSYS: this machine does not support the kind
 * of memory; -FI_EOPNOTSUPP: peers cannot access it.
 */
static int mr_address(struct weft_domain *d, const struct fi_mr_attr *attr,
		      char **base_p)
{
	const struct weft_mem_kind *k;
	const struct iovec iov = attr->mr_iov[0];
	void *base;
	int err;

	*base_p = iov.iov_base;
	k = weft_mem_kind_iface((unsigned)attr->iface);
	if (!k || (!d->machine->hmem && k->iface == WEFT_MEM_DEVICE_IFACE))
		return -FI_ENOSYS;
	if (k == weft_mem_kind_at(0) && !d->machine->hmem)
		return 0;
	if (weft_mem_kind_of(iov.iov_base, iov.iov_len) != k)
		return -FI_EINVAL;
	err = k->reach(iov.iov_base, iov.iov_len, &base);
	/*
	 * memory that peers cannot access may still be used as a local buffer
	 */
	if (err == -EOPNOTSUPP)
		return attr->access & (FI_REMOTE_READ | FI_REMOTE_WRITE)
			       ? -FI_EOPNOTSUPP
			       : 0;
	if (err)
		return -FI_EINVAL;
	*base_p = base;
	return 0;
}

static int weft_mr_regattr(struct fid *fid, const struct fi_mr_attr *attr,
			   uint64_t flags, struct fid_mr **mr_p)
{
	struct weft_domain *d;
	struct weft_mr *mr;
	char *base;
	int err;

	if (fid->fclass != FI_CLASS_DOMAIN || !attr)
		return -FI_EINVAL;
	err = attr_check(attr, flags);
	if (err)
		return err;
	d = weft_container_of(fid, struct weft_domain, fid.fid);
	/* peers cannot use FI_KEY_NOTAVAIL */
	if (!d->prov_key && attr->requested_key == FI_KEY_NOTAVAIL)
		return -FI_EKEYREJECTED;
	err = mr_address(d, attr, &base);
	if (err)
		return err;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -FI_ENOMEM;
	mr->fid.fid.fclass = FI_CLASS_MR;
	mr->fid.fid.context = attr->context;
	mr->fid.fid.ops = &fid_ops;
	mr->fid.mem_desc = mr;
	mr->domain = d;
	mr->base = base;
	mr->len = attr->mr_iov[0].iov_len;
	if (attr->access & FI_REMOTE_WRITE)
		weft_peer_wrote(base, mr->len);
	mr->start = d->virt_addr ? (uintptr_t)attr->mr_iov[0].iov_base
				 : attr->offset;
	mr->access = attr->access;
	mr->flags = flags;
	weft_enter(d);
	err = mr_key_insert(d, mr, attr->requested_key);
	weft_leave(d);
	if (err) {
		free(mr);
		return (int)weft_ofi_err(err);
	}
	weft_ref_get(&d->ref);
	*mr_p = &mr->fid;
	return 0;
}

static int weft_mr_regv(struct fid *fid, const struct iovec *iov, size_t count,
			uint64_t access, uint64_t offset,
			uint64_t requested_key, uint64_t flags,
			struct fid_mr **mr_p, void *context)
{
	struct fi_mr_attr attr = {
		.mr_iov = iov,
		.iov_count = count,
		.access = access,
		.offset = offset,
		.requested_key = requested_key,
		.context = context,
	};

	return weft_mr_regattr(fid, &attr, flags, mr_p);
}

static int weft_mr_reg(struct fid *fid, const void *buf, size_t len,
		       uint64_t access, uint64_t offset, uint64_t requested_key,
		       uint64_t flags, struct fid_mr **mr_p, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return weft_mr_regv(fid, &iov, 1, access, offset, requested_key, flags,
			    mr_p, context);
}

struct fi_ops_mr weft_mr_ops = {
	.size = sizeof(struct fi_ops_mr),
	.reg = weft_mr_reg,
	.regv = weft_mr_regv,
	.regattr = weft_mr_regattr,
};

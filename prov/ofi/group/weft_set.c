/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fi_av_set: ordered sets of addresses of one vector. All operations are local.
 * Addresses are kept in the order of insertion, also when others are removed,
 * because a member's position in the set is its rank in the group.
 */
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/weft_nosys.h"

#include <stdlib.h>
#include <string.h>

static struct weft_set *to_set(const struct fid_av_set *fid)
{
	return (struct weft_set *)(uintptr_t)fid;
}

int weft_set_index(const struct weft_set *set, fi_addr_t addr)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->addr[i] == addr)
			return (int)i;
	}
	return -1;
}

static int set_add(struct weft_set *set, fi_addr_t addr)
{
	size_t room = set->room ? set->room * 2 : 16;
	fi_addr_t *grown;

	if (set->count == set->room) {
		grown = realloc(set->addr, room * sizeof(*grown));
		if (!grown)
			return -FI_ENOMEM;
		set->addr = grown;
		set->room = room;
	}
	set->addr[set->count++] = addr;
	if (addr >= set->above)
		set->above = addr + 1;
	return 0;
}

/*
 * Returns whether the address is in the set; addresses inserted in ascending
 * order need no search.
 */
static bool set_has(const struct weft_set *set, fi_addr_t addr)
{
	return addr < set->above && weft_set_index(set, addr) >= 0;
}

/* Returns whether the address is currently in the vector. */
static bool in_vector(struct weft_av *av, fi_addr_t addr)
{
	bool there;

	weft_enter(av->domain);
	there = addr < av->count && av->entry[addr].name.sa.sa_family;
	weft_leave(av->domain);
	return there;
}

static int weft_set_union(struct fid_av_set *dst, const struct fid_av_set *src)
{
	struct weft_set *d = to_set(dst), *s = to_set(src);

	if (d->av != s->av)
		return -FI_EINVAL;
	for (size_t i = 0; i < s->count; i++) {
		int ret = set_has(d, s->addr[i]) ? 0 : set_add(d, s->addr[i]);

		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Keeps only those members of dst that are in src or, if keep_common is false,
 * only those that are not.
 */
static int set_filter(struct fid_av_set *dst, const struct fid_av_set *src,
		      bool keep_common)
{
	struct weft_set *d = to_set(dst), *s = to_set(src);
	size_t kept = 0;

	if (d->av != s->av)
		return -FI_EINVAL;
	for (size_t i = 0; i < d->count; i++) {
		if ((weft_set_index(s, d->addr[i]) >= 0) == keep_common)
			d->addr[kept++] = d->addr[i];
	}
	d->count = kept;
	return 0;
}

static int weft_set_intersect(struct fid_av_set *dst,
			      const struct fid_av_set *src)
{
	return set_filter(dst, src, true);
}

static int weft_set_diff(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return set_filter(dst, src, false);
}

static int weft_set_insert(struct fid_av_set *fid, fi_addr_t addr)
{
	struct weft_set *set = to_set(fid);

	if (set_has(set, addr) || !in_vector(set->av, addr))
		return -FI_EINVAL;
	return set_add(set, addr);
}

static int weft_set_remove(struct fid_av_set *fid, fi_addr_t addr)
{
	struct weft_set *set = to_set(fid);
	int i = weft_set_index(set, addr);

	if (i < 0)
		return -FI_EINVAL;
	set->count--;
	memmove(&set->addr[i], &set->addr[i + 1],
		(set->count - (size_t)i) * sizeof(set->addr[0]));
	return 0;
}

static int weft_set_addr(struct fid_av_set *set, fi_addr_t *coll_addr)
{
	*coll_addr = (uintptr_t)to_set(set);
	return 0;
}

void weft_set_put(struct weft_set *set)
{
	if (weft_add32(&set->ref, (uint32_t)-1) != 1)
		return;
	weft_ref_put(&set->av->ref);
	free(set->addr);
	free(set);
}

/*
 * Drops the caller's reference; joined groups hold their own references and
 * stay valid.
 */
static int weft_set_close(struct fid *fid)
{
	weft_set_put(weft_container_of(fid, struct weft_set, fid.fid));
	return 0;
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_set_close,
	.bind = weft_nosys_bind,
	.control = weft_nosys_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_av_set set_ops = {
	.size = sizeof(struct fi_ops_av_set),
	.set_union = weft_set_union,
	.intersect = weft_set_intersect,
	.diff = weft_set_diff,
	.insert = weft_set_insert,
	.remove = weft_set_remove,
	.addr = weft_set_addr,
};

/* Inserts every step-th address from first to last that is in the vector. */
static int set_fill(struct weft_set *set, fi_addr_t first, fi_addr_t last,
		    uint64_t step)
{
	for (fi_addr_t at = first;; at += step) {
		int ret = in_vector(set->av, at) ? set_add(set, at) : 0;

		if (ret || last - at < step)
			return ret;
	}
}

/* Inserts the initial members: all addresses, an inclusive range, or none. */
static int set_begin(struct weft_set *set, const struct fi_av_set_attr *attr)
{
	uint64_t step = attr->stride ? attr->stride : 1;
	fi_addr_t first = attr->start_addr, last = attr->end_addr;

	if (attr->flags & FI_UNIVERSE)
		return set->av->count ? set_fill(set, 0, set->av->count - 1, 1)
				      : 0;
	if (first == FI_ADDR_NOTAVAIL && last == FI_ADDR_NOTAVAIL)
		return 0;
	if (first > last || last >= set->av->count ||
	    (attr->count && (last - first) / step + 1 > attr->count))
		return -FI_EINVAL;
	return set_fill(set, first, last, step);
}

int weft_set_open(struct fid_av *av, struct fi_av_set_attr *attr,
		  struct fid_av_set **set_p, void *context)
{
	struct weft_set *set;
	int ret;
	uint64_t h = 0;

	if (!attr)
		return -FI_EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -FI_ENOMEM;
	set->fid.fid.fclass = FI_CLASS_AV_SET;
	set->fid.fid.context = context;
	set->fid.fid.ops = &fid_ops;
	set->fid.ops = &set_ops;
	set->av = weft_container_of(av, struct weft_av, fid);
	for (size_t i = 0; i < attr->comm_key_size; i++)
		h = weft_hash_mix(h + attr->comm_key[i] + 1);
	set->key = h;
	weft_store32(&set->ref, 1);
	ret = set_begin(set, attr);
	if (ret) {
		free(set->addr);
		free(set);
		return ret;
	}
	weft_ref_get(&set->av->ref);
	*set_p = &set->fid;
	return 0;
}

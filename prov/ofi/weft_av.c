/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address vectors. An fi_addr_t is an index into a table of names, for
 * FI_AV_MAP and FI_AV_TABLE. Each endpoint has a table that maps the index to
 * the peer record, filled on first use, so that the lookup in a post costs one
 * load, and a reverse table that maps a peer's index to the fi_addr_t, for
 * FI_SOURCE.
 *
 * With FI_AV_MAP, equal names get the same fi_addr_t, and its uses are counted;
 * with FI_AV_TABLE, every insertion gets a new index, as applications expect.
 */
#include "prov/ofi/weft_av.h"
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static struct weft_av *to_av(struct fid_av *fid)
{
	return weft_container_of(fid, struct weft_av, fid);
}

/*
 * Returns the key of a name in the hash table by_name, whose values are index +
 * 1.
 */
static uint64_t key_of(const union weft_name *name)
{
	return weft_name_key(name);
}

static uint32_t av_find(struct weft_av *av, const union weft_name *name)
{
	uintptr_t v = (uintptr_t)weft_hash_get(&av->by_name, key_of(name));

	return v && weft_name_equal(&av->entry[v - 1].name, name)
		       ? (uint32_t)(v - 1)
		       : NONE;
}

static int name_insert(struct weft_av *av, uint32_t i)
{
	return weft_hash_set(&av->by_name, key_of(&av->entry[i].name),
			     (void *)(uintptr_t)(i + 1));
}

static bool in_use(struct weft_av *av, fi_addr_t addr)
{
	return addr < av->count && av->entry[addr].name.in.sin_family;
}

/* ---- tables of the endpoint ---------------------------------------------- */

/*
 * Grows an array of 8-byte elements to hold index i; sets all new bytes to
 * `fill`. Returns the array, or NULL if out of memory.
 */
static void *table_grow(void *array, size_t *room, size_t i, int fill)
{
	size_t n = *room ? *room : 16;
	void *p;

	while (n <= i)
		n *= 2;
	p = realloc(array, n * sizeof(uint64_t));
	if (!p)
		return NULL;
	memset((uint64_t *)p + *room, fill, (n - *room) * sizeof(uint64_t));
	*room = n;
	return p;
}

static_assert(sizeof(fi_addr_t) == sizeof(uint64_t) &&
		      sizeof(struct weft_peer *) == sizeof(uint64_t),
	      "both tables hold words");

static int peer_set(struct weft_ep *ep, fi_addr_t addr, struct weft_peer *peer)
{
	void *p;

	if (addr >= ep->peer_room) {
		p = table_grow(ep->peers, &ep->peer_room, addr, 0);
		if (!p)
			return -ENOMEM;
		ep->peers = p;
	}
	ep->peers[addr] = peer;
	return 0;
}

struct weft_peer *weft_ep_peer_make(struct weft_ep *ep, fi_addr_t addr)
{
	struct weft_peer *peer;

	if (!in_use(ep->av, addr))
		return NULL;
	if (ep->carrier->ops->peer(ep->carrier, &ep->av->entry[addr].name,
				   &peer))
		return NULL;
	return peer_set(ep, addr, peer) ? NULL : peer;
}

fi_addr_t weft_ep_source_find(struct weft_ep *ep, struct weft_peer *peer)
{
	uint32_t i = av_find(ep->av, peer->name);
	void *p;

	if (i == NONE)
		return FI_ADDR_NOTAVAIL;
	if (peer->index >= ep->source_room) {
		p = table_grow(ep->sources, &ep->source_room, peer->index,
			       0xff);
		if (!p)
			return i;
		ep->sources = p;
	}
	/*
	 * cache the reverse entry only together with the forward entry, through
	 * which a removal finds the reverse entry
	 */
	if (!peer_set(ep, i, peer))
		ep->sources[peer->index] = i;
	return i;
}

static void ep_peer_drop(struct weft_ep *ep, fi_addr_t addr)
{
	struct weft_peer *peer;

	if (addr >= ep->peer_room || !ep->peers[addr])
		return;
	peer = ep->peers[addr];
	ep->peers[addr] = NULL;
	if (peer->index < ep->source_room && ep->sources[peer->index] == addr)
		ep->sources[peer->index] = FI_ADDR_NOTAVAIL;
}

int weft_av_bind(struct weft_av *av, struct weft_ep *ep)
{
	if (ep->av)
		return -EINVAL;
	ep->av = av;
	weft_list_push_back(&av->eps, &ep->av_link);
	weft_ref_get(&av->ref);
	return 0;
}

void weft_av_unbind(struct weft_ep *ep)
{
	if (!ep->av)
		return;
	weft_list_remove(&ep->av_link);
	weft_ref_put(&ep->av->ref);
	ep->av = NULL;
	free(ep->peers);
	free(ep->sources);
}

/* ---- inserting and removing ---------------------------------------------- */

/* Allocates an entry. Returns its index, or NONE if out of memory. */
static uint32_t entry_get(struct weft_av *av)
{
	uint32_t i = av->free;

	if (i != NONE) {
		av->free = av->entry[i].next_free;
		return i;
	}
	if (av->count == av->room) {
		uint32_t room = av->room ? av->room * 2 : 64;
		void *p = realloc(av->entry, room * sizeof(*av->entry));

		if (!p)
			return NONE;
		av->entry = p;
		av->room = room;
	}
	return av->count++;
}

static void entry_put(struct weft_av *av, uint32_t i)
{
	av->entry[i].name.in.sin_family = 0;
	av->entry[i].next_free = av->free;
	av->free = i;
}

/*
 * Inserts one name. Returns 0 or -errno (-EINVAL: not a valid endpoint name).
 */
static int insert_one(struct weft_av *av, const union weft_name *name,
		      fi_addr_t *addr_p)
{
	uint32_t known = NONE;
	uint32_t i;

	if (!weft_addr_is_name(name) ||
	    name->sa.sa_family != av->domain->family)
		return -EINVAL;
	known = av_find(av, name);
	if (known != NONE && av->type == FI_AV_MAP) {
		struct weft_list *pos, *tmp;

		av->entry[known].uses++;
		av->entry[known].name = *name;
		/* at the next use, endpoints look up the peer again */
		weft_list_each(pos, tmp, &av->eps)
			ep_peer_drop(
				weft_container_of(pos, struct weft_ep, av_link),
				known);
		*addr_p = known;
		return 0;
	}
	i = entry_get(av);
	if (i == NONE)
		return -ENOMEM;
	av->entry[i] = (struct weft_av_entry){ .name = *name, .uses = 1 };
	if (known == NONE && name_insert(av, i)) {
		entry_put(av, i);
		return -ENOMEM;
	}
	*addr_p = i;
	return 0;
}

/*
 * Removes an entry from by_name; if there is another entry of the same name,
 * by_name then refers to that one.
 */
static void name_remove(struct weft_av *av, uint32_t removed)
{
	uint64_t key = key_of(&av->entry[removed].name);

	if (av_find(av, &av->entry[removed].name) != removed)
		return;
	weft_hash_del(&av->by_name, key);
	if (av->type == FI_AV_MAP)
		return;
	for (uint32_t i = 0; i < av->count; i++)
		if (i != removed && in_use(av, i) &&
		    key_of(&av->entry[i].name) == key) {
			name_insert(av, i);
			return;
		}
}

static int remove_one(struct weft_av *av, fi_addr_t addr)
{
	struct weft_list *pos, *tmp;

	if (!in_use(av, addr))
		return -FI_EINVAL;
	if (--av->entry[addr].uses)
		return 0;
	name_remove(av, (uint32_t)addr);
	weft_list_each(pos, tmp, &av->eps)
		ep_peer_drop(weft_container_of(pos, struct weft_ep, av_link),
			     addr);
	entry_put(av, (uint32_t)addr);
	return 0;
}

/* Where an insertion stores its results. */
struct report {
	struct weft_av *av;
	fi_addr_t *addr; /* addresses; NULL: not requested */
	int *errs;	 /* error numbers (FI_SYNC_ERR), or NULL */
	void *context;
};

/*
 * Inserts `count` names, which are stored `stride` bytes apart and may be
 * unaligned.
 */
static int insert_all(struct weft_av *av, const void *names, size_t stride,
		      size_t count, const struct report *r)
{
	const size_t bytes = weft_addr_bytes(av->domain->family);
	struct fi_eq_entry done = { .fid = &av->fid.fid,
				    .context = r->context };

	weft_enter(av->domain);
	for (size_t i = 0; i < count; i++) {
		fi_addr_t addr = FI_ADDR_NOTAVAIL;
		union weft_name name;
		int err = -EINVAL;

		if (weft_addr_read((const char *)names + i * stride, bytes,
				   &name))
			err = insert_one(av, &name, &addr);
		if (r->addr)
			r->addr[i] = err ? FI_ADDR_NOTAVAIL : addr;
		if (r->errs)
			r->errs[i] = (int)-weft_ofi_err(err);
		if (err && r->av->flags & FI_EVENT)
			weft_eq_post_err(r->av->eq, &r->av->fid.fid, r->context,
					 -err, i);
		done.data += !err;
	}
	weft_leave(av->domain);
	if (!(av->flags & FI_EVENT))
		return (int)done.data;
	return (int)weft_ofi_err(
		weft_eq_post(av->eq, FI_AV_COMPLETE, &done, sizeof(done)));
}

/* First part of the three insertion calls: fills *r, or returns -FI_E*. */
static int insert_begin(struct weft_av *av, fi_addr_t *fi_addr, uint64_t flags,
			void *context, struct report *r)
{
	if (flags & ~(FI_MORE | FI_SYNC_ERR))
		return -FI_EBADFLAGS;
	if (av->flags & FI_EVENT && !av->eq)
		return -FI_ENOEQ;
	if (flags & FI_SYNC_ERR && (!context || av->flags & FI_EVENT))
		return -FI_EINVAL;
	*r = (struct report){
		.av = av,
		.addr = fi_addr,
		.errs = flags & FI_SYNC_ERR ? context : NULL,
		.context = context,
	};
	return 0;
}

static int weft_av_insert(struct fid_av *fid, const void *addr, size_t count,
			  fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct weft_av *av = to_av(fid);
	struct report r;
	int err = insert_begin(av, fi_addr, flags, context, &r);

	if (err)
		return err;
	return insert_all(av, addr, weft_addr_bytes(av->domain->family), count,
			  &r);
}

static int weft_av_insertsym(struct fid_av *fid, const char *node,
			     size_t nodecnt, const char *service, size_t svccnt,
			     fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	union weft_name *names;
	struct report r;
	int ret = insert_begin(to_av(fid), fi_addr, flags, context, &r);

	if (ret)
		return ret;
	if (!node || !service || !nodecnt || !svccnt)
		return -FI_EINVAL;
	names = calloc(nodecnt * svccnt, sizeof(*names));
	if (!names)
		return -FI_ENOMEM;
	ret = weft_addr_range(node, nodecnt, service, svccnt,
			      to_av(fid)->domain->family, names);
	if (!ret)
		ret = insert_all(to_av(fid), names, sizeof(*names),
				 nodecnt * svccnt, &r);
	free(names);
	return (int)weft_ofi_err(ret);
}

static int weft_av_insertsvc(struct fid_av *fid, const char *node,
			     const char *service, fi_addr_t *fi_addr,
			     uint64_t flags, void *context)
{
	return weft_av_insertsym(fid, node, 1, service, 1, fi_addr, flags,
				 context);
}

static int weft_av_remove(struct fid_av *fid, fi_addr_t *fi_addr, size_t count,
			  uint64_t flags)
{
	struct weft_av *av = to_av(fid);
	int ret = 0;

	if (flags)
		return -FI_EBADFLAGS;
	weft_enter(av->domain);
	for (size_t i = 0; i < count; i++) {
		int err = remove_one(av, fi_addr[i]);

		ret = err ? err : ret;
	}
	weft_leave(av->domain);
	return ret;
}

static int weft_av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr,
			  size_t *addrlen)
{
	struct weft_av *av = to_av(fid);
	size_t len = *addrlen;
	bool known;

	weft_enter(av->domain);
	known = in_use(av, fi_addr);
	if (known) {
		*addrlen = weft_addr_bytes(av->domain->family);
		memcpy(addr, &av->entry[fi_addr].name,
		       len < *addrlen ? len : *addrlen);
	}
	weft_leave(av->domain);
	return known ? 0 : -FI_EINVAL;
}

static const char *weft_av_straddr(struct fid_av *fid, const void *addr,
				   char *buf, size_t *len)
{
	return weft_addr_str(addr, buf, len);
}

/* ---- open and close ------------------------------------------------------ */

static int weft_av_close(struct fid *fid)
{
	struct weft_av *av = weft_container_of(fid, struct weft_av, fid.fid);

	if (weft_load32(&av->ref))
		return -FI_EBUSY;
	if (av->eq)
		weft_eq_put(av->eq);
	weft_hash_fini(&av->by_name);
	weft_ref_put(&av->domain->ref);
	free(av->entry);
	free(av);
	return 0;
}

static int weft_av_bind_eq(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_av *av = weft_container_of(fid, struct weft_av, fid.fid);

	if (bfid->fclass != FI_CLASS_EQ || av->eq)
		return -FI_EINVAL;
	if (flags)
		return -FI_EBADFLAGS;
	av->eq = weft_eq_of(bfid);
	weft_eq_get(av->eq);
	return 0;
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_av_close,
	.bind = weft_av_bind_eq,
	.control = weft_nosys_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_av av_ops = {
	.size = sizeof(struct fi_ops_av),
	.insert = weft_av_insert,
	.insertsvc = weft_av_insertsvc,
	.insertsym = weft_av_insertsym,
	.remove = weft_av_remove,
	.lookup = weft_av_lookup,
	.straddr = weft_av_straddr,
	.av_set = weft_set_open,
};

int weft_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		 struct fid_av **av_p, void *context)
{
	struct weft_domain *d =
		weft_container_of(domain, struct weft_domain, fid);
	struct weft_av *av;

	if (!attr)
		return -FI_EINVAL;
	/* only shared vectors, which are not supported, have a name */
	if (attr->name || attr->flags & FI_READ)
		return -FI_ENOSYS;
	if (attr->flags & ~(FI_EVENT | FI_SYMMETRIC))
		return -FI_EBADFLAGS;
	if (d->av_type && attr->type && attr->type != d->av_type)
		return -FI_EINVAL;
	av = calloc(1, sizeof(*av));
	if (!av)
		return -FI_ENOMEM;
	av->fid.fid.fclass = FI_CLASS_AV;
	av->fid.fid.context = context;
	av->fid.fid.ops = &fid_ops;
	av->fid.ops = &av_ops;
	av->domain = d;
	av->type = attr->type ? attr->type : d->av_type;
	if (!av->type)
		av->type = FI_AV_MAP;
	attr->type = av->type;
	av->flags = attr->flags;
	av->free = NONE;
	weft_hash_init(&av->by_name);
	weft_list_init(&av->eps);
	weft_ref_get(&d->ref);
	*av_p = &av->fid;
	return 0;
}

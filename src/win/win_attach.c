/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows. Each attachment is a separate memory region. Origins find
 * the key of the region in a list, either in the page that members share or in
 * the target's memory. In the second case origins read the list by fi_read:
 * only its version before each access, and the whole list if the version has
 * changed. If there is neither a shared page nor fi_read, accesses use
 * messages, and the target checks its own list. Device memory has no region:
 * origins see in the list that it is accessed by messages.
 */
#include "src/win/win_attach.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/offload/offload_device.h"
#include "src/win/win_am.h"
#include "src/win/win_fabric.h"
#include "src/win/win_heap.h"
#include "src/win/win_layout.h"
#include "src/win/win_op.h"

#include <errno.h>
#include <rdma/fi_domain.h>
#include <stdlib.h>

struct attached {
	struct weft_list link;
	uint64_t start;
	uint64_t bytes;
	bool device;
	struct fid_mr *mr;
	struct win_attached *slot; /* published slot, or NULL */
};

/* ---- regions ------------------------------------------------------------- */

int win_mr_open(const struct weft_win *w, void *base, size_t bytes,
		struct fid_mr **mr_p, uint64_t *key_p)
{
	static uint64_t keys;
	int rc;

	*mr_p = NULL;
	*key_p = 0;
	if (!w->rma || !bytes)
		return 0;
	weft_lock();
	*key_p = w->fabric->key_first + keys++;
	weft_unlock();
	rc = fi_mr_reg(weft_core.domain, base, bytes,
		       FI_REMOTE_READ | FI_REMOTE_WRITE, 0, *key_p, 0, mr_p,
		       NULL);
	if (!rc && w->fabric->bind_regions)
		rc = fi_mr_bind(*mr_p, &weft_core.ep->fid, 0);
	if (!rc && w->fabric->bind_regions)
		rc = fi_mr_enable(*mr_p);
	if (rc)
		return weft_fi_errno(rc);
	*key_p = fi_mr_key(*mr_p);
	return 0;
}

void win_mr_close(struct fid_mr *mr)
{
	if (mr)
		fi_close(&mr->fid);
}

/* ---- attachments of this rank -------------------------------------------- */

static struct attached *attached_of(struct weft_list *n)
{
	return weft_container_of(n, struct attached, link);
}

static bool overlaps(const struct attached *a, uint64_t start, uint64_t bytes)
{
	return start < a->start + a->bytes && a->start < start + bytes;
}

static bool any_overlaps(const struct weft_win *w, uint64_t start,
			 uint64_t bytes)
{
	struct weft_list *n;

	for (n = w->attached.next; n != &w->attached; n = n->next)
		if (overlaps(attached_of(n), start, bytes))
			return true;
	return false;
}

/*
 * Returns the number of bytes from address `start` to the end of the attachment
 * that contains it; 0: not attached. *device_p: it is device memory.
 */
static uint64_t attached_from(const struct weft_win *w, uint64_t start,
			      bool *device_p)
{
	struct weft_list *n;

	for (n = w->attached.next; n != &w->attached; n = n->next) {
		const struct attached *a = attached_of(n);

		*device_p = a->device;
		if (start >= a->start && start - a->start < a->bytes)
			return a->bytes - (start - a->start);
	}
	return 0;
}

bool win_attach_has(const struct weft_win *w, uint64_t start, uint64_t bytes)
{
	uint64_t n;
	bool device;

	for (; bytes; start += n, bytes -= n) {
		n = attached_from(w, start, &device);
		if (!n)
			return false;
		if (n > bytes)
			n = bytes;
	}
	return true;
}

/*
 * Returns whether this range of this rank's memory includes attached device
 * memory.
 */
static bool own_has_device(const struct weft_win *w, uint64_t start,
			   uint64_t bytes)
{
	struct weft_list *n;

	for (n = w->attached.next; n != &w->attached; n = n->next)
		if (attached_of(n)->device &&
		    overlaps(attached_of(n), start, bytes))
			return true;
	return false;
}

uint64_t win_attach_part(const struct weft_win *w, uint64_t start,
			 uint64_t bytes, bool *device_p)
{
	uint64_t n = attached_from(w, start, device_p), more = n;
	bool device = *device_p;

	while (more && n < bytes && !device) {
		more = attached_from(w, start + n, &device);
		n += device ? 0 : more;
	}
	return n < bytes ? n : bytes;
}

/* Published list of this rank's attachments; slot NULL: not published. */
struct published_list {
	struct win_attached *slot;
	weft_au32 *slots;
	weft_au32 *devices;
};

static struct published_list published_of(struct weft_win *w)
{
	if (w->page)
		return (struct published_list){
			win_attached(w->page, w->rank),
			&win_record(w->page, w->rank)->slots,
			&win_record(w->page, w->rank)->devices
		};
	if (w->remote_page)
		return (struct published_list){ w->remote_page->slot,
						&w->remote_page->slots,
						&w->remote_page->devices };
	return (struct published_list){ 0 };
}

/* Returns an empty slot; NULL: all slots are in use. */
static struct win_attached *slot_find(const struct published_list *all)
{
	for (uint32_t i = 0; i < WIN_ATTACHED_MAX; i++) {
		if (weft_load64(&all->slot[i].bytes))
			continue;
		if (i >= weft_load32(all->slots))
			weft_store32(all->slots, i + 1);
		return &all->slot[i];
	}
	return NULL;
}

/*
 * Called before and after a change of the list, so that concurrent readers
 * retry. The first fence orders the removal of a slot's earlier attachment
 * before the new values.
 */
static void version_step(struct weft_win *w)
{
	weft_fence_full();
	if (w->remote_page)
		weft_add64(&w->remote_page->version, 1);
	weft_fence_full();
}

static weft_au64 ids; /* ids of attachments */

static int publish(struct weft_win *w, struct attached *a, uint64_t key)
{
	struct published_list all = published_of(w);

	if (!all.slot || !a->bytes)
		return 0;
	version_step(w);
	a->slot = slot_find(&all);
	if (a->slot) {
		/* relaxed: bytes is stored last */
		weft_store64_relaxed(&a->slot->start, a->start);
		weft_store64_relaxed(&a->slot->key, key);
		weft_store64_relaxed(&a->slot->id, weft_add64(&ids, 1) + 1);
		a->slot->heap =
			win_heap_find((void *)(uintptr_t)a->start, a->bytes);
		a->slot->heap.device = a->device;
		if (a->device)
			weft_add32(all.devices, 1);
		/* R21 pairs with A21 in list_find() */
		weft_store64(&a->slot->bytes, a->bytes);
	}
	version_step(w);
	return a->slot ? 0 : -ENOSPC;
}

static void attached_close(struct weft_win *w, struct attached *a)
{
	if (a->slot) {
		version_step(w);
		weft_store64(&a->slot->bytes, 0);
		if (a->device)
			weft_add32(published_of(w).devices, (uint32_t)-1);
		version_step(w);
	}
	win_mr_close(a->mr);
	free(a);
}

/*
 * Prepares access to the memory: registers host memory, or receives messages
 * that access device memory.
 */
static int attached_open(struct weft_win *w, struct attached *a, uint64_t *key)
{
	char *base = (char *)(uintptr_t)a->start;

	*key = 0;
	a->device = a->bytes && weft_device_owns(base);
	if (a->bytes && weft_device_owns(base + a->bytes - 1) != a->device)
		return -EXDEV;
	return a->device ? win_am_open(w)
			 : win_mr_open(w, base, a->bytes, &a->mr, key);
}

int weft_win_attach(struct weft_win *w, void *base, MPI_Aint size)
{
	uint64_t start = (uintptr_t)base, bytes = (uint64_t)size, key;
	struct attached *a;
	int rc;

	if (any_overlaps(w, start, bytes))
		return -EBUSY;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->start = start;
	a->bytes = bytes;
	rc = attached_open(w, a, &key);
	if (!rc)
		rc = publish(w, a, key);
	if (rc) {
		attached_close(w, a);
		return rc;
	}
	weft_lock();
	weft_list_push_back(&w->attached, &a->link);
	weft_add32(&w->devices, a->device);
	weft_unlock();
	return 0;
}

int weft_win_detach(struct weft_win *w, const void *base)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &w->attached) {
		struct attached *a = attached_of(pos);

		if (a->start != (uintptr_t)base)
			continue;
		weft_lock();
		weft_list_remove(&a->link);
		weft_add32(&w->devices, (uint32_t)-a->device);
		weft_unlock();
		attached_close(w, a);
		return 0;
	}
	return -ENOENT;
}

void win_attach_clear(struct weft_win *w)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&w->attached)))
		attached_close(w, attached_of(n));
}

/* ---- attachments of a target --------------------------------------------- */

/* Copy of the list of a member without a shared page, as last read. */
struct win_list {
	uint64_t version;
	uint32_t slots;
	uint32_t devices;
	struct win_attached slot[];
};
static_assert(offsetof(struct win_list, slot) ==
		      offsetof(struct win_remote, slot) -
			      offsetof(struct win_remote, version),
	      "same layout");

static int remote_read(struct weft_win *w, int target, size_t at, void *to,
		       size_t bytes)
{
	const struct weft_win_peer *p = &w->peer[target];
	struct win_fi f = {
		.kind = WIN_FI_READ,
		.local = to,
		.len = bytes,
		.addr = (w->fabric->by_address ? p->remote_addr : 0) + at,
		.key = p->remote_key
	};

	return win_fi_execute(w, target, &f);
}

/*
 * Reads a list with head->slots slots. If the list has not changed meanwhile,
 * sets *list_p; otherwise sets *head to the new header.
 */
static int list_read(struct weft_win *w, int target, struct win_list *head,
		     struct win_list **list_p)
{
	size_t at = offsetof(struct win_remote, version), bytes;
	struct win_list again, *l;
	int rc;

	bytes = sizeof(*l) + head->slots * sizeof(l->slot[0]);
	l = malloc(bytes);
	if (!l)
		return -ENOMEM;
	rc = remote_read(w, target, at, l, bytes);
	if (!rc)
		rc = remote_read(w, target, at, &again, sizeof(again));
	if (!rc && l->version == again.version && !(again.version & 1) &&
	    l->slots == head->slots) {
		*list_p = l;
		return 0;
	}
	free(l);
	*head = again;
	return rc;
}

static bool list_is(struct weft_win *w, int target, uint64_t version)
{
	const struct win_list *l;
	bool same;

	weft_lock();
	l = w->peer[target].list;
	same = l && l->version == version;
	weft_unlock();
	return same;
}

int win_attach_update(struct weft_win *w, int target)
{
	size_t at = offsetof(struct win_remote, version);
	struct weft_win_peer *p = &w->peer[target];
	struct win_list head, *l = NULL;
	int rc;

	if (!w->dynamic || !p->remote_addr || target == w->rank)
		return 0;
	rc = remote_read(w, target, at, &head, sizeof(head));
	if (rc || list_is(w, target, head.version))
		return rc;
	while (!rc && !l)
		rc = head.slots > WIN_ATTACHED_MAX
			     ? -EIO
			     : list_read(w, target, &head, &l);
	if (rc)
		return rc;
	weft_lock();
	free(p->list);
	p->list = l;
	weft_unlock();
	return 0;
}

/*
 * Returns whether a slot with these values has not changed meanwhile. If
 * another attachment has taken the slot, values of both may be mixed. A valid
 * access refers to neither of them, since its attachment exists before and
 * after the access.
 */
static bool slot_is(struct win_attached *slot, uint64_t room, uint64_t at)
{
	/* A21 pairs with R21 in publish() */
	return weft_load64(&slot->bytes) == room &&
	       weft_load64_relaxed(&slot->start) == at;
}

static int list_find(struct win_attached *all, uint32_t n, uint64_t start,
		     struct win_attach_place *p)
{
	for (uint32_t i = 0; i < n && i < WIN_ATTACHED_MAX; i++) {
		/* A21 pairs with R21 in publish() */
		uint64_t room = weft_load64(&all[i].bytes);
		/* acquire: pairs with the fence of version_step() */
		uint64_t at = weft_load64(&all[i].start);

		if (start < at || start - at >= room ||
		    !slot_is(&all[i], room, at))
			continue;
		p->addr = start - at;
		p->key = weft_load64_relaxed(&all[i].key);
		p->bytes = room - (start - at);
		p->slot = i;
		p->device = all[i].heap.device;
		return 0;
	}
	return -ERANGE;
}

int win_attach_find(struct weft_win *w, int target, uint64_t start,
		    struct win_attach_place *p)
{
	struct win_list *l;
	int rc = -ERANGE;

	if (w->page)
		return list_find(
			win_attached(w->page, target),
			weft_load32(&win_record(w->page, target)->slots), start,
			p);
	weft_lock();
	l = w->peer[target].list;
	if (l)
		rc = list_find(l->slot, l->slots, start, p);
	weft_unlock();
	if (!rc && w->fabric->by_address)
		p->addr = start;
	return rc;
}

/* Returns whether the range from `start` includes device memory of the list. */
static bool list_has_device(struct win_attached *all, uint32_t n,
			    uint64_t start, uint64_t bytes)
{
	for (uint32_t i = 0; i < n && i < WIN_ATTACHED_MAX; i++) {
		/* A21 pairs with R21 in publish() */
		uint64_t room = weft_load64(&all[i].bytes);
		uint64_t at = weft_load64(&all[i].start);

		if (start < at + room && at < start + bytes &&
		    slot_is(&all[i], room, at) && all[i].heap.device)
			return true;
	}
	return false;
}

bool win_attach_on_device(struct weft_win *w, int target, uint64_t start,
			  uint64_t bytes)
{
	struct win_record *r;
	struct win_list *l;
	bool found;

	if (target == w->rank)
		return weft_load32(&w->devices) &&
		       own_has_device(w, start, bytes);
	if (w->page) {
		r = win_record(w->page, target);
		return weft_load32(&r->devices) &&
		       list_has_device(win_attached(w->page, target),
				       weft_load32(&r->slots), start, bytes);
	}
	weft_lock();
	l = w->peer[target].list;
	found = l && l->devices &&
		list_has_device(l->slot, l->slots, start, bytes);
	weft_unlock();
	return found;
}

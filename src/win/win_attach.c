/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows. An attachment is a region of its own; where members share a
 * page, the page lists it, so that origins find key and offset by themselves.
 * Elsewhere accesses go by messages, and the target looks at its own list.
 */
#include "src/win/win_attach.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/win/win_fabric.h"
#include "src/win/win_layout.h"

#include <errno.h>
#include <rdma/fi_domain.h>
#include <stdlib.h>

struct attached {
	struct weft_list link;
	uint64_t start;
	uint64_t bytes;
	struct fid_mr *mr;
	struct win_attached *slot; /* in the page, or NULL */
};

/* ---- regions ----------------------------------------------------------- */

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
	if (!rc && w->fabric->binds)
		rc = fi_mr_bind(*mr_p, &weft_core.ep->fid, 0);
	if (!rc && w->fabric->binds)
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

/* ---- mine -------------------------------------------------------------- */

static struct attached *attached_of(struct weft_list *n)
{
	return weft_container_of(n, struct attached, link);
}

static bool meet(const struct attached *a, uint64_t start, uint64_t bytes)
{
	return start < a->start + a->bytes && a->start < start + bytes;
}

static bool any_meets(const struct weft_win *w, uint64_t start, uint64_t bytes)
{
	struct weft_list *n;

	for (n = w->attached.next; n != &w->attached; n = n->next)
		if (meet(attached_of(n), start, bytes))
			return true;
	return false;
}

/* Bytes from start on that one attachment has. */
static uint64_t attached_from(const struct weft_win *w, uint64_t start)
{
	struct weft_list *n;

	for (n = w->attached.next; n != &w->attached; n = n->next) {
		const struct attached *a = attached_of(n);

		if (start >= a->start && start - a->start < a->bytes)
			return a->bytes - (start - a->start);
	}
	return 0;
}

bool win_attach_has(const struct weft_win *w, uint64_t start, uint64_t bytes)
{
	uint64_t n;

	for (; bytes; start += n, bytes -= n) {
		n = attached_from(w, start);
		if (!n)
			return false;
		if (n > bytes)
			n = bytes;
	}
	return true;
}

/* An empty slot of the page; NULL: none is left. */
static struct win_attached *slot_find(struct weft_win *w)
{
	struct win_attached *all = win_attached(w->page, w->rank);

	weft_au32 *slots = &win_row(w->page, w->rank)->slots;

	for (uint32_t i = 0; i < WIN_ATTACHED_MAX; i++) {
		if (weft_load64(&all[i].key))
			continue;
		if (i >= weft_load32(slots))
			weft_store32(slots, i + 1);
		return &all[i];
	}
	return NULL;
}

static int show(struct weft_win *w, struct attached *a, uint64_t key)
{
	if (!w->page || !a->bytes)
		return 0;
	a->slot = slot_find(w);
	if (!a->slot)
		return -ENOSPC;
	/* relaxed: the key is stored last */
	weft_store64_relaxed(&a->slot->start, a->start);
	weft_store64_relaxed(&a->slot->bytes, a->bytes);
	/* R21 pairs with A21 in win_attach_find() */
	weft_store64(&a->slot->key, key);
	return 0;
}

static void drop(struct attached *a)
{
	if (a->slot)
		weft_store64(&a->slot->key, 0);
	win_mr_close(a->mr);
	free(a);
}

int weft_win_attach(struct weft_win *w, void *base, MPI_Aint size)
{
	uint64_t start = (uintptr_t)base, bytes = (uint64_t)size, key;
	struct attached *a;
	int rc;

	if (any_meets(w, start, bytes))
		return -EBUSY;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->start = start;
	a->bytes = bytes;
	rc = win_mr_open(w, base, bytes, &a->mr, &key);
	if (!rc)
		rc = show(w, a, key);
	if (rc) {
		drop(a);
		return rc;
	}
	weft_lock();
	weft_list_push_back(&w->attached, &a->link);
	weft_unlock();
	return 0;
}

int weft_win_detach(struct weft_win *w, const void *base)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &w->attached)
	{
		struct attached *a = attached_of(pos);

		if (a->start != (uintptr_t)base)
			continue;
		weft_lock();
		weft_list_remove(&a->link);
		weft_unlock();
		drop(a);
		return 0;
	}
	return -ENOENT;
}

void win_attach_clear(struct weft_win *w)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&w->attached)))
		drop(attached_of(n));
}

/* ---- a target's -------------------------------------------------------- */

int win_attach_find(struct weft_win *w, int target, uint64_t start,
		    struct win_attach_place *p)
{
	struct win_attached *all = win_attached(w->page, target);
	uint32_t n = weft_load32(&win_row(w->page, target)->slots);

	for (uint32_t i = 0; i < n && i < WIN_ATTACHED_MAX; i++) {
		/* A21 pairs with R21 in show() */
		uint64_t key = weft_load64(&all[i].key);
		uint64_t at = weft_load64_relaxed(&all[i].start);
		uint64_t room = weft_load64_relaxed(&all[i].bytes);

		if (!key || start < at || start - at >= room)
			continue;
		p->addr = start - at;
		p->key = key;
		p->bytes = room - (start - at);
		return 0;
	}
	return MPI_ERR_RMA_RANGE;
}

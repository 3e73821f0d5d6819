/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings of attachments of members on this host; see win_mapped.h. */
#include "src/win/win_mapped.h"

#include "src/base/region.h"
#include "src/core/core_lock.h"
#include "src/win/win_attach.h"
#include "src/win/win_heap.h"
#include "src/win/win_layout.h"

#include <stdlib.h>
#include <string.h>

/* Cached mapping of one attachment: one slot in the target's list. */
struct mapping {
	uint64_t id; /* attachment id; 0: unused entry */
	char *mem;   /* address of the mapping; NULL: mapping failed */
	struct win_heap_map map;
};

/*
 * Cached mappings of a target's attachments, indexed by slot; protected by the
 * core lock.
 */
struct win_mapped {
	uint32_t slots;
	struct mapping entry[];
};

static void mapping_close(struct mapping *n)
{
	if (n->map.base)
		weft_region_window_close(n->map.base, n->map.bytes);
	*n = (struct mapping){ 0 };
}

static struct mapping *mapping_at(struct weft_win_peer *p, uint32_t slot)
{
	uint32_t had = p->mappings ? p->mappings->slots : 0, has = 2 * slot + 4;
	struct win_mapped *all = p->mappings;

	if (slot >= had) {
		all = realloc(all, sizeof(*all) + has * sizeof(all->entry[0]));
		if (!all)
			return NULL;
		memset(&all->entry[had], 0,
		       (has - had) * sizeof(all->entry[0]));
		all->slots = has;
		p->mappings = all;
	}
	return &all->entry[slot];
}

/* relaxed: the caller has found the slot, or only compares its id */
static uint64_t id_of(const struct win_attached *slot)
{
	return weft_load64_relaxed(&slot->id);
}

/* Unmaps attachments whose slots have changed. */
static void close_detached(struct win_mapped *all, struct win_attached *slot)
{
	for (uint32_t i = 0; i < all->slots && i < WIN_ATTACHED_MAX; i++)
		if (all->entry[i].id && (!weft_load64(&slot[i].bytes) ||
					 all->entry[i].id != id_of(&slot[i])))
			mapping_close(&all->entry[i]);
}

static char *map_slot(struct weft_win *w, int target, uint32_t i)
{
	struct win_attached *all = win_attached(w->page, target);
	struct mapping *n = mapping_at(&w->peer[target], i);

	if (!n)
		return NULL;
	if (weft_likely(n->id == id_of(&all[i])))
		return n->mem;
	close_detached(w->peer[target].mappings, all);
	n->id = id_of(&all[i]);
	/* relaxed: the caller has found the slot */
	if (win_heap_map(&all[i].heap, weft_load64_relaxed(&all[i].bytes),
			 &n->map, &n->mem))
		n->mem = NULL;
	return n->mem;
}

char *win_mapped_find(struct weft_win *w, int target, uint64_t start,
		      uint64_t bytes)
{
	struct win_attach_place p;
	char *mem;

	if (!w->dynamic || !w->page || win_attach_find(w, target, start, &p) ||
	    p.bytes < bytes ||
	    win_attached(w->page, target)[p.slot].heap.fd < 0)
		return NULL;
	weft_lock();
	mem = map_slot(w, target, p.slot);
	weft_unlock();
	return mem ? mem + p.addr : NULL;
}

void win_mapped_close(struct weft_win *w)
{
	for (int t = 0; w->peer && t < w->size; t++) {
		struct win_mapped *all = w->peer[t].mappings;

		for (uint32_t i = 0; all && i < all->slots; i++)
			mapping_close(&all->entry[i]);
		free(all);
	}
}

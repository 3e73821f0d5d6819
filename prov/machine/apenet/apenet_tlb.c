/* SPDX-License-Identifier: BSD-3-Clause */
/* The translation lookaside buffer: fully associative, LRU replacement. */
#include "prov/machine/apenet/apenet_tlb.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

int apenet_tlb_init(struct apenet_tlb *t, unsigned entries)
{
	weft_list_init(&t->used);
	weft_list_init(&t->free);
	weft_hash_init(&t->by_key);
	t->guess = NULL;
	t->entries = entries;
	t->entry = entries ? calloc(entries, sizeof(*t->entry)) : NULL;
	if (entries && !t->entry)
		return -ENOMEM;
	for (unsigned i = 0; i < entries; i++)
		weft_list_push_back(&t->free, &t->entry[i].link);
	return 0;
}

void apenet_tlb_fini(struct apenet_tlb *t)
{
	weft_hash_fini(&t->by_key);
	free(t->entry);
	t->entry = NULL;
}

static void entry_free(struct apenet_tlb *t, struct apenet_entry *e)
{
	weft_hash_del(&t->by_key, e->key);
	e->key = 0;
	weft_list_remove(&e->link);
	weft_list_push_back(&t->free, &e->link);
}

bool apenet_tlb_fill(struct apenet_tlb *t, uint64_t address, unsigned bits,
		     uint32_t buf)
{
	uint64_t key = apenet_tlb_key(address, bits);
	struct apenet_entry *e = weft_hash_get(&t->by_key, key);
	bool evicted = !e && weft_list_empty(&t->free);

	if (!t->entries)
		return false;
	if (evicted)
		entry_free(t, apenet_tlb_entry(t->used.prev));
	if (!e)
		e = apenet_tlb_entry(weft_list_pop_front(&t->free));
	else
		weft_list_remove(&e->link);
	e->key = key;
	e->buf = buf;
	if (weft_hash_set(&t->by_key, key, e)) {
		e->key = 0; /* evicted because memory is exhausted */
		weft_list_push_back(&t->free, &e->link);
	} else {
		weft_list_push_front(&t->used, &e->link);
	}
	return evicted;
}

void apenet_tlb_drop(struct apenet_tlb *t, uint32_t buf)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->used) {
		if (apenet_tlb_entry(pos)->buf == buf)
			entry_free(t, apenet_tlb_entry(pos));
	}
}

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

/* Pages of different sizes have different keys; a key is never 0. */
static uint64_t key_of(uint64_t address, unsigned bits)
{
	return (address >> bits) << 8 | bits;
}

int64_t apenet_tlb_find(struct apenet_tlb *t, uint64_t address, unsigned bits)
{
	struct apenet_entry *e =
		weft_hash_get(&t->by_key, key_of(address, bits));

	if (!e)
		return -1;
	weft_list_remove(&e->link);
	weft_list_push_front(&t->used, &e->link);
	return e->buf;
}

static void entry_free(struct apenet_tlb *t, struct apenet_entry *e)
{
	weft_hash_del(&t->by_key, e->key);
	weft_list_remove(&e->link);
	weft_list_push_back(&t->free, &e->link);
}

static struct apenet_entry *entry_of(struct weft_list *pos)
{
	return weft_container_of(pos, struct apenet_entry, link);
}

bool apenet_tlb_fill(struct apenet_tlb *t, uint64_t address, unsigned bits,
		     uint32_t buf)
{
	uint64_t key = key_of(address, bits);
	struct apenet_entry *e = weft_hash_get(&t->by_key, key);
	bool evicted = !e && weft_list_empty(&t->free);

	if (!t->entries)
		return false;
	if (evicted)
		entry_free(t, entry_of(t->used.prev));
	if (!e)
		e = entry_of(weft_list_pop_front(&t->free));
	else
		weft_list_remove(&e->link);
	e->key = key;
	e->buf = buf;
	if (weft_hash_set(&t->by_key, key, e))
		weft_list_push_back(&t->free, &e->link); /* out of memory */
	else
		weft_list_push_front(&t->used, &e->link);
	return evicted;
}

void apenet_tlb_drop(struct apenet_tlb *t, uint32_t buf)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &t->used) {
		if (entry_of(pos)->buf == buf)
			entry_free(t, entry_of(pos));
	}
}

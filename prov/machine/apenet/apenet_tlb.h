/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The translation lookaside buffer: maps recently used pages to buffer numbers.
 * It does not access buffers or memory.
 */
#ifndef WEFT_APENET_TLB_H
#define WEFT_APENET_TLB_H

#include "src/base/hash.h"
#include "src/base/list.h"

#include <stdbool.h>

struct apenet_entry {
	/* link in the list `used` (most recent first) or `free` */
	struct weft_list link;
	uint64_t key; /* page number and size; 0: free */
	uint32_t buf;
};

struct apenet_tlb {
	struct apenet_entry *entry;
	unsigned entries; /* capacity in entries; 0: no TLB */
	struct weft_list used;
	struct weft_list free;
	struct weft_hash by_key;
	/* entry that the next lookup tries first, or NULL */
	struct apenet_entry *guess;
};

/* Returns 0 or -ENOMEM. */
int apenet_tlb_init(struct apenet_tlb *t, unsigned entries);
void apenet_tlb_fini(struct apenet_tlb *t);

/*
 * Returns the key of an address's page. Pages of different sizes have different
 * keys; a key is never 0.
 */
static inline uint64_t apenet_tlb_key(uint64_t address, unsigned bits)
{
	return (address >> bits) << 8 | bits;
}

static inline struct apenet_entry *apenet_tlb_entry(struct weft_list *pos)
{
	return weft_container_of(pos, struct apenet_entry, link);
}

/*
 * Returns the buffer number of an address's page; -1: miss. Repeated accesses
 * to a range of consecutive pages use the entries in list order, starting at
 * the end, so the entry before the last hit is tried first.
 */
static inline int64_t apenet_tlb_find(struct apenet_tlb *t, uint64_t address,
				      unsigned bits)
{
	uint64_t key = apenet_tlb_key(address, bits);
	struct apenet_entry *e = t->guess;

	if (!e || e->key != key)
		e = weft_hash_get(&t->by_key, key);
	if (!e)
		return -1;
	if (e->link.prev != &t->used) {
		t->guess = apenet_tlb_entry(e->link.prev);
		weft_list_remove(&e->link);
		weft_list_push_front(&t->used, &e->link);
	} else {
		t->guess = e;
	}
	return e->buf;
}

/* Adds a translation. Returns whether another one was evicted. */
bool apenet_tlb_fill(struct apenet_tlb *t, uint64_t address, unsigned bits,
		     uint32_t buf);
/* Removes all pages of a buffer. */
void apenet_tlb_drop(struct apenet_tlb *t, uint32_t buf);

#endif

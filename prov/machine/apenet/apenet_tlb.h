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
	struct weft_list link; /* link in used (most recent first) or free */
	uint64_t key;
	uint32_t buf;
};

struct apenet_tlb {
	struct apenet_entry *entry;
	unsigned entries; /* capacity in entries; 0: no TLB */
	struct weft_list used;
	struct weft_list free;
	struct weft_hash by_key;
};

/* Returns 0 or -ENOMEM. */
int apenet_tlb_init(struct apenet_tlb *t, unsigned entries);
void apenet_tlb_fini(struct apenet_tlb *t);

/* Returns the buffer number of an address's page; -1: miss. */
int64_t apenet_tlb_find(struct apenet_tlb *t, uint64_t address, unsigned bits);
/* Adds a translation. Returns whether another one was evicted. */
bool apenet_tlb_fill(struct apenet_tlb *t, uint64_t address, unsigned bits,
		     uint32_t buf);
/* Removes all pages of a buffer. */
void apenet_tlb_drop(struct apenet_tlb *t, uint32_t buf);

#endif

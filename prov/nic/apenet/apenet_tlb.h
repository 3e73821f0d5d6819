/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The translation buffer: which buffer a page belongs to, for the pages that
 * were used last. Pure: it knows neither buffers nor memory.
 */
#ifndef WEFT_PROV_APENET_TLB_H
#define WEFT_PROV_APENET_TLB_H

#include "src/base/hash.h"
#include "src/base/list.h"

#include <stdbool.h>

struct apenet_entry {
	struct weft_list link; /* by use, the latest first; or free */
	uint64_t key;
	uint32_t buf;
};

struct apenet_tlb {
	struct apenet_entry *entry;
	unsigned entries; /* 0: there is none */
	struct weft_list used;
	struct weft_list free;
	struct weft_hash by_key;
};

/* -ENOMEM. */
int apenet_tlb_init(struct apenet_tlb *t, unsigned entries);
void apenet_tlb_fini(struct apenet_tlb *t);

/* The buffer of the page of an address; -1: not at hand. */
int64_t apenet_tlb_find(struct apenet_tlb *t, uint64_t address, unsigned bits);
/* Puts it at hand; true: the one that was used longest ago had to go. */
bool apenet_tlb_fill(struct apenet_tlb *t, uint64_t address, unsigned bits,
		     uint32_t buf);
/* Forgets all pages of a buffer. */
void apenet_tlb_drop(struct apenet_tlb *t, uint32_t buf);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation: 14-bit context and 64-bit address to memory of the process. For
 * each of two page sizes, 64 translations are cached in a TLB of 16 lines with
 * 4 ways, backed by hash chains. The driver adds missing translations from its
 * mappings, page by page, on first use; when the memory of the chains is full,
 * all translations are dropped.
 */
#include "prov/nic/sten/sten_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The paper gives the number of page sizes; the sizes are assumed. */
static const uint8_t page_bits[] = { 12, 13, 16, 19, 21, 22, 26, 29 };

/* ---- pages ---- */

static bool page_fits(const struct sten_page *e, uint64_t page,
		      unsigned context, uint64_t address, unsigned perm)
{
	return e->page == page && e->context == context &&
	       (e->perm & perm) == perm && address >= e->from &&
	       address < e->end;
}

static const struct sten_page *tlb_lookup(const struct sten_tlb *t,
					  unsigned context, uint64_t address,
					  unsigned perm)
{
	uint64_t page = address >> t->bits;
	const struct sten_page *e =
		t->line[(page ^ context) & (STEN_TLB_LINES - 1)];

	for (unsigned i = 0; i < STEN_TLB_WAYS; i++) {
		if (page_fits(&e[i], page, context, address, perm))
			return &e[i];
	}
	return NULL;
}

static const struct sten_page *tlb_put(struct sten_tlb *t,
				       const struct sten_page *e)
{
	unsigned line = (e->page ^ e->context) & (STEN_TLB_LINES - 1);
	struct sten_page *to =
		&t->line[line][t->turn[line]++ & (STEN_TLB_WAYS - 1)];

	*to = *e;
	return to;
}

static uint32_t *chain_of(struct sten_tlb *t, unsigned context, uint64_t page)
{
	uint64_t x = weft_hash_mix(page ^ (uint64_t)context << 48);

	return &t->chain[x & (STEN_CHAINS - 1)];
}

static const struct sten_page *chain_lookup(struct weft_sten *s,
					    struct sten_tlb *t,
					    unsigned context, uint64_t address,
					    unsigned perm)
{
	uint64_t page = address >> t->bits;
	uint32_t i = *chain_of(t, context, page);

	for (; i; i = s->mmu.page[i].next) {
		s->stats.walks++;
		if (page_fits(&s->mmu.page[i], page, context, address, perm))
			return &s->mmu.page[i];
	}
	return NULL;
}

static void tlb_clear(struct sten_tlb *t)
{
	memset(t->line, 0, sizeof(t->line));
	memset(t->turn, 0, sizeof(t->turn));
	memset(t->chain, 0, sizeof(t->chain));
}

/* Drops all translations; the mappings stay. */
static void mmu_clear(struct sten_mmu *m)
{
	tlb_clear(&m->tlb[0]);
	tlb_clear(&m->tlb[1]);
	m->pages = 1;
	m->free = 0;
}

/* Takes a free entry of the chains' memory; NULL: out of memory. */
static struct sten_page *page_get(struct sten_mmu *m)
{
	struct sten_page *more;
	uint32_t i = m->free;

	if (i) {
		m->free = m->page[i].next;
		return &m->page[i];
	}
	if (m->pages == STEN_PAGES)
		mmu_clear(m);
	if (m->pages >= m->room) {
		more = realloc(m->page,
			       (m->room ? m->room * 2u : 64u) * sizeof(*more));
		if (!more)
			return NULL;
		m->page = more;
		m->room = m->room ? m->room * 2 : 64;
	}
	return &m->page[m->pages++];
}

/* ---- the driver ---- */

static const struct sten_map *map_find(const struct weft_sten *s,
				       unsigned context, uint64_t address,
				       unsigned perm)
{
	for (unsigned i = 0; i < s->maps; i++) {
		const struct sten_map *m = &s->map[i];

		if (m->context == context && (m->perm & perm) == perm &&
		    address >= m->base && address - m->base < m->bytes)
			return m;
	}
	return NULL;
}

static const struct sten_page *page_fill(struct weft_sten *s, unsigned context,
					 uint64_t address, unsigned perm)
{
	const struct sten_map *map = map_find(s, context, address, perm);
	struct sten_tlb *t;
	struct sten_page *e;
	uint32_t *chain;
	uint64_t end;

	e = map ? page_get(&s->mmu) : NULL;
	if (!e)
		return NULL;
	t = &s->mmu.tlb[map->perm & WEFT_STEN_LARGE ? 1 : 0];
	e->page = address >> t->bits;
	e->from = e->page << t->bits;
	end = e->from + (UINT64_C(1) << t->bits);
	e->from = e->from < map->base ? map->base : e->from;
	e->end = end - map->base < map->bytes ? end : map->base + map->bytes;
	e->shift = map->host - map->base;
	e->context = (uint16_t)context;
	e->perm = map->perm;
	chain = chain_of(t, context, e->page);
	e->next = *chain;
	*chain = (uint32_t)(e - s->mmu.page);
	s->stats.fills++;
	return tlb_put(t, e);
}

static const struct sten_page *translate(struct weft_sten *s, unsigned context,
					 uint64_t address, unsigned perm)
{
	const struct sten_page *e;

	/* large pages first: the message engine uses no others */
	e = tlb_lookup(&s->mmu.tlb[1], context, address, perm);
	if (!e)
		e = tlb_lookup(&s->mmu.tlb[0], context, address, perm);
	if (e) {
		s->stats.tlb_hits++;
		return e;
	}
	s->stats.tlb_misses++;
	for (unsigned i = 0; i < 2; i++) {
		e = chain_lookup(s, &s->mmu.tlb[i], context, address, perm);
		if (e)
			return tlb_put(&s->mmu.tlb[i], e);
	}
	return page_fill(s, context, address, perm);
}

/* ---- memory ---- */

/* Consecutive pages must be consecutive in the process, too. */
void *sten_memory_mapped(struct weft_sten *s, unsigned context,
			 uint64_t address, uint64_t bytes, unsigned perm,
			 unsigned *flags_p)
{
	const struct sten_page *e = translate(s, context, address, perm);
	uint64_t shift;
	uint64_t end;

	if (!e)
		return NULL;
	*flags_p = e->perm;
	shift = e->shift;
	end = e->end;
	while (end - address < bytes) {
		e = translate(s, context, end, perm);
		if (!e || e->shift != shift ||
		    (e->perm ^ *flags_p) & WEFT_STEN_BIG_ENDIAN)
			return NULL;
		end = e->end;
	}
	return (void *)(uintptr_t)(address + shift);
}

/* Calls the driver, page by page if necessary, until all bytes are mapped. */
static WEFT_COLD void *memory_wait(struct weft_sten *s, struct sten_fault f,
				   unsigned *flags_p)
{
	uint64_t tries = (f.bytes >> page_bits[0]) + 2;
	void *p = NULL;

	while (!p && tries-- && sten_fault_map(s, &f))
		p = sten_memory_mapped(s, f.context, f.address, f.bytes, f.perm,
				       flags_p);
	return p;
}

void *sten_memory_translate(struct weft_sten *s, unsigned context,
			    uint64_t address, uint64_t bytes, unsigned perm,
			    unsigned *flags_p)
{
	void *p = sten_memory_mapped(s, context, address, bytes, perm, flags_p);

	if (weft_likely(p))
		return p;
	return memory_wait(s,
			   (struct sten_fault){ .address = address,
						.bytes = bytes,
						.context = (uint16_t)context,
						.perm = (uint16_t)perm },
			   flags_p);
}

bool sten_memory_possible(struct weft_sten *s, unsigned context,
			  uint64_t address, uint64_t bytes, unsigned perm)
{
	const struct sten_map *m = map_find(s, context, address, perm);
	unsigned flags;

	if (m && bytes <= m->bytes - (address - m->base))
		return true;
	return sten_fault_has_pager(s, context) ||
	       sten_memory_mapped(s, context, address, bytes, perm, &flags);
}

WEFT_EXPORT void *weft_sten_memory(struct weft_sten *s, unsigned context,
				   uint64_t address, uint64_t bytes,
				   unsigned perm)
{
	if (context >= WEFT_STEN_CONTEXTS || !perm || perm & ~WEFT_STEN_ALL)
		return NULL;
	return sten_memory(s, context, address, bytes, perm);
}

/* ---- mappings ---- */

WEFT_EXPORT int weft_sten_map_at(struct weft_sten *s, unsigned context,
				 uint64_t address, void *mem, uint64_t bytes,
				 unsigned perm)
{
	const unsigned like = WEFT_STEN_LARGE | WEFT_STEN_BIG_ENDIAN;

	if (context >= WEFT_STEN_CONTEXTS || !mem || !bytes ||
	    (perm & ~(WEFT_STEN_ALL | like)) || bytes >= STEN_QUEUE_SPACE ||
	    address >= STEN_QUEUE_SPACE - bytes)
		return -EINVAL;
	if (s->maps == STEN_MAPS)
		return -ENOSPC;
	s->map[s->maps++] = (struct sten_map){
		.base = address,
		.bytes = bytes,
		.host = (uintptr_t)mem,
		.context = (uint16_t)context,
		.perm = (uint16_t)perm,
	};
	return 0;
}

WEFT_EXPORT int weft_sten_map(struct weft_sten *s, unsigned context, void *base,
			      uint64_t bytes, unsigned perm)
{
	return weft_sten_map_at(s, context, (uintptr_t)base, base, bytes, perm);
}

static bool page_of(const struct sten_page *e, const struct sten_map *m)
{
	return e->context == m->context && e->from < m->base + m->bytes &&
	       e->end > m->base;
}

/* Drops the translations of a removed mapping. */
static void tlb_invalidate(struct weft_sten *s, struct sten_tlb *t,
			   const struct sten_map *m)
{
	for (unsigned i = 0; i < STEN_TLB_LINES * STEN_TLB_WAYS; i++) {
		struct sten_page *e =
			&t->line[i / STEN_TLB_WAYS][i % STEN_TLB_WAYS];

		if (page_of(e, m))
			e->end = 0;
	}
	for (unsigned i = 0; i < STEN_CHAINS; i++) {
		uint32_t *at = &t->chain[i];

		while (*at) {
			uint32_t n = *at;
			struct sten_page *e = &s->mmu.page[n];

			if (!page_of(e, m)) {
				at = &e->next;
				continue;
			}
			*at = e->next;
			e->next = s->mmu.free;
			s->mmu.free = n;
		}
	}
}

WEFT_EXPORT int weft_sten_unmap_at(struct weft_sten *s, unsigned context,
				   uint64_t address)
{
	for (unsigned i = 0; i < s->maps; i++) {
		if (s->map[i].context != context || s->map[i].base != address)
			continue;
		tlb_invalidate(s, &s->mmu.tlb[0], &s->map[i]);
		tlb_invalidate(s, &s->mmu.tlb[1], &s->map[i]);
		s->map[i] = s->map[--s->maps];
		return 0;
	}
	return -ENOENT;
}

WEFT_EXPORT int weft_sten_unmap(struct weft_sten *s, unsigned context,
				void *base)
{
	return weft_sten_unmap_at(s, context, (uintptr_t)base);
}

static unsigned bits_of(uint64_t bytes)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(page_bits); i++) {
		if (bytes == UINT64_C(1) << page_bits[i])
			return page_bits[i];
	}
	return 0;
}

WEFT_EXPORT int weft_sten_pages(struct weft_sten *s, uint64_t small,
				uint64_t large)
{
	if (!bits_of(small) || !bits_of(large) || small >= large)
		return -EINVAL;
	mmu_clear(&s->mmu);
	s->mmu.tlb[0].bits = bits_of(small);
	s->mmu.tlb[1].bits = bits_of(large);
	return 0;
}

void sten_mmu_init(struct weft_sten *s)
{
	weft_hash_init(&s->pagers);
	weft_sten_pages(s, 8 << 10, 4 << 20);
}

void sten_mmu_fini(struct weft_sten *s)
{
	sten_fault_fini(s);
	free(s->mmu.page);
}

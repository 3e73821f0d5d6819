/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation of a 14-bit context and a 64-bit address to process memory. For
 * each of two page sizes, a TLB of 16 lines and 4 ways caches 64 translations;
 * hash chains hold the others. On first use of a page, the driver adds its
 * translation from the mappings. When the memory of the chains is full, all
 * translations are dropped.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The paper gives the number of page sizes; the sizes are assumed. */
static const uint8_t page_bits[] = { 12, 13, 16, 19, 21, 22, 26, 29 };

/* ---- pages ---- */

static bool page_fits(const struct qsnet2_page *e, uint64_t page,
		      unsigned context, uint64_t address, unsigned perm)
{
	return e->page == page && e->context == context &&
	       (e->perm & perm) == perm && address >= e->from &&
	       address < e->end;
}

static const struct qsnet2_page *tlb_lookup(const struct qsnet2_tlb *t,
					    unsigned context, uint64_t address,
					    unsigned perm)
{
	uint64_t page = address >> t->bits;
	const struct qsnet2_page *e =
		t->line[(page ^ context) & (QSNET2_TLB_LINES - 1)];

	for (unsigned i = 0; i < QSNET2_TLB_WAYS; i++) {
		if (page_fits(&e[i], page, context, address, perm))
			return &e[i];
	}
	return NULL;
}

static const struct qsnet2_page *tlb_put(struct qsnet2_tlb *t,
					 const struct qsnet2_page *e)
{
	unsigned line = (e->page ^ e->context) & (QSNET2_TLB_LINES - 1);
	struct qsnet2_page *to =
		&t->line[line][t->next_way[line]++ & (QSNET2_TLB_WAYS - 1)];

	*to = *e;
	return to;
}

static uint32_t *chain_of(struct qsnet2_tlb *t, unsigned context, uint64_t page)
{
	uint64_t x = weft_hash_mix(page ^ (uint64_t)context << 48);

	return &t->chain[x & (QSNET2_CHAINS - 1)];
}

static const struct qsnet2_page *chain_lookup(struct weft_qsnet2 *s,
					      struct qsnet2_tlb *t,
					      unsigned context,
					      uint64_t address, unsigned perm)
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

static void tlb_clear(struct qsnet2_tlb *t)
{
	memset(t->line, 0, sizeof(t->line));
	memset(t->next_way, 0, sizeof(t->next_way));
	memset(t->chain, 0, sizeof(t->chain));
}

/* Drops all translations and keeps the mappings. */
static void mmu_clear(struct qsnet2_mmu *m)
{
	tlb_clear(&m->tlb[0]);
	tlb_clear(&m->tlb[1]);
	m->pages = 1;
	m->free = 0;
}

/* Returns a free page record; NULL: out of memory. */
static struct qsnet2_page *page_get(struct qsnet2_mmu *m)
{
	struct qsnet2_page *more;
	uint32_t i = m->free;

	if (i) {
		m->free = m->page[i].next;
		return &m->page[i];
	}
	if (m->pages == QSNET2_PAGES)
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

static struct qsnet2_map *map_find(struct weft_qsnet2 *s, unsigned context,
				   uint64_t address, unsigned perm)
{
	for (unsigned i = 0; i < s->maps; i++) {
		struct qsnet2_map *m = &s->map[i];

		if (m->context == context && (m->perm & perm) == perm &&
		    address >= m->base && address - m->base < m->bytes)
			return m;
	}
	return NULL;
}

static const struct qsnet2_page *page_fill(struct weft_qsnet2 *s,
					   unsigned context, uint64_t address,
					   unsigned perm)
{
	struct qsnet2_map *map = map_find(s, context, address, perm);
	struct qsnet2_tlb *t;
	struct qsnet2_page *e;
	uint32_t *chain;
	uint64_t end;

	e = map ? page_get(&s->mmu) : NULL;
	if (!e)
		return NULL;
	map->used = true;
	t = &s->mmu.tlb[map->perm & WEFT_QSNET2_LARGE ? 1 : 0];
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

static const struct qsnet2_page *translate(struct weft_qsnet2 *s,
					   unsigned context, uint64_t address,
					   unsigned perm)
{
	const struct qsnet2_page *e;

	/* large pages first: the message engine uses only those */
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

/*
 * Bytes on several pages must also be consecutive in process memory; otherwise
 * returns NULL.
 */
void *qsnet2_memory_mapped(struct weft_qsnet2 *s, unsigned context,
			   uint64_t address, uint64_t bytes, unsigned perm,
			   unsigned *flags_p)
{
	const struct qsnet2_page *e = translate(s, context, address, perm);
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
		    (e->perm ^ *flags_p) & WEFT_QSNET2_BIG_ENDIAN)
			return NULL;
		end = e->end;
	}
	return (void *)(uintptr_t)(address + shift);
}

/*
 * Calls the driver, page by page if necessary, until all bytes are mapped.
 * Returns NULL if that fails.
 */
static WEFT_COLD void *memory_wait(struct weft_qsnet2 *s, struct qsnet2_fault f,
				   unsigned *flags_p)
{
	uint64_t tries = (f.bytes >> page_bits[0]) + 2;
	void *p = NULL;

	while (!p && tries-- && qsnet2_fault_map(s, &f))
		p = qsnet2_memory_mapped(s, f.context, f.address, f.bytes,
					 f.perm, flags_p);
	return p;
}

void *qsnet2_memory_translate(struct weft_qsnet2 *s, unsigned context,
			      uint64_t address, uint64_t bytes, unsigned perm,
			      unsigned *flags_p)
{
	void *p =
		qsnet2_memory_mapped(s, context, address, bytes, perm, flags_p);

	if (weft_likely(p))
		return p;
	return memory_wait(s,
			   (struct qsnet2_fault){ .address = address,
						  .bytes = bytes,
						  .context = (uint16_t)context,
						  .perm = (uint16_t)perm },
			   flags_p);
}

bool qsnet2_memory_possible(struct weft_qsnet2 *s, unsigned context,
			    uint64_t address, uint64_t bytes, unsigned perm)
{
	const struct qsnet2_map *m = map_find(s, context, address, perm);
	unsigned flags;

	if (m && bytes <= m->bytes - (address - m->base))
		return true;
	return qsnet2_fault_has_pager(s, context) ||
	       qsnet2_memory_mapped(s, context, address, bytes, perm, &flags);
}

WEFT_EXPORT void *weft_qsnet2_memory(struct weft_qsnet2 *s, unsigned context,
				     uint64_t address, uint64_t bytes,
				     unsigned perm)
{
	if (context >= WEFT_QSNET2_CONTEXTS || !perm || perm & ~WEFT_QSNET2_ALL)
		return NULL;
	return qsnet2_memory(s, context, address, bytes, perm);
}

/* ---- mappings ---- */

WEFT_EXPORT int weft_qsnet2_map_at(struct weft_qsnet2 *s, unsigned context,
				   uint64_t address, void *mem, uint64_t bytes,
				   unsigned perm)
{
	const unsigned like = WEFT_QSNET2_LARGE | WEFT_QSNET2_BIG_ENDIAN;

	if (context >= WEFT_QSNET2_CONTEXTS || !mem || !bytes ||
	    (perm & ~(WEFT_QSNET2_ALL | like)) || bytes >= QSNET2_QUEUE_SPACE ||
	    address >= QSNET2_QUEUE_SPACE - bytes)
		return -EINVAL;
	if (s->maps == QSNET2_MAPS)
		return -ENOSPC;
	s->map[s->maps++] = (struct qsnet2_map){
		.base = address,
		.bytes = bytes,
		.host = (uintptr_t)mem,
		.context = (uint16_t)context,
		.perm = (uint16_t)perm,
	};
	return 0;
}

WEFT_EXPORT int weft_qsnet2_map(struct weft_qsnet2 *s, unsigned context,
				void *base, uint64_t bytes, unsigned perm)
{
	return weft_qsnet2_map_at(s, context, (uintptr_t)base, base, bytes,
				  perm);
}

static bool page_of(const struct qsnet2_page *e, const struct qsnet2_map *m)
{
	return e->context == m->context && e->from < m->base + m->bytes &&
	       e->end > m->base;
}

/* Drops the translations of a removed mapping. */
static void tlb_invalidate(struct weft_qsnet2 *s, struct qsnet2_tlb *t,
			   const struct qsnet2_map *m)
{
	for (unsigned i = 0; i < QSNET2_TLB_LINES * QSNET2_TLB_WAYS; i++) {
		struct qsnet2_page *e =
			&t->line[i / QSNET2_TLB_WAYS][i % QSNET2_TLB_WAYS];

		if (page_of(e, m))
			e->end = 0;
	}
	for (unsigned i = 0; i < QSNET2_CHAINS; i++) {
		uint32_t *at = &t->chain[i];

		while (*at) {
			uint32_t n = *at;
			struct qsnet2_page *e = &s->mmu.page[n];

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

static void map_drop(struct weft_qsnet2 *s, unsigned i)
{
	if (s->map[i].used) {
		tlb_invalidate(s, &s->mmu.tlb[0], &s->map[i]);
		tlb_invalidate(s, &s->mmu.tlb[1], &s->map[i]);
	}
	s->map[i] = s->map[--s->maps];
}

void qsnet2_map_remove(struct weft_qsnet2 *s, const struct qsnet2_map *m)
{
	/* the newest mappings are usually removed first */
	for (unsigned i = s->maps; i-- > 0;) {
		const struct qsnet2_map *o = &s->map[i];

		if (o->context != m->context || o->base != m->base ||
		    o->bytes != m->bytes || o->perm != m->perm)
			continue;
		map_drop(s, i);
		return;
	}
}

WEFT_EXPORT int weft_qsnet2_unmap_at(struct weft_qsnet2 *s, unsigned context,
				     uint64_t address)
{
	for (unsigned i = 0; i < s->maps; i++) {
		if (s->map[i].context != context || s->map[i].base != address)
			continue;
		map_drop(s, i);
		return 0;
	}
	return -ENOENT;
}

WEFT_EXPORT int weft_qsnet2_unmap(struct weft_qsnet2 *s, unsigned context,
				  void *base)
{
	return weft_qsnet2_unmap_at(s, context, (uintptr_t)base);
}

static unsigned bits_of(uint64_t bytes)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(page_bits); i++) {
		if (bytes == UINT64_C(1) << page_bits[i])
			return page_bits[i];
	}
	return 0;
}

WEFT_EXPORT int weft_qsnet2_pages(struct weft_qsnet2 *s, uint64_t small,
				  uint64_t large)
{
	if (!bits_of(small) || !bits_of(large) || small >= large)
		return -EINVAL;
	mmu_clear(&s->mmu);
	s->mmu.tlb[0].bits = bits_of(small);
	s->mmu.tlb[1].bits = bits_of(large);
	return 0;
}

void qsnet2_mmu_init(struct weft_qsnet2 *s)
{
	weft_hash_init(&s->pagers);
	weft_qsnet2_pages(s, 8 << 10, 4 << 20);
}

void qsnet2_mmu_fini(struct weft_qsnet2 *s)
{
	qsnet2_fault_fini(s);
	free(s->mmu.page);
}

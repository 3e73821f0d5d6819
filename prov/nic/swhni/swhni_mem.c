/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses. A message addresses memory in one of three kinds: physical, for
 * the system's jobs; segment, a contiguous range; pages of 4 KB to 8 MB, each
 * at any address. Translations of pages are cached in the TLB: 512 sets of 4. A
 * miss also prefetches the translation of the next page.
 */
#include "prov/nic/swhni/swhni_dev.h"

/* ---- the TLB ---- */

static struct swhni_entry *tlb_set(struct weft_swhni *n, unsigned mem,
				   uint64_t page, unsigned *set_p)
{
	*set_p = (unsigned)((page + mem * 61u) % SWHNI_TLB_SETS);
	return n->tlb[*set_p];
}

static struct swhni_entry *tlb_find(struct weft_swhni *n, unsigned mem,
				    uint64_t page)
{
	unsigned set;
	struct swhni_entry *e = tlb_set(n, mem, page, &set);

	for (unsigned i = 0; i < SWHNI_TLB_WAYS; i++) {
		if (e[i].mem == mem + 1 && e[i].page == page)
			return &e[i];
	}
	return NULL;
}

static struct swhni_entry *tlb_load(struct weft_swhni *n, unsigned mem,
				    uint64_t page)
{
	unsigned set;
	struct swhni_entry *e = tlb_set(n, mem, page, &set);

	e += n->tlb_victim[set]++ % SWHNI_TLB_WAYS;
	*e = (struct swhni_entry){
		.at = n->mem[mem].page[page],
		.page = page,
		.mem = (uint16_t)(mem + 1),
	};
	return e;
}

static uint64_t tlb_page(struct weft_swhni *n, unsigned mem, uint64_t page)
{
	struct swhni_entry *e = tlb_find(n, mem, page);
	uint64_t at;

	if (e) {
		n->stats.tlb_hits++;
		return e->at;
	}
	n->stats.tlb_misses++;
	at = tlb_load(n, mem, page)->at;
	if (page + 1 < n->mem[mem].pages && !tlb_find(n, mem, page + 1)) {
		tlb_load(n, mem, page + 1);
		n->stats.prefetched++;
	}
	return at;
}

static void tlb_drop(struct weft_swhni *n, unsigned mem)
{
	for (unsigned s = 0; s < SWHNI_TLB_SETS; s++) {
		for (unsigned i = 0; i < SWHNI_TLB_WAYS; i++) {
			if (n->tlb[s][i].mem == mem + 1)
				n->tlb[s][i].mem = 0;
		}
	}
}

/* ---- addresses ---- */

/* Physical addresses contain no memory number. */
static struct swhni_mem *mem_physical(struct weft_swhni *n,
				      const struct swhni_range *r)
{
	for (unsigned i = 0; i < SWHNI_MEMS; i++) {
		struct swhni_mem *m = &n->mem[i];
		uint64_t base = (uintptr_t)m->m.base;

		if (m->used && m->m.kind == WEFT_SWHNI_PHYSICAL &&
		    r->address >= base && r->address - base < m->m.bytes)
			return m;
	}
	return NULL;
}

static struct swhni_mem *mem_of(struct weft_swhni *n,
				const struct swhni_range *r, uint64_t *offset_p)
{
	unsigned kind = swhni_address_kind(r->address);
	unsigned i = swhni_address_mem(r->address);
	struct swhni_mem *m;

	if (kind == WEFT_SWHNI_PHYSICAL) {
		m = mem_physical(n, r);
		*offset_p = m ? r->address - (uintptr_t)m->m.base : 0;
		return m;
	}
	if (i >= SWHNI_MEMS || !n->mem[i].used || n->mem[i].m.kind != kind)
		return NULL;
	*offset_p = r->address & SWHNI_OFFSET_MASK;
	return &n->mem[i];
}

/* The memory of a range if the job may access it, or NULL. */
static struct swhni_mem *mem_allowed(struct weft_swhni *n,
				     const struct swhni_range *r,
				     uint64_t *offset_p)
{
	struct swhni_mem *m = mem_of(n, r, offset_p);

	if (!m || m->m.job != r->job || (r->rights & ~m->m.rights))
		return NULL;
	if (*offset_p > m->m.bytes || r->bytes > m->m.bytes - *offset_p)
		return NULL;
	return m;
}

/* Process address of an offset, and the number of contiguous bytes there. */
static unsigned char *mem_at(struct weft_swhni *n, struct swhni_mem *m,
			     uint64_t offset, uint64_t *run_p)
{
	uint64_t size = UINT64_C(1) << m->m.page_bits;
	uint64_t at;

	if (m->m.kind != WEFT_SWHNI_PAGED) {
		*run_p = m->m.bytes - offset;
		return (unsigned char *)m->m.base + offset;
	}
	at = tlb_page(n, (unsigned)(m - n->mem), offset >> m->m.page_bits);
	*run_p = size - (offset & (size - 1));
	return (unsigned char *)(uintptr_t)at + (offset & (size - 1));
}

unsigned swhni_mem_check(struct weft_swhni *n, const struct swhni_range *r)
{
	uint64_t offset;

	return mem_allowed(n, r, &offset) ? WEFT_SWHNI_OK : WEFT_SWHNI_ADDRESS;
}

unsigned swhni_mem_copy(struct weft_swhni *n, const struct swhni_range *r,
			void *buf, enum swhni_dir dir)
{
	uint64_t offset;
	struct swhni_mem *m = mem_allowed(n, r, &offset);
	uint64_t left = r->bytes;
	unsigned char *b = buf;
	uint64_t run;

	if (!m)
		return WEFT_SWHNI_ADDRESS;
	for (; left; left -= run, offset += run, b += run) {
		unsigned char *at = mem_at(n, m, offset, &run);

		run = run < left ? run : left;
		if (dir == SWHNI_TO_MEMORY)
			memcpy(at, b, run);
		else
			memcpy(b, at, run);
	}
	return WEFT_SWHNI_OK;
}

unsigned swhni_mem_increment(struct weft_swhni *n, const struct swhni_range *r)
{
	uint64_t offset;
	struct swhni_mem *m = mem_allowed(n, r, &offset);
	unsigned char *at;
	uint64_t run;

	if (!m || r->bytes != sizeof(uint64_t))
		return WEFT_SWHNI_ADDRESS;
	at = mem_at(n, m, offset, &run);
	if ((uintptr_t)at % 8 || run < sizeof(uint64_t))
		return WEFT_SWHNI_ADDRESS;
	/* E0: the data of the message is visible before the word changes */
	nic_event_sub((weft_au64 *)(void *)at, UINT64_MAX);
	n->stats.answers++;
	return WEFT_SWHNI_OK;
}

/* ---- registration ---- */

static bool mem_attr_valid(const struct weft_swhni_mem *a)
{
	if (!a->base || !a->bytes || a->bytes > SWHNI_OFFSET_MASK || !a->job ||
	    a->kind > WEFT_SWHNI_SEGMENTED)
		return false;
	return a->kind != WEFT_SWHNI_PAGED ||
	       (a->page_bits >= WEFT_SWHNI_PAGE_MIN &&
		a->page_bits <= WEFT_SWHNI_PAGE_MAX);
}

static int mem_pages(struct swhni_mem *m)
{
	uint64_t size = UINT64_C(1) << m->m.page_bits;

	m->pages = (m->m.bytes + size - 1) >> m->m.page_bits;
	m->page = calloc(m->pages, sizeof(*m->page));
	if (!m->page)
		return -ENOMEM;
	for (uint64_t i = 0; i < m->pages; i++)
		m->page[i] = (uintptr_t)m->m.base + i * size;
	return 0;
}

WEFT_EXPORT int weft_swhni_mem_open(struct weft_swhni *n,
				    const struct weft_swhni_mem *attr,
				    uint64_t *address_p)
{
	struct swhni_mem *m = NULL;

	if (!mem_attr_valid(attr))
		return -EINVAL;
	if (attr->kind == WEFT_SWHNI_PHYSICAL &&
	    attr->job >= WEFT_SWHNI_SYSTEM_JOBS)
		return -EPERM;
	for (unsigned i = 0; i < SWHNI_MEMS && !m; i++) {
		if (!n->mem[i].used)
			m = &n->mem[i];
	}
	if (!m)
		return -ENOSPC;
	*m = (struct swhni_mem){ .m = *attr };
	if (attr->kind == WEFT_SWHNI_PAGED && mem_pages(m))
		return -ENOMEM;
	m->used = true;
	*address_p =
		attr->kind == WEFT_SWHNI_PHYSICAL
			? (uintptr_t)attr->base
			: swhni_address(attr->kind, (unsigned)(m - n->mem));
	return 0;
}

static void mem_end(struct weft_swhni *n, struct swhni_mem *m)
{
	if (m->m.kind == WEFT_SWHNI_PAGED)
		tlb_drop(n, (unsigned)(m - n->mem));
	free(m->page);
	memset(m, 0, sizeof(*m));
}

WEFT_EXPORT int weft_swhni_mem_close(struct weft_swhni *n, uint64_t address)
{
	struct swhni_range r = { .address = address };
	uint64_t offset;
	struct swhni_mem *m = mem_of(n, &r, &offset);

	if (!m || offset)
		return -EINVAL;
	mem_end(n, m);
	return 0;
}

WEFT_EXPORT int weft_swhni_page_set(struct weft_swhni *n, uint64_t address,
				    void *page)
{
	struct swhni_range r = { .address = address };
	uint64_t offset;
	struct swhni_mem *m = mem_of(n, &r, &offset);
	struct swhni_entry *e;
	uint64_t i;

	if (!m || m->m.kind != WEFT_SWHNI_PAGED || offset >= m->m.bytes)
		return -EINVAL;
	i = offset >> m->m.page_bits;
	m->page[i] = (uintptr_t)page;
	e = tlb_find(n, (unsigned)(m - n->mem), i);
	if (e)
		e->mem = 0;
	return 0;
}

void swhni_mem_job(struct weft_swhni *n, uint32_t job)
{
	for (unsigned i = 0; i < SWHNI_MEMS; i++) {
		if (n->mem[i].used && n->mem[i].m.job == job)
			mem_end(n, &n->mem[i]);
	}
}

void swhni_mem_fini(struct weft_swhni *n)
{
	for (unsigned i = 0; i < SWHNI_MEMS; i++)
		free(n->mem[i].page);
}

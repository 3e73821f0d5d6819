/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses. There are three kinds: physical addresses for jobs of the system;
 * segments, which are contiguous ranges; pages of 4 KB to 8 MB, each at any
 * address. A TLB of 512 sets with 4 ways caches page translations. A miss also
 * prefetches the translation of the next page.
 */
#include "prov/machine/sunway/sunway_dev.h"

/* ---- the TLB ---- */

static struct sunway_entry *tlb_set(struct weft_sunway *n, unsigned mem,
				    uint64_t page, unsigned *set_p)
{
	*set_p = (unsigned)((page + mem * 61u) % SUNWAY_TLB_SETS);
	return n->tlb[*set_p];
}

static inline struct sunway_entry *tlb_find(struct weft_sunway *n, unsigned mem,
					    uint64_t page)
{
	unsigned set;
	struct sunway_entry *e = tlb_set(n, mem, page, &set);

	for (unsigned i = 0; i < SUNWAY_TLB_WAYS; i++) {
		if (e[i].mem == mem + 1 && e[i].page == page)
			return &e[i];
	}
	return NULL;
}

/* Returns the address of a page; without a table, pages are contiguous. */
static uint64_t page_address(const struct sunway_mem *m, uint64_t page)
{
	if (m->page)
		return m->page[page];
	return (uintptr_t)m->m.base + (page << m->m.page_bits);
}

static struct sunway_entry *tlb_load(struct weft_sunway *n, unsigned mem,
				     uint64_t page)
{
	unsigned set;
	struct sunway_entry *e = tlb_set(n, mem, page, &set);

	e += n->tlb_victim[set]++ % SUNWAY_TLB_WAYS;
	*e = (struct sunway_entry){
		.address = page_address(&n->mem[mem], page),
		.page = page,
		.mem = (uint16_t)(mem + 1),
	};
	return e;
}

static inline uint64_t tlb_page(struct weft_sunway *n, unsigned mem,
				uint64_t page)
{
	struct sunway_entry *e = tlb_find(n, mem, page);
	uint64_t at;

	if (e) {
		n->stats.tlb_hits++;
		return e->address;
	}
	n->stats.tlb_misses++;
	at = tlb_load(n, mem, page)->address;
	if (page + 1 < n->mem[mem].pages && !tlb_find(n, mem, page + 1)) {
		tlb_load(n, mem, page + 1);
		n->stats.prefetched++;
	}
	return at;
}

static void tlb_drop(struct weft_sunway *n, unsigned mem)
{
	for (unsigned s = 0; s < SUNWAY_TLB_SETS; s++) {
		for (unsigned i = 0; i < SUNWAY_TLB_WAYS; i++) {
			if (n->tlb[s][i].mem == mem + 1)
				n->tlb[s][i].mem = 0;
		}
	}
}

/* ---- addresses ---- */

/* Returns the memory that contains a physical address. */
static struct sunway_mem *mem_physical(struct weft_sunway *n,
				       const struct sunway_range *r)
{
	for (unsigned i = 0; i < SUNWAY_MEMS; i++) {
		struct sunway_mem *m = &n->mem[i];
		uint64_t base = (uintptr_t)m->m.base;

		if (m->used && m->m.kind == WEFT_SUNWAY_PHYSICAL &&
		    r->address >= base && r->address - base < m->m.bytes)
			return m;
	}
	return NULL;
}

static inline struct sunway_mem *
mem_of(struct weft_sunway *n, const struct sunway_range *r, uint64_t *offset_p)
{
	unsigned kind = sunway_address_kind(r->address);
	unsigned i = sunway_address_mem(r->address);
	struct sunway_mem *m;

	if (kind == WEFT_SUNWAY_PHYSICAL) {
		m = mem_physical(n, r);
		*offset_p = m ? r->address - (uintptr_t)m->m.base : 0;
		return m;
	}
	if (i >= SUNWAY_MEMS || !n->mem[i].used || n->mem[i].m.kind != kind)
		return NULL;
	*offset_p = r->address & SUNWAY_OFFSET_MASK;
	return &n->mem[i];
}

/* Returns the memory of a range if the job may access it, or NULL. */
static inline struct sunway_mem *mem_allowed(struct weft_sunway *n,
					     const struct sunway_range *r,
					     uint64_t *offset_p)
{
	struct sunway_mem *m = mem_of(n, r, offset_p);

	if (!m || m->m.job != r->job || (r->rights & ~m->m.rights))
		return NULL;
	if (*offset_p > m->m.bytes || r->bytes > m->m.bytes - *offset_p)
		return NULL;
	return m;
}

/* Returns the process address of an offset; *run_p: contiguous bytes there. */
static inline unsigned char *mem_at(struct weft_sunway *n, struct sunway_mem *m,
				    uint64_t offset, uint64_t *run_p)
{
	uint64_t size = UINT64_C(1) << m->m.page_bits;
	uint64_t at;

	if (m->m.kind != WEFT_SUNWAY_PAGED) {
		*run_p = m->m.bytes - offset;
		return (unsigned char *)m->m.base + offset;
	}
	at = tlb_page(n, (unsigned)(m - n->mem), offset >> m->m.page_bits);
	*run_p = size - (offset & (size - 1));
	return (unsigned char *)(uintptr_t)at + (offset & (size - 1));
}

unsigned sunway_mem_check(struct weft_sunway *n, const struct sunway_range *r)
{
	uint64_t offset;

	return mem_allowed(n, r, &offset) ? WEFT_SUNWAY_OK
					  : WEFT_SUNWAY_ADDRESS;
}

WEFT_HOT int sunway_mem_iov(struct weft_sunway *n, const struct sunway_range *r,
			    struct iovec *iov, int max)
{
	uint64_t offset;
	struct sunway_mem *m = mem_allowed(n, r, &offset);
	uint64_t left = r->bytes;
	int count = 0;
	uint64_t run;

	if (!m)
		return -1;
	for (; left; left -= run, offset += run) {
		unsigned char *at = mem_at(n, m, offset, &run);

		run = run < left ? run : left;
		if (count && at == (unsigned char *)iov[count - 1].iov_base +
					     iov[count - 1].iov_len) {
			iov[count - 1].iov_len += run;
			continue;
		}
		if (count == max)
			return -1;
		iov[count++] = (struct iovec){ at, run };
	}
	return count;
}

unsigned sunway_mem_copy(struct weft_sunway *n, const struct sunway_range *r,
			 void *buf, enum sunway_dir dir)
{
	uint64_t offset;
	struct sunway_mem *m = mem_allowed(n, r, &offset);
	uint64_t left = r->bytes;
	unsigned char *b = buf;
	uint64_t run;

	if (!m)
		return WEFT_SUNWAY_ADDRESS;
	for (; left; left -= run, offset += run, b += run) {
		unsigned char *at = mem_at(n, m, offset, &run);

		run = run < left ? run : left;
		if (dir == SUNWAY_TO_MEMORY)
			memcpy(at, b, run);
		else
			memcpy(b, at, run);
	}
	return WEFT_SUNWAY_OK;
}

WEFT_HOT unsigned sunway_mem_increment(struct weft_sunway *n,
				       const struct sunway_range *r)
{
	uint64_t offset;
	struct sunway_mem *m = mem_allowed(n, r, &offset);
	unsigned char *at;
	uint64_t run;

	if (!m || r->bytes != sizeof(uint64_t))
		return WEFT_SUNWAY_ADDRESS;
	at = mem_at(n, m, offset, &run);
	if ((uintptr_t)at % 8 || run < sizeof(uint64_t))
		return WEFT_SUNWAY_ADDRESS;
	/* E0: the data of the message is visible before the word changes */
	nic_event_sub((weft_au64 *)(void *)at, UINT64_MAX);
	n->stats.answers++;
	return WEFT_SUNWAY_OK;
}

/* ---- registration ---- */

static bool mem_attr_valid(const struct weft_sunway_mem *a)
{
	if (!a->base || !a->bytes || a->bytes > SUNWAY_OFFSET_MASK || !a->job ||
	    a->kind > WEFT_SUNWAY_SEGMENTED)
		return false;
	return a->kind != WEFT_SUNWAY_PAGED ||
	       (a->page_bits >= WEFT_SUNWAY_PAGE_MIN &&
		a->page_bits <= WEFT_SUNWAY_PAGE_MAX);
}

static int mem_pages(struct sunway_mem *m)
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

/* Uses pages of the largest size, which need the fewest translations. */
void sunway_mem_whole(struct weft_sunway *n, uint32_t job)
{
	uint64_t bytes = SUNWAY_OFFSET_MASK + 1;

	for (unsigned i = 0; i < SUNWAY_WHOLE_MEMS; i++)
		n->mem[i] = (struct sunway_mem){
			.used = true,
			.m = { .base = (void *)(uintptr_t)(i * bytes),
			       .bytes = bytes,
			       .job = job,
			       .kind = WEFT_SUNWAY_PAGED,
			       .page_bits = WEFT_SUNWAY_PAGE_MAX },
			.pages = bytes >> WEFT_SUNWAY_PAGE_MAX,
		};
}

WEFT_EXPORT int weft_sunway_mem_open(struct weft_sunway *n,
				     const struct weft_sunway_mem *attr,
				     uint64_t *address_p)
{
	struct sunway_mem *m = NULL;

	if (!mem_attr_valid(attr))
		return -EINVAL;
	if (attr->kind == WEFT_SUNWAY_PHYSICAL &&
	    attr->job >= WEFT_SUNWAY_SYSTEM_JOBS)
		return -EPERM;
	for (unsigned i = 0; i < SUNWAY_MEMS && !m; i++) {
		if (!n->mem[i].used)
			m = &n->mem[i];
	}
	if (!m)
		return -ENOSPC;
	*m = (struct sunway_mem){ .m = *attr };
	if (attr->kind == WEFT_SUNWAY_PAGED && mem_pages(m))
		return -ENOMEM;
	m->used = true;
	*address_p =
		attr->kind == WEFT_SUNWAY_PHYSICAL
			? (uintptr_t)attr->base
			: sunway_address(attr->kind, (unsigned)(m - n->mem));
	return 0;
}

static void mem_end(struct weft_sunway *n, struct sunway_mem *m)
{
	if (m->m.kind == WEFT_SUNWAY_PAGED)
		tlb_drop(n, (unsigned)(m - n->mem));
	free(m->page);
	memset(m, 0, sizeof(*m));
}

WEFT_EXPORT int weft_sunway_mem_close(struct weft_sunway *n, uint64_t address)
{
	struct sunway_range r = { .address = address };
	uint64_t offset;
	struct sunway_mem *m = mem_of(n, &r, &offset);

	if (!m || offset)
		return -EINVAL;
	mem_end(n, m);
	return 0;
}

WEFT_EXPORT int weft_sunway_page_set(struct weft_sunway *n, uint64_t address,
				     void *page)
{
	struct sunway_range r = { .address = address };
	uint64_t offset;
	struct sunway_mem *m = mem_of(n, &r, &offset);
	struct sunway_entry *e;
	uint64_t i;

	if (!m || m->m.kind != WEFT_SUNWAY_PAGED || offset >= m->m.bytes)
		return -EINVAL;
	i = offset >> m->m.page_bits;
	m->page[i] = (uintptr_t)page;
	e = tlb_find(n, (unsigned)(m - n->mem), i);
	if (e)
		e->mem = 0;
	return 0;
}

void sunway_mem_free_job(struct weft_sunway *n, uint32_t job)
{
	for (unsigned i = 0; i < SUNWAY_MEMS; i++) {
		if (n->mem[i].used && n->mem[i].m.job == job)
			mem_end(n, &n->mem[i]);
	}
}

void sunway_mem_fini(struct weft_sunway *n)
{
	for (unsigned i = 0; i < SUNWAY_MEMS; i++)
		free(n->mem[i].page);
}

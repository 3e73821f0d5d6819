/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered buffers. A packet carries a virtual address. The TLB gives its
 * buffer and page without the embedded processor; on a miss, the processor
 * searches the list of buffers and refills the TLB. Buffers may share a page,
 * so a hit also requires that the buffer contains the address.
 */
#include "prov/machine/apenet/apenet_dev.h"

const struct apenet_buf *apenet_buf_of(const struct weft_apenet *a,
				       uint64_t address, uint64_t bytes,
				       unsigned rights)
{
	for (unsigned i = 0; i < a->bufs; i++) {
		if (apenet_buf_holds(&a->buf[i], address, bytes, rights))
			return &a->buf[i];
	}
	return NULL;
}

/* ---- translation ---- */

static bool buf_admits(const struct apenet_buf *b,
		       const struct apenet_target *p, uint64_t address)
{
	return apenet_buf_holds(b, address, 1, p->rights) &&
	       (b->only == WEFT_PORT_NO_NODE || b->only == p->node);
}

static const struct apenet_buf *tlb_lookup(struct weft_apenet *a,
					   const struct apenet_target *p,
					   uint64_t address)
{
	const struct weft_mem_kind *k = a->host;

	for (unsigned i = 1; k; k = weft_mem_kind_at(i++)) {
		int64_t n = apenet_tlb_find(&a->tlb, address, k->page_bits);

		if (n >= 0 && a->buf[n].kind == k &&
		    buf_admits(&a->buf[n], p, address))
			return &a->buf[n];
	}
	return NULL;
}

/* Searches the list as the embedded processor does, and refills the TLB. */
static const struct apenet_buf *
walk(struct weft_apenet *a, const struct apenet_target *p, uint64_t address)
{
	for (unsigned i = 0; i < a->bufs; i++) {
		const struct apenet_buf *b = &a->buf[i];

		if (!buf_admits(b, p, address))
			continue;
		a->stats.tlb_evicted += apenet_tlb_fill(&a->tlb, address,
							b->kind->page_bits, i);
		return b;
	}
	return NULL;
}

static const struct apenet_buf *translate(struct weft_apenet *a,
					  const struct apenet_target *p,
					  uint64_t address, bool *walked)
{
	const struct apenet_buf *b = tlb_lookup(a, p, address);

	if (b) {
		a->stats.tlb_hits++;
		return b;
	}
	a->stats.tlb_misses++;
	*walked = true;
	return walk(a, p, address);
}

/*
 * Returns the number of bytes, starting at address, that one translation
 * covers.
 */
static uint64_t translation_run(const struct apenet_buf *b, uint64_t address,
				uint64_t left)
{
	uint64_t page = UINT64_C(1) << b->kind->page_bits;
	uint64_t run = page - (address & (page - 1));
	uint64_t end = b->base + b->bytes - address;

	run = run < end ? run : end;
	return run < left ? run : left;
}

unsigned apenet_buf_store(struct weft_apenet *a, struct apenet_target *p,
			  const unsigned char *data)
{
	unsigned status = WEFT_APENET_OK;
	bool walked = false, device = false;
	uint64_t done = 0;

	while (done < p->bytes && !status) {
		uint64_t at = p->address + done;
		const struct apenet_buf *b = translate(a, p, at, &walked);
		uint64_t run = b ? translation_run(b, at, p->bytes - done) : 0;

		if (!b || (data && b->kind->in(apenet_buf_at(b, at),
					       data + done, run))) {
			p->bad = at;
			status = WEFT_APENET_ADDRESS;
			break;
		}
		device |= b->kind != a->host;
		done += run;
	}
	a->stats.peer_writes += device;
	a->stats.walks += walked;
	a->stats.walk_ns += walked ? APENET_WALK_NS : 0;
	return status;
}

/* ---- registration ---- */

static int buf_table_grow(struct weft_apenet *a)
{
	unsigned n = a->bufs ? 2 * a->bufs : 16;
	struct apenet_buf *more;

	if (a->bufs == a->bufs_max)
		return -ENOSPC;
	n = n < a->bufs_max ? n : a->bufs_max;
	more = realloc(a->buf, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + a->bufs, 0, (n - a->bufs) * sizeof(*more));
	a->buf = more;
	a->bufs = n;
	return 0;
}

int apenet_buf_add(struct weft_apenet *a, const struct apenet_buf *b,
		   unsigned *buf_p)
{
	unsigned i = a->buf_free;
	int err;

	while (i < a->bufs && a->buf[i].used)
		i++;
	a->buf_free = i;
	err = i == a->bufs ? buf_table_grow(a) : 0;
	if (err)
		return err;
	a->buf[i] = *b;
	a->buf[i].used = true;
	*buf_p = i;
	return 0;
}

WEFT_EXPORT int weft_apenet_buf_open(struct weft_apenet *a, void *base,
				     uint64_t bytes, unsigned rights,
				     unsigned *buf_p)
{
	const struct weft_mem_kind *k;
	uint64_t at = (uintptr_t)base;

	if (!bytes || at + bytes < at ||
	    rights & ~(WEFT_APENET_MAY_READ | WEFT_APENET_MAY_WRITE))
		return -EINVAL;
	k = weft_mem_kind_of(base, bytes);
	if (!k)
		return -EINVAL;
	return apenet_buf_add(a,
			      &(struct apenet_buf){
				      .rights = rights,
				      .base = at,
				      .bytes = bytes,
				      .mem = base,
				      .only = WEFT_PORT_NO_NODE,
				      .kind = k,
			      },
			      buf_p);
}

WEFT_EXPORT int weft_apenet_buf_close(struct weft_apenet *a, unsigned buf)
{
	if (buf >= a->bufs || !a->buf[buf].used)
		return -EINVAL;
	a->buf[buf].used = false;
	a->buf_free = buf < a->buf_free ? buf : a->buf_free;
	apenet_tlb_drop(&a->tlb, buf);
	apenet_tx_buf_closed(a);
	return 0;
}

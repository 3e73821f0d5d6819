/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered buffers. A packet carries a virtual address. The TLB gives its
 * buffer and page without the embedded processor; on a miss, the processor
 * searches the list of buffers and refills the TLB. Buffers may share a page,
 * so a hit also requires that the buffer contains the address.
 */
#include "prov/machine/apenet/apenet_dev.h"

static bool buf_holds(const struct apenet_buf *b, uint64_t address,
		      uint64_t bytes, unsigned rights)
{
	uint64_t at = address - b->base;

	return b->used && at < b->bytes && bytes <= b->bytes - at &&
	       !(rights & ~b->rights);
}

const struct apenet_buf *apenet_buf_of(const struct weft_apenet *a,
				       uint64_t address, uint64_t bytes,
				       unsigned rights)
{
	for (unsigned i = 0; i < APENET_BUFS; i++) {
		if (buf_holds(&a->buf[i], address, bytes, rights))
			return &a->buf[i];
	}
	return NULL;
}

/* ---- translation ---- */

static const struct apenet_buf *tlb_lookup(struct weft_apenet *a,
					   const struct apenet_target *p,
					   uint64_t address)
{
	const struct weft_mem_kind *k;

	for (unsigned i = 0; (k = weft_mem_kind_at(i)); i++) {
		int64_t n = apenet_tlb_find(&a->tlb, address, k->page_bits);

		if (n >= 0 && a->buf[n].kind == k &&
		    buf_holds(&a->buf[n], address, 1, p->rights))
			return &a->buf[n];
	}
	return NULL;
}

/* Searches the list as the embedded processor does, and refills the TLB. */
static const struct apenet_buf *
walk(struct weft_apenet *a, const struct apenet_target *p, uint64_t address)
{
	const struct apenet_buf *b = apenet_buf_of(a, address, 1, p->rights);

	if (b)
		a->stats.tlb_evicted +=
			apenet_tlb_fill(&a->tlb, address, b->kind->page_bits,
					(uint32_t)(b - a->buf));
	return b;
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

/* Returns how many bytes from address on one translation covers. */
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

		if (!b ||
		    b->kind->in((void *)(uintptr_t)at, data + done, run)) {
			p->bad = at;
			status = WEFT_APENET_ADDRESS;
			break;
		}
		device |= b->kind != weft_mem_kind_at(0);
		done += run;
	}
	a->stats.peer_writes += device;
	a->stats.walks += walked;
	a->stats.walk_ns += walked ? APENET_WALK_NS : 0;
	return status;
}

/* ---- registration ---- */

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
	for (unsigned i = 0; i < APENET_BUFS; i++) {
		if (a->buf[i].used)
			continue;
		a->buf[i] = (struct apenet_buf){ true, rights, at, bytes, k };
		*buf_p = i;
		return 0;
	}
	return -ENOSPC;
}

WEFT_EXPORT int weft_apenet_buf_close(struct weft_apenet *a, unsigned buf)
{
	if (buf >= APENET_BUFS || !a->buf[buf].used)
		return -EINVAL;
	a->buf[buf].used = false;
	apenet_tlb_drop(&a->tlb, buf);
	apenet_tx_buf_closed(a);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation tables of the Gemini interface: numbers of processing elements
 * (PEs) into nodes, and memory handles into addresses.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>

WEFT_EXPORT int weft_gemini_node_set(struct weft_gemini *f, uint32_t pe,
				     const struct sockaddr_in *name)
{
	if (pe & ~GEMINI_PE_MASK)
		return -EINVAL;
	return weft_port_node_set(&f->port, pe, name);
}

WEFT_EXPORT int weft_gemini_ntt_set(struct weft_gemini *f, unsigned i,
				    unsigned value)
{
	if (i > GEMINI_PE_MASK >> f->ntt_bits ||
	    value > GEMINI_PE_MASK >> f->ntt_bits)
		return -EINVAL;
	for (unsigned k = 0; !f->ntt_on && k < WEFT_GEMINI_NTT; k++)
		f->ntt[k] = (uint16_t)k;
	f->ntt_on = true;
	f->ntt[i] = (uint16_t)value;
	return 0;
}

WEFT_EXPORT int weft_gemini_ntt_grain(struct weft_gemini *f, unsigned bits)
{
	if (bits >= WEFT_GEMINI_PE_BITS ||
	    GEMINI_PE_MASK >> bits >= WEFT_GEMINI_NTT)
		return -EINVAL;
	f->ntt_bits = bits;
	f->ntt_on = false;
	return 0;
}

uint32_t gemini_physical(const struct weft_gemini *f, uint32_t pe)
{
	uint32_t low = (1u << f->ntt_bits) - 1;

	if (!f->ntt_on)
		return pe;
	return (uint32_t)f->ntt[pe >> f->ntt_bits] << f->ntt_bits | (pe & low);
}

struct weft_peer *gemini_peer(struct weft_gemini *f, uint32_t pe)
{
	if (pe & ~GEMINI_PE_MASK)
		return NULL;
	return weft_port_peer(&f->port, gemini_physical(f, pe));
}

enum weft_gemini_status gemini_translate(const struct gemini_mdd *m,
					 uint64_t offset, uint64_t bytes,
					 bool write, uint64_t *addr)
{
	if (!m->valid)
		return WEFT_GEMINI_MDD_INVALID;
	if (offset > m->bytes || bytes > m->bytes - offset)
		return WEFT_GEMINI_BOUNDS;
	if (write && !(m->flags & WEFT_GEMINI_WRITABLE))
		return WEFT_GEMINI_PROTECTION;
	*addr = m->base + offset;
	return WEFT_GEMINI_OK;
}

WEFT_EXPORT int weft_gemini_mem_open(struct weft_gemini *f, void *base,
				     uint64_t bytes, unsigned flags,
				     unsigned cq, unsigned *mdh_p)
{
	unsigned i = 0;

	if (!base || !bytes || bytes > GEMINI_OFFSET_MASK ||
	    (flags & ~WEFT_GEMINI_WRITABLE))
		return -EINVAL;
	while (i < WEFT_GEMINI_MDDS && f->mdd[i].valid)
		i++;
	if (i == WEFT_GEMINI_MDDS)
		return -ENOSPC;
	f->mdd[i] = (struct gemini_mdd){
		.base = (uintptr_t)base,
		.bytes = bytes,
		.flags = (uint8_t)flags,
		.ptag = f->ptag,
		.cq = (uint16_t)cq,
		.valid = true,
	};
	*mdh_p = i;
	return 0;
}

WEFT_EXPORT int weft_gemini_mem_close(struct weft_gemini *f, unsigned mdh)
{
	if (mdh >= WEFT_GEMINI_MDDS || !f->mdd[mdh].valid)
		return -EINVAL;
	f->mdd[mdh].valid = false;
	return 0;
}

WEFT_EXPORT int weft_gemini_vmdh_set(struct weft_gemini *f, unsigned v,
				     unsigned mdh)
{
	if (v >= WEFT_GEMINI_VMDHS || mdh >= WEFT_GEMINI_MDDS ||
	    !f->mdd[mdh].valid)
		return -EINVAL;
	f->vmdh[v] = (uint16_t)(mdh + 1);
	return 0;
}

WEFT_EXPORT int weft_gemini_vmdh_clear(struct weft_gemini *f, unsigned v)
{
	if (v >= WEFT_GEMINI_VMDHS || !f->vmdh[v])
		return -EINVAL;
	f->vmdh[v] = 0;
	return 0;
}

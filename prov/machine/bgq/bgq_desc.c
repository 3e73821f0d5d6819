/* SPDX-License-Identifier: BSD-3-Clause */
/* Building and checking of descriptors of the Message Unit. */
#include "prov/machine/bgq/bgq_dev.h"

#include "src/base/attr.h"

static void desc_common(struct bgq_desc *d, const struct weft_bgq_msg *m,
			enum bgq_type type)
{
	bool bcast = m->flags & WEFT_BGQ_BCAST;
	uint16_t map = m->net_map ? m->net_map
		       : bcast	  ? WEFT_BGQ_NET_COLL
				  : WEFT_BGQ_NET_TORUS;

	memset(d, 0, sizeof(*d));
	d->ctl = map | (uint64_t)m->load_op << BGQ_D0_LOAD_SHIFT;
	if (m->flags & WEFT_BGQ_PREFETCH)
		d->ctl |= BGQ_D0_PREFETCH;
	if (m->flags & WEFT_BGQ_INTERRUPT)
		d->ctl |= BGQ_D0_INTERRUPT;
	d->payload = (uintptr_t)m->payload;
	d->bytes = m->bytes;
	d->hdr.kind = BGQ_PT2PT;
	d->hdr.vc = bgq_vc_byte(m->vc, m->zone, m->flags & WEFT_BGQ_STAY);
	for (unsigned dim = 0; dim < WEFT_BGQ_DIMS; dim++)
		bgq_hdr_hint_set(&d->hdr, dim, m->hint[dim]);
	if (m->vc == WEFT_BGQ_VC_DYNAMIC)
		d->hdr.ctl |= BGQ_CTL_DYNAMIC;
	d->hdr.dest = m->node & BGQ_NODE_MASK;
	d->hdr.type_size = (uint8_t)(type << 5);
	if (!bcast)
		return;
	d->hdr.kind = BGQ_COLLECTIVE;
	d->hdr.hints = 0;
	d->hdr.ctl = (uint8_t)(m->node << 4);
}

WEFT_EXPORT void weft_bgq_desc_fifo(struct weft_bgq_desc *desc,
				    const struct weft_bgq_msg *msg,
				    unsigned rec_fifo, const void *soft)
{
	struct bgq_desc *d = (struct bgq_desc *)desc;

	desc_common(d, msg, BGQ_FIFO);
	d->hdr.sel = bgq_sel(rec_fifo, 0);
	if (!soft)
		return;
	memcpy(&d->hdr.aux, soft, 4);
	memcpy(&d->hdr.ctr, (const char *)soft + 4, 8);
}

WEFT_EXPORT void weft_bgq_desc_put(struct weft_bgq_desc *desc,
				   const struct weft_bgq_msg *msg,
				   const struct weft_bgq_put *put)
{
	struct bgq_desc *d = (struct bgq_desc *)desc;

	desc_common(d, msg, BGQ_PUT);
	d->hdr.aux = (uint32_t)(put->store_op & 15) << 16;
	d->hdr.sel = bgq_sel(put->bat, put->offset);
	d->hdr.ctr = bgq_sel(put->ctr_bat, put->ctr_offset);
}

WEFT_EXPORT void weft_bgq_desc_get(struct weft_bgq_desc *desc,
				   const struct weft_bgq_msg *msg,
				   unsigned inj_fifo)
{
	struct bgq_desc *d = (struct bgq_desc *)desc;

	desc_common(d, msg, BGQ_GET);
	d->hdr.sel = bgq_sel(inj_fifo, 0);
}

/*
 * Checks the network FIFOs and the channel of a descriptor: a user FIFO must
 * not use those of the system.
 */
static enum weft_bgq_error desc_check_net(const struct bgq_desc *d, bool system)
{
	unsigned map = bgq_desc_map(d);
	unsigned allowed =
		WEFT_BGQ_NET_TORUS | WEFT_BGQ_NET_LOCAL | WEFT_BGQ_NET_HIGH;

	if (system)
		allowed |= WEFT_BGQ_NET_SYS;
	if (d->hdr.kind == BGQ_COLLECTIVE)
		allowed = WEFT_BGQ_NET_COLL;
	if (!map || (map & ~allowed))
		return WEFT_BGQ_ERR_MAP;
	if ((map & WEFT_BGQ_NET_LOCAL) && (map & ~WEFT_BGQ_NET_LOCAL))
		return WEFT_BGQ_ERR_MAP;
	if (bgq_hdr_vc(&d->hdr) > WEFT_BGQ_VC_SYSTEM)
		return WEFT_BGQ_ERR_DESC;
	if (bgq_hdr_vc(&d->hdr) == WEFT_BGQ_VC_SYSTEM && !system)
		return WEFT_BGQ_ERR_SYSTEM;
	return WEFT_BGQ_OK;
}

static enum weft_bgq_error desc_check_length(const struct bgq_desc *d)
{
	unsigned type = bgq_hdr_type(&d->hdr);

	if (d->bytes > BGQ_ADDR_MASK || (!d->bytes && type != BGQ_FIFO))
		return WEFT_BGQ_ERR_LENGTH;
	if (type == BGQ_GET &&
	    (d->bytes > WEFT_BGQ_PAYLOAD || d->bytes % sizeof(*d)))
		return WEFT_BGQ_ERR_LENGTH;
	return WEFT_BGQ_OK;
}

static enum weft_bgq_error desc_check_atomic(const struct bgq_desc *d)
{
	unsigned load = bgq_desc_load_op(d);
	unsigned store = 0;

	if (bgq_hdr_type(&d->hdr) == BGQ_PUT)
		store = bgq_put_store_op(d->hdr.aux);
	if (load > WEFT_BGQ_LOAD_INC_EQUAL || store > WEFT_BGQ_STORE_MAX_SIGNED)
		return WEFT_BGQ_ERR_DESC;
	if ((load || store) && d->bytes != 8)
		return WEFT_BGQ_ERR_ATOMIC;
	if (load && d->payload % 8)
		return WEFT_BGQ_ERR_ATOMIC;
	return WEFT_BGQ_OK;
}

enum weft_bgq_error bgq_desc_check(const struct bgq_desc *d, bool system)
{
	enum weft_bgq_error e;

	if ((d->hdr.kind != BGQ_PT2PT && d->hdr.kind != BGQ_COLLECTIVE) ||
	    bgq_hdr_type(&d->hdr) > BGQ_GET)
		return WEFT_BGQ_ERR_DESC;
	if (d->hdr.kind == BGQ_COLLECTIVE &&
	    (bgq_hdr_type(&d->hdr) == BGQ_PUT || d->hdr.ctl & 0xe))
		return WEFT_BGQ_ERR_DESC;
	if ((d->ctl & BGQ_D0_RESERVED) || d->reserved ||
	    d->payload > BGQ_ADDR_MASK)
		return WEFT_BGQ_ERR_DESC;
	e = desc_check_net(d, system);
	if (!e)
		e = desc_check_length(d);
	if (!e)
		e = desc_check_atomic(d);
	return e;
}

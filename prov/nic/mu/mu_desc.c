/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of the Message Unit: built for users, checked for the unit. */
#include "prov/nic/mu/mu_dev.h"

#include "src/base/attr.h"

static void desc_common(struct mu_desc *d, const struct weft_mu_msg *m,
			enum mu_type type)
{
	uint16_t map = m->net_map ? m->net_map : WEFT_MU_NET_TORUS;

	memset(d, 0, sizeof(*d));
	d->ctl = map | (uint64_t)m->load_op << MU_D0_LOAD_SHIFT;
	if (m->flags & WEFT_MU_PREFETCH)
		d->ctl |= MU_D0_PREFETCH;
	if (m->flags & WEFT_MU_INTERRUPT)
		d->ctl |= MU_D0_INTERRUPT;
	d->payload = (uintptr_t)m->payload;
	d->bytes = m->bytes;
	d->hdr.kind = MU_PT2PT;
	d->hdr.vc = (uint8_t)(m->vc << 5);
	if (m->vc == WEFT_MU_VC_DYNAMIC)
		d->hdr.ctl |= MU_CTL_DYNAMIC;
	d->hdr.dest = m->node & MU_NODE_MASK;
	d->hdr.type_size = (uint8_t)(type << 5);
}

WEFT_EXPORT void weft_mu_desc_fifo(struct weft_mu_desc *desc,
				   const struct weft_mu_msg *msg,
				   unsigned rec_fifo, const void *soft)
{
	struct mu_desc *d = (struct mu_desc *)desc;

	desc_common(d, msg, MU_FIFO);
	d->hdr.sel = mu_sel(rec_fifo, 0);
	if (!soft)
		return;
	memcpy(&d->hdr.aux, soft, 4);
	memcpy(&d->hdr.ctr, (const char *)soft + 4, 8);
}

WEFT_EXPORT void weft_mu_desc_put(struct weft_mu_desc *desc,
				  const struct weft_mu_msg *msg,
				  const struct weft_mu_put *put)
{
	struct mu_desc *d = (struct mu_desc *)desc;

	desc_common(d, msg, MU_PUT);
	d->hdr.aux = (uint32_t)(put->store_op & 15) << 16;
	d->hdr.sel = mu_sel(put->bat, put->offset);
	d->hdr.ctr = mu_sel(put->ctr_bat, put->ctr_offset);
}

WEFT_EXPORT void weft_mu_desc_get(struct weft_mu_desc *desc,
				  const struct weft_mu_msg *msg,
				  unsigned inj_fifo)
{
	struct mu_desc *d = (struct mu_desc *)desc;

	desc_common(d, msg, MU_GET);
	d->hdr.sel = mu_sel(inj_fifo, 0);
}

/* User FIFOs may not use the system's network FIFO or virtual channel. */
static enum weft_mu_error desc_check_net(const struct mu_desc *d, bool system)
{
	unsigned map = mu_desc_map(d);
	unsigned allowed =
		WEFT_MU_NET_TORUS | WEFT_MU_NET_LOCAL | WEFT_MU_NET_HIGH;

	if (system)
		allowed |= WEFT_MU_NET_SYS;
	if (!map || (map & ~allowed))
		return WEFT_MU_ERR_MAP;
	if ((map & WEFT_MU_NET_LOCAL) && (map & ~WEFT_MU_NET_LOCAL))
		return WEFT_MU_ERR_MAP;
	if (mu_hdr_vc(&d->hdr) > WEFT_MU_VC_SYSTEM)
		return WEFT_MU_ERR_DESC;
	if (mu_hdr_vc(&d->hdr) == WEFT_MU_VC_SYSTEM && !system)
		return WEFT_MU_ERR_SYSTEM;
	return WEFT_MU_OK;
}

static enum weft_mu_error desc_check_length(const struct mu_desc *d)
{
	unsigned type = mu_hdr_type(&d->hdr);

	if (d->bytes > MU_ADDR_MASK || (!d->bytes && type != MU_FIFO))
		return WEFT_MU_ERR_LENGTH;
	if (type == MU_GET &&
	    (d->bytes > WEFT_MU_PAYLOAD || d->bytes % sizeof(*d)))
		return WEFT_MU_ERR_LENGTH;
	return WEFT_MU_OK;
}

static enum weft_mu_error desc_check_atomic(const struct mu_desc *d)
{
	unsigned load = mu_desc_load_op(d);
	unsigned store = 0;

	if (mu_hdr_type(&d->hdr) == MU_PUT)
		store = mu_put_store_op(d->hdr.aux);
	if (load > WEFT_MU_LOAD_INC_EQUAL || store > WEFT_MU_STORE_MAX_SIGNED)
		return WEFT_MU_ERR_DESC;
	if ((load || store) && d->bytes != 8)
		return WEFT_MU_ERR_ATOMIC;
	if (load && d->payload % 8)
		return WEFT_MU_ERR_ATOMIC;
	return WEFT_MU_OK;
}

enum weft_mu_error mu_desc_check(const struct mu_desc *d, bool system)
{
	enum weft_mu_error e;

	if (d->hdr.kind != MU_PT2PT || mu_hdr_type(&d->hdr) > MU_GET)
		return WEFT_MU_ERR_DESC;
	if ((d->ctl & MU_D0_RESERVED) || d->reserved ||
	    d->payload > MU_ADDR_MASK)
		return WEFT_MU_ERR_DESC;
	e = desc_check_net(d, system);
	if (!e)
		e = desc_check_length(d);
	if (!e)
		e = desc_check_atomic(d);
	return e;
}

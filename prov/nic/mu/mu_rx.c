/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception. A packet from the carrier is stored according to its type, if
 * every object it names exists and the access is allowed. An invalid packet is
 * rejected and recorded. A packet for which there is no room stays in the
 * carrier, which gives the sender back-pressure; no packet is dropped because a
 * FIFO is full.
 */
#include "prov/nic/mu/mu_dev.h"

#include "src/base/attr.h"

#include <errno.h>

static bool rx_system(const struct mu_hdr *h)
{
	return mu_hdr_vc(h) == WEFT_MU_VC_SYSTEM;
}

static int rx_reject(struct weft_mu *mu, enum weft_mu_error e, unsigned id,
		     uint64_t addr)
{
	mu_error(mu, e, id, addr);
	return 0;
}

/* Stores a packet in a FIFO; the header's destination becomes the source. */
static int rx_fifo(struct weft_mu *mu, uint32_t source, const struct mu_hdr *h,
		   const void *payload)
{
	unsigned id = mu_sel_id(h->sel);
	unsigned chunks = mu_hdr_chunks(h);
	struct mu_hdr stored = *h;
	struct mu_reservation place;
	struct mu_rec *r;
	uint64_t free;

	if (id >= WEFT_MU_REC_FIFOS || !mu->rec[id].chunks)
		return rx_reject(mu, WEFT_MU_ERR_REC_ID, id, 0);
	r = &mu->rec[id];
	if ((r->flags & WEFT_MU_SYSTEM) && !rx_system(h))
		return rx_reject(mu, WEFT_MU_ERR_SYSTEM, id, 0);
	free = mu_rec_free(r);
	if (mu_rec_reserve(r, chunks + 1, &place))
		return -EAGAIN;
	stored.dest = source;
	mu_rec_copy_in(r, place.at, &stored, sizeof(stored));
	mu_rec_copy_in(r, place.at + 1, payload, chunks * WEFT_MU_CHUNK);
	mu_rec_commit(r, &place);
	if (free >= r->threshold && free - chunks - 1 < r->threshold)
		mu_irq(mu, WEFT_MU_IRQ_REC_SPACE, id);
	if (h->ctl & MU_CTL_INTERRUPT)
		mu_irq(mu, WEFT_MU_IRQ_ARRIVAL, id);
	return 0;
}

/* Checks the target and counter of a direct put; returns their addresses. */
static enum weft_mu_error rx_put_check(struct weft_mu *mu,
				       const struct mu_hdr *h, uint64_t *to_p,
				       uint64_t *ctr_p)
{
	unsigned bytes = mu_put_valid(h->aux);
	unsigned op = mu_put_store_op(h->aux);
	bool system = rx_system(h);
	enum weft_mu_error e;

	if (!bytes || bytes > mu_hdr_chunks(h) * WEFT_MU_CHUNK)
		return WEFT_MU_ERR_PACKET;
	e = mu_bat_address(mu, h->sel, system, to_p);
	if (!e)
		e = mu_bat_address(mu, h->ctr, system, ctr_p);
	if (e)
		return e;
	if (op && (op > WEFT_MU_STORE_MAX_SIGNED || bytes != 8 || *to_p % 8))
		return WEFT_MU_ERR_ATOMIC;
	if (*ctr_p % 8)
		return WEFT_MU_ERR_ATOMIC;
	if (op == WEFT_MU_STORE_TWIN)
		bytes += 8;
	if (!mu_range_ok(mu, *to_p, bytes, true, system) ||
	    !mu_range_ok(mu, *ctr_p, 8, true, system))
		return WEFT_MU_ERR_RANGE;
	return WEFT_MU_OK;
}

static void rx_put_atomic(struct weft_mu *mu, const struct mu_hdr *h,
			  uint64_t to, const void *payload)
{
	unsigned op = mu_put_store_op(h->aux);
	uint64_t v;

	memcpy(&v, payload, 8);
	v = mu_atomic_store(to, op, v);
	if (op == WEFT_MU_STORE_ADD_ZERO && !v)
		mu_irq(mu, WEFT_MU_IRQ_ZERO, mu_sel_id(h->sel));
}

static int rx_put(struct weft_mu *mu, const struct mu_hdr *h,
		  const void *payload)
{
	unsigned bytes = mu_put_valid(h->aux);
	uint64_t to = 0;
	uint64_t ctr = 0;
	enum weft_mu_error e = rx_put_check(mu, h, &to, &ctr);

	if (e)
		return rx_reject(mu, e, mu_sel_id(h->sel), to);
	if (mu_put_store_op(h->aux))
		rx_put_atomic(mu, h, to, payload);
	else
		memcpy((void *)(uintptr_t)to, payload, bytes);
	nic_event_sub((weft_au64 *)(uintptr_t)ctr, bytes);
	if (h->ctl & MU_CTL_INTERRUPT)
		mu_irq(mu, WEFT_MU_IRQ_ARRIVAL, mu_sel_id(h->ctr));
	return 0;
}

/* Appends the payload, which is descriptors, to a remote get FIFO. */
static int rx_get(struct weft_mu *mu, const struct mu_hdr *h,
		  const void *payload)
{
	unsigned id = mu_sel_id(h->sel);
	unsigned bytes = mu_hdr_chunks(h) * WEFT_MU_CHUNK;
	unsigned n = bytes / sizeof(struct mu_desc);
	struct mu_desc d[WEFT_MU_GET_DESCS];
	struct mu_inj *f;
	uint64_t free;

	if (!n || bytes % sizeof(struct mu_desc))
		return rx_reject(mu, WEFT_MU_ERR_PACKET, id, 0);
	if (id >= WEFT_MU_INJ_FIFOS || mu->inj[id].state == MU_CLOSED ||
	    !(mu->inj[id].flags & WEFT_MU_RGET))
		return rx_reject(mu, WEFT_MU_ERR_INJ_ID, id, 0);
	f = &mu->inj[id];
	if ((f->flags & WEFT_MU_SYSTEM) && !rx_system(h))
		return rx_reject(mu, WEFT_MU_ERR_SYSTEM, id, 0);
	memcpy(d, payload, bytes);
	free = mu_inj_free(f);
	if (mu_inj_push(f, d, n))
		return -EAGAIN;
	mu_tx_doorbell(mu, id);
	if (f->threshold != UINT32_MAX && free >= f->threshold &&
	    free - n < f->threshold)
		mu_irq(mu, WEFT_MU_IRQ_RGET_SPACE, id);
	return 0;
}

int mu_rx_packet(struct weft_mu *mu, uint32_t source, const struct mu_hdr *h,
		 const void *payload)
{
	int err;

	switch (mu_hdr_type(h)) {
	case MU_FIFO:
		err = rx_fifo(mu, source, h, payload);
		break;
	case MU_PUT:
		err = rx_put(mu, h, payload);
		break;
	case MU_GET:
		err = rx_get(mu, h, payload);
		break;
	default:
		err = rx_reject(mu, WEFT_MU_ERR_PACKET, source, 0);
	}
	if (!err)
		mu->net_received++;
	return err;
}

int mu_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		  const void *payload)
{
	struct weft_mu *mu = arg;
	uint32_t source = weft_port_node(&mu->port, src);
	struct mu_hdr h;

	mu_hdr_from_pkt(&h, pkt);
	if (pkt->type != MU_PT2PT || pkt->len > WEFT_MU_PAYLOAD ||
	    pkt->len != mu_hdr_chunks(&h) * WEFT_MU_CHUNK)
		return rx_reject(mu, WEFT_MU_ERR_PACKET, source, 0);
	return mu_rx_packet(mu, source, &h, payload);
}

static void rec_describe(struct weft_mu_packet *p, const struct mu_hdr *h)
{
	p->bytes = mu_hdr_chunks(h) * WEFT_MU_CHUNK;
	p->source = h->dest;
	p->counter = mu_sel_offset(h->sel);
	memcpy(p->soft, &h->aux, 4);
	memcpy(p->soft + 4, &h->ctr, 8);
}

/* Payload of a packet; one that wraps around the end is copied into buf. */
static const void *rec_payload(struct mu_rec *r, uint64_t at, unsigned bytes,
			       void *buf)
{
	uint64_t slot = at & (r->chunks - 1);

	if (slot + bytes / WEFT_MU_CHUNK <= r->chunks)
		return r->base + slot * WEFT_MU_CHUNK;
	mu_rec_copy_out(r, at, buf, bytes);
	return buf;
}

WEFT_EXPORT int weft_mu_rec_poll(struct weft_mu *mu, unsigned id,
				 weft_mu_packet_fn fn, void *arg, int budget)
{
	unsigned char buf[WEFT_MU_PAYLOAD];
	struct weft_mu_packet p;
	struct mu_rec *r = &mu->rec[id];
	struct mu_hdr h;
	uint64_t head;
	int n = 0;

	if (id >= WEFT_MU_REC_FIFOS || !r->chunks)
		return -EINVAL;
	for (; n < budget; n++) {
		head = nic_read_own(&r->head);
		if (head == mu_rec_tail(r))
			break;
		mu_rec_copy_out(r, head, &h, sizeof(h));
		rec_describe(&p, &h);
		p.payload = rec_payload(r, head + 1, p.bytes, buf);
		if (fn(arg, &p))
			break;
		nic_space_return(&r->head, head + 1 + mu_hdr_chunks(&h));
	}
	return n;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception. A packet from the carrier is stored according to its type, if
 * every object that it names exists and the access is allowed. An invalid
 * packet is refused and recorded. If there is no space, a packet stays in the
 * carrier, and the sender gets back-pressure; a full FIFO never causes a packet
 * to be dropped.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "src/base/attr.h"

#include <errno.h>

static bool rx_system(const struct bgq_hdr *h)
{
	return bgq_hdr_vc(h) == WEFT_BGQ_VC_SYSTEM;
}

static int rx_reject(struct weft_bgq *mu, enum weft_bgq_error e, unsigned id,
		     uint64_t addr)
{
	bgq_error(mu, e, id, addr);
	return 0;
}

/* Counts the writes of chunks to a reception FIFO, which may wrap around. */
static void rx_fifo_count(struct weft_bgq *mu, const struct bgq_rec *r,
			  uint64_t first, unsigned chunks)
{
	uint64_t slot = first & (r->chunks - 1), room = r->chunks - slot;
	uint64_t at = (uintptr_t)r->base;

	if (weft_unlikely(room < chunks)) {
		bgq_upc_write(mu, at, (chunks - room) * WEFT_BGQ_CHUNK);
		chunks = (unsigned)room;
	}
	bgq_upc_write(mu, at + slot * WEFT_BGQ_CHUNK, chunks * WEFT_BGQ_CHUNK);
}

/* Stores a packet in a FIFO, with the source in its header. */
static int rx_fifo(struct weft_bgq *mu, uint32_t source,
		   const struct bgq_hdr *h, const void *payload)
{
	unsigned id = bgq_sel_id(h->sel);
	unsigned chunks = bgq_hdr_chunks(h);
	struct bgq_hdr stored = *h;
	struct bgq_reservation place;
	struct bgq_rec *r;
	uint64_t free;

	if (id >= WEFT_BGQ_REC_FIFOS || !mu->rec[id].chunks)
		return rx_reject(mu, WEFT_BGQ_ERR_REC_ID, id, 0);
	r = &mu->rec[id];
	if ((r->flags & WEFT_BGQ_SYSTEM) && !rx_system(h))
		return rx_reject(mu, WEFT_BGQ_ERR_SYSTEM, id, 0);
	free = bgq_rec_free(r);
	if (weft_unlikely(
		    !bgq_rec_ring_ok(mu, r, bgq_rec_shadow(r), chunks + 1)))
		return rx_reject(mu, WEFT_BGQ_ERR_RANGE, id,
				 (uintptr_t)r->base);
	if (bgq_rec_reserve(r, chunks + 1, &place))
		return -EAGAIN;
	stored.dest = source;
	bgq_rec_copy_in(r, place.first, &stored, sizeof(stored));
	bgq_rec_copy_in(r, place.first + 1, payload, chunks * WEFT_BGQ_CHUNK);
	bgq_rec_commit(r, &place);
	rx_fifo_count(mu, r, place.first, chunks + 1);
	if (free >= r->threshold && free - chunks - 1 < r->threshold)
		bgq_irq(mu, WEFT_BGQ_IRQ_REC_SPACE, id);
	if (h->ctl & BGQ_CTL_INTERRUPT)
		bgq_irq(mu, WEFT_BGQ_IRQ_ARRIVAL, id);
	return 0;
}

/* Checks target and counter of a direct put, and sets their addresses. */
enum weft_bgq_error bgq_put_check(const struct weft_bgq *mu,
				  const struct bgq_hdr *h, uint64_t bytes,
				  uint64_t *to_p, uint64_t *ctr_p)
{
	unsigned op = bgq_put_store_op(h->aux);
	bool system = rx_system(h);
	enum weft_bgq_error e = bgq_bat_address(mu, h->sel, system, to_p);

	if (!e)
		e = bgq_bat_address(mu, h->ctr, system, ctr_p);
	if (e)
		return e;
	if (op && (op > WEFT_BGQ_STORE_MAX_SIGNED || bytes != 8 || *to_p % 8))
		return WEFT_BGQ_ERR_ATOMIC;
	if (*ctr_p % 8)
		return WEFT_BGQ_ERR_ATOMIC;
	if (op == WEFT_BGQ_STORE_TWIN)
		bytes += 8;
	if (!bgq_range_ok(mu, *to_p, bytes, op ? BGQ_ATOMIC : BGQ_STORE,
			  system) ||
	    !bgq_range_ok(mu, *ctr_p, 8, BGQ_ATOMIC, system))
		return WEFT_BGQ_ERR_RANGE;
	return WEFT_BGQ_OK;
}

static int rx_put(struct weft_bgq *mu, const struct bgq_hdr *h,
		  const void *payload)
{
	unsigned bytes = bgq_put_valid(h->aux);
	uint64_t to = 0;
	uint64_t ctr = 0;
	enum weft_bgq_error e = WEFT_BGQ_ERR_PACKET;

	if (bytes && bytes <= bgq_hdr_chunks(h) * WEFT_BGQ_CHUNK)
		e = bgq_put_check(mu, h, bytes, &to, &ctr);
	if (e)
		return rx_reject(mu, e, bgq_sel_id(h->sel), to);
	if (bgq_put_store_op(h->aux)) {
		unsigned op = bgq_put_store_op(h->aux);
		uint64_t v;

		memcpy(&v, payload, 8);
		v = bgq_atomic_store(to, op, v);
		if (op == WEFT_BGQ_STORE_ADD_ZERO && !v)
			bgq_irq(mu, WEFT_BGQ_IRQ_ZERO, bgq_sel_id(h->sel));
	} else if (!bgq_store(mu, to, payload, bytes)) {
		return rx_reject(mu, WEFT_BGQ_ERR_RANGE, bgq_sel_id(h->sel),
				 to);
	}
	nic_event_sub((weft_au64 *)(uintptr_t)ctr, bytes);
	bgq_upc_write(mu, to, bytes);
	bgq_upc_write(mu, ctr, 8);
	if (h->ctl & BGQ_CTL_INTERRUPT)
		bgq_irq(mu, WEFT_BGQ_IRQ_ARRIVAL, bgq_sel_id(h->ctr));
	return 0;
}

/* Appends the payload, which consists of descriptors, to a remote get FIFO. */
static int rx_get(struct weft_bgq *mu, uint32_t source, const struct bgq_hdr *h,
		  const void *payload)
{
	unsigned id = bgq_sel_id(h->sel);
	unsigned bytes = bgq_hdr_chunks(h) * WEFT_BGQ_CHUNK;
	unsigned n = bytes / sizeof(struct bgq_desc);
	struct bgq_desc d[WEFT_BGQ_GET_DESCS];
	struct bgq_inj *f;
	uint64_t free;

	if (!n || bytes % sizeof(struct bgq_desc))
		return rx_reject(mu, WEFT_BGQ_ERR_PACKET, id, 0);
	if (id >= WEFT_BGQ_INJ_FIFOS || mu->inj[id].state == BGQ_CLOSED ||
	    !(mu->inj[id].flags & WEFT_BGQ_RGET))
		return rx_reject(mu, WEFT_BGQ_ERR_INJ_ID, id, 0);
	f = &mu->inj[id];
	if ((f->flags & WEFT_BGQ_SYSTEM) && !rx_system(h))
		return rx_reject(mu, WEFT_BGQ_ERR_SYSTEM, id, 0);
	if (!bgq_inj_ring_ok(mu, f, nic_read_own(&f->tail), n, BGQ_STORE))
		return rx_reject(mu, WEFT_BGQ_ERR_RANGE, id,
				 (uintptr_t)f->ring);
	memcpy(d, payload, bytes);
	/*
	 * node numbers differ between peers; the data is returned to the
	 * requester
	 */
	for (unsigned i = 0; i < n && mu->engine; i++)
		d[i].hdr.dest = source;
	free = bgq_inj_free(f);
	if (bgq_inj_push(f, d, n))
		return -EAGAIN;
	for (unsigned i = 0; i < n; i++)
		bgq_upc_write(mu, 0, sizeof(d[i]));
	bgq_tx_doorbell(mu, id);
	if (f->threshold != UINT32_MAX && free >= f->threshold &&
	    free - n < f->threshold)
		bgq_irq(mu, WEFT_BGQ_IRQ_RGET_SPACE, id);
	return 0;
}

int bgq_rx_packet(struct weft_bgq *mu, uint32_t source, const struct bgq_hdr *h,
		  const void *payload)
{
	int err;

	switch (bgq_hdr_type(h)) {
	case BGQ_FIFO:
		err = rx_fifo(mu, source, h, payload);
		break;
	case BGQ_PUT:
		err = rx_put(mu, h, payload);
		break;
	case BGQ_GET:
		err = rx_get(mu, source, h, payload);
		break;
	default:
		err = rx_reject(mu, WEFT_BGQ_ERR_PACKET, source, 0);
	}
	if (err)
		return err;
	mu->net_received++;
	mu->upc[WEFT_BGQ_UPC_PACKETS_RECEIVED]++;
	mu->upc[WEFT_BGQ_UPC_MESSAGES_RECEIVED] +=
		(h->vc & BGQ_VC_LAST) == BGQ_VC_LAST;
	return 0;
}

int bgq_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload)
{
	struct weft_bgq *mu = arg;
	uint32_t source = weft_port_node(&mu->port, src);
	struct bgq_hdr h;

	if (pkt->type == BGQ_GI)
		return bgq_halted(mu, WEFT_BGQ_PART_BARRIER)
			       ? -EAGAIN
			       : bgq_gi_deliver(mu, source, pkt);
	if (weft_unlikely(bgq_halted(mu, WEFT_BGQ_PART_RECEIVE)))
		return -EAGAIN;
	bgq_hdr_from_pkt(&h, pkt);
	if ((pkt->type != BGQ_PT2PT && pkt->type != BGQ_COLLECTIVE) ||
	    pkt->len > WEFT_BGQ_PAYLOAD ||
	    pkt->len != bgq_hdr_chunks(&h) * WEFT_BGQ_CHUNK)
		return rx_reject(mu, WEFT_BGQ_ERR_PACKET, source, 0);
	if (pkt->type == BGQ_COLLECTIVE) {
		h.kind = BGQ_COLLECTIVE;
		return bgq_bcast_deliver(mu, source, &h, payload);
	}
	return bgq_rx_packet(mu, source, &h, payload);
}

/* Returns the payload of a packet, copied to buf if it wraps around. */
static const void *rec_payload(struct bgq_rec *r, uint64_t at, unsigned bytes,
			       void *buf)
{
	uint64_t slot = at & (r->chunks - 1);

	if (slot + bytes / WEFT_BGQ_CHUNK <= r->chunks)
		return r->base + slot * WEFT_BGQ_CHUNK;
	bgq_rec_copy_out(r, at, buf, bytes);
	return buf;
}

WEFT_EXPORT int weft_bgq_rec_poll(struct weft_bgq *mu, unsigned id,
				  weft_bgq_packet_fn fn, void *arg, int budget)
{
	unsigned char buf[WEFT_BGQ_PAYLOAD];
	struct weft_bgq_packet p;
	struct bgq_rec *r = &mu->rec[id];
	struct bgq_hdr h;
	uint64_t head;
	int n = 0;

	if (id >= WEFT_BGQ_REC_FIFOS || !r->chunks)
		return -EINVAL;
	for (; n < budget; n++) {
		head = nic_read_own(&r->head);
		/* the processor reads the tail */
		mu->upc[WEFT_BGQ_UPC_SLAVE_READS]++;
		if (head == bgq_rec_tail(r))
			break;
		bgq_rec_copy_out(r, head, &h, sizeof(h));
		p.bytes = bgq_hdr_chunks(&h) * WEFT_BGQ_CHUNK;
		p.source = h.dest;
		p.counter = bgq_sel_offset(h.sel);
		memcpy(p.soft, &h.aux, 4);
		memcpy(p.soft + 4, &h.ctr, 8);
		p.payload = rec_payload(r, head + 1, p.bytes, buf);
		if (fn(arg, &p))
			break;
		nic_space_return(&r->head, head + 1 + bgq_hdr_chunks(&h));
		mu->upc[WEFT_BGQ_UPC_SLAVE_WRITES]++;
	}
	return n;
}

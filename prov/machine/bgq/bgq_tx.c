/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Injection: cuts the message of the descriptor at the head of an injection
 * FIFO into packets, and sends them on the carrier. A step sends one packet.
 * Before each step the arbiter chooses among the FIFOs with work: system before
 * user high before normal, pseudo-random with equal probabilities within a
 * class, so that no FIFO of a class starves.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "prov/backend/backend.h"
#include "src/base/attr.h"
#include "src/base/iov.h"

#include <errno.h>

static const unsigned char zeroes[WEFT_BGQ_CHUNK];

/* A packet being injected. */
struct tx_packet {
	struct bgq_hdr hdr;
	struct iovec iov[2];
	int iov_count;
	unsigned bytes; /* payload bytes without zero fill */
};

void bgq_tx_doorbell(struct weft_bgq *mu, unsigned id)
{
	nic_event_set(&mu->active[mu->inj[id].cls][id / 64],
		      UINT64_C(1) << id % 64);
}

/* Clears the bit of an empty FIFO, unless its doorbell was rung meanwhile. */
static void tx_fifo_idle(struct weft_bgq *mu, unsigned id)
{
	nic_event_clear(&mu->active[mu->inj[id].cls][id / 64],
			UINT64_C(1) << id % 64);
	if (mu->inj[id].state == BGQ_OPEN && !bgq_inj_empty(&mu->inj[id]))
		bgq_tx_doorbell(mu, id);
}

static void tx_finish(struct weft_bgq *mu, unsigned id)
{
	struct bgq_inj *f = &mu->inj[id];
	uint64_t free = bgq_inj_free(f);

	f->fetched = false;
	f->loaded = false;
	f->sent = 0;
	f->count++;
	nic_space_return(&f->head, nic_read_own(&f->head) + 1);
	if (free == f->threshold)
		bgq_irq(mu, WEFT_BGQ_IRQ_INJ_SPACE, id);
	if (bgq_inj_empty(f))
		tx_fifo_idle(mu, id);
}

/* Rejects the descriptor and stops this FIFO; other FIFOs continue. */
static void tx_reject(struct weft_bgq *mu, unsigned id, enum weft_bgq_error e)
{
	struct bgq_inj *f = &mu->inj[id];

	f->state = BGQ_ERROR;
	f->error = (uint8_t)e;
	bgq_error(mu, e, id, f->cur.payload);
	tx_fifo_idle(mu, id);
}

static bool tx_system(const struct bgq_inj *f)
{
	return f->flags & WEFT_BGQ_SYSTEM;
}

/* Reads the payload from memory, checked by the range registers. */
static enum weft_bgq_error tx_read(struct weft_bgq *mu, struct bgq_inj *f,
				   struct tx_packet *p)
{
	uint64_t addr = f->cur.payload + f->sent;
	unsigned op = bgq_desc_load_op(&f->cur);
	int beside = bgq_load_neighbour(op);

	if (!p->bytes)
		return WEFT_BGQ_OK;
	if (!bgq_range_ok(mu, addr - (beside < 0 ? 8 : 0),
			  p->bytes + (beside ? 8 : 0),
			  op > WEFT_BGQ_LOAD ? BGQ_ATOMIC : BGQ_READ,
			  tx_system(f)))
		return WEFT_BGQ_ERR_RANGE;
	if (op && !f->loaded) {
		f->word = bgq_atomic_load(addr, op);
		f->loaded = true;
	}
	p->iov[0].iov_base = op ? (void *)&f->word : (void *)(uintptr_t)addr;
	p->iov[0].iov_len = p->bytes;
	p->iov_count = 1;
	return WEFT_BGQ_OK;
}

/* Fills the last chunk with zeros. */
static void tx_pad(struct tx_packet *p)
{
	unsigned chunks = bgq_chunks(p->bytes);
	unsigned pad = chunks * WEFT_BGQ_CHUNK - p->bytes;

	p->hdr.type_size = (uint8_t)(p->hdr.type_size | chunks);
	if (!pad)
		return;
	p->iov[p->iov_count].iov_base = (void *)(uintptr_t)zeroes;
	p->iov[p->iov_count].iov_len = pad;
	p->iov_count++;
}

/* Builds the next packet of a message, with the header of the template. */
static enum weft_bgq_error tx_build(struct weft_bgq *mu, struct bgq_inj *f,
				    struct tx_packet *p)
{
	const struct bgq_desc *d = &f->cur;
	uint64_t left = d->bytes - f->sent;
	enum weft_bgq_error e;

	p->hdr = d->hdr;
	p->iov_count = 0;
	p->bytes = left < WEFT_BGQ_PAYLOAD ? (unsigned)left : WEFT_BGQ_PAYLOAD;
	if (bgq_hdr_type(&d->hdr) == BGQ_PUT) {
		p->hdr.sel = bgq_sel(bgq_sel_id(d->hdr.sel),
				     bgq_sel_offset(d->hdr.sel) + f->sent);
		p->hdr.aux |= p->bytes;
	} else if (bgq_hdr_type(&d->hdr) == BGQ_FIFO) {
		p->hdr.sel += f->sent / WEFT_BGQ_PAYLOAD;
	}
	if ((d->ctl & BGQ_D0_INTERRUPT) && p->bytes == left)
		p->hdr.ctl |= BGQ_CTL_INTERRUPT;
	p->hdr.vc &= (uint8_t)~BGQ_VC_LAST;
	p->hdr.vc |= p->bytes == left ? BGQ_VC_LAST : 0;
	e = tx_read(mu, f, p);
	if (!e)
		tx_pad(p);
	return e;
}

/* Delivers a packet to this node (network FIFOs L0 and L1) without a link. */
static int tx_local(struct weft_bgq *mu, const struct tx_packet *p)
{
	unsigned char buf[WEFT_BGQ_PAYLOAD];

	weft_iov_gather(buf, p->iov, p->iov_count);
	return bgq_rx_packet(mu, p->hdr.dest, &p->hdr, buf);
}

/* Passes the header's routing fields to the network model. */
static void tx_path_set(struct weft_carrier *c, const struct tx_packet *p)
{
	static const uint8_t vc[] = {
		[WEFT_BGQ_VC_DYNAMIC] = WEFT_VC_DYNAMIC,
		[WEFT_BGQ_VC_ORDERED] = WEFT_VC_ORDERED,
		[WEFT_BGQ_VC_HIGH] = WEFT_VC_HIGH,
		[WEFT_BGQ_VC_SYSTEM] = WEFT_VC_SYSTEM,
	};
	struct weft_pkt_attr path = {
		.vc = vc[bgq_hdr_vc(&p->hdr) % WEFT_COUNT_OF(vc)],
		.zone = (uint8_t)bgq_hdr_zone(&p->hdr),
		.stay = bgq_hdr_stay(&p->hdr),
	};

	for (unsigned d = 0; d < WEFT_BGQ_DIMS; d++)
		path.hint[d] = (int8_t)bgq_hdr_hint(&p->hdr, d);
	c->ops->backend->routing(c, &path);
}

static int tx_link(struct weft_bgq *mu, const struct tx_packet *p)
{
	struct weft_carrier *c = mu->port.carrier;
	struct weft_peer *peer = weft_port_peer(&mu->port, p->hdr.dest);
	struct weft_pkt pkt = { .type = BGQ_PT2PT };

	if (!peer)
		return -EHOSTUNREACH;
	bgq_hdr_to_pkt(&p->hdr, &pkt);
	if (weft_unlikely(c->ops->backend->paths))
		tx_path_set(c, p);
	return c->ops->send(c, peer, &pkt, p->iov, p->iov_count);
}

/* Returns the next network FIFO of the map, round-robin. */
static unsigned tx_net_fifo(struct weft_bgq *mu, unsigned map)
{
	do {
		mu->net_next = (mu->net_next + 1) % WEFT_BGQ_NET_FIFOS;
	} while (!(map >> mu->net_next & 1));
	return mu->net_next;
}

/* Sends a packet to all members of a class route. */
static int tx_bcast(struct weft_bgq *mu, const struct tx_packet *p, bool system)
{
	unsigned char buf[WEFT_BGQ_PAYLOAD];

	weft_iov_gather(buf, p->iov, p->iov_count);
	return bgq_bcast_send(mu, &p->hdr, buf, system);
}

static int tx_send(struct weft_bgq *mu, unsigned map, const struct tx_packet *p,
		   bool system)
{
	int err;

	if (weft_unlikely(p->hdr.kind == BGQ_COLLECTIVE))
		err = tx_bcast(mu, p, system);
	else if (map & WEFT_BGQ_NET_LOCAL)
		err = tx_local(mu, p);
	else
		err = tx_link(mu, p);
	if (!err)
		mu->net_sent[tx_net_fifo(mu, map)]++;
	return err;
}

/* Reads the payload into the cache and sends nothing. */
static enum weft_bgq_error tx_prefetch(struct weft_bgq *mu, struct bgq_inj *f)
{
	const struct bgq_desc *d = &f->cur;

	if (!bgq_range_ok(mu, d->payload, d->bytes, BGQ_READ, tx_system(f)))
		return WEFT_BGQ_ERR_RANGE;
	bgq_upc_read(mu, d->payload, d->bytes);
	for (uint64_t i = 0; i < d->bytes; i += 64)
		__builtin_prefetch((void *)(uintptr_t)(d->payload + i));
	return WEFT_BGQ_OK;
}

/*
 * Reads the descriptor at the head. If the ring is outside the range registers,
 * the error register contains the address of the slot.
 */
static enum weft_bgq_error tx_fetch(struct weft_bgq *mu, struct bgq_inj *f)
{
	uint64_t head = nic_read_own(&f->head);
	const struct bgq_desc *slot = &f->ring[head & (f->slots - 1)];

	if (f->fetched)
		return WEFT_BGQ_OK;
	if (weft_unlikely(!bgq_inj_ring_ok(mu, f, head, 1, BGQ_READ))) {
		f->cur.payload = (uintptr_t)slot;
		return WEFT_BGQ_ERR_RANGE;
	}
	f->cur = *slot;
	f->fetched = true;
	bgq_upc_fetch(mu, f);
	return bgq_desc_check(&f->cur, tx_system(f));
}

/*
 * Handles the result of a send. 1: the packet was sent, or its message ended
 * with an error; -EAGAIN: not sent, retry later.
 */
static int tx_result(struct weft_bgq *mu, unsigned id, unsigned bytes, int err)
{
	struct bgq_inj *f = &mu->inj[id];

	switch (err) {
	case 0:
		f->sent += bytes;
		if (f->sent == f->cur.bytes)
			tx_finish(mu, id);
		return 1;
	case -EAGAIN:
		return -EAGAIN;
	case -ECONNRESET:
		bgq_error(mu, WEFT_BGQ_ERR_LOST, f->cur.hdr.dest, 0);
		tx_finish(mu, id);
		return 1;
	default:
		tx_reject(mu, id,
			  err == -EFAULT  ? WEFT_BGQ_ERR_RANGE
			  : err == -EPERM ? WEFT_BGQ_ERR_SYSTEM
					  : WEFT_BGQ_ERR_NODE);
		return 1;
	}
}

int bgq_tx_step(struct weft_bgq *mu, unsigned id)
{
	struct bgq_inj *f = &mu->inj[id];
	struct tx_packet p;
	enum weft_bgq_error e;
	int err;

	if (f->state != BGQ_OPEN || bgq_inj_empty(f)) {
		tx_fifo_idle(mu, id);
		return 0;
	}
	e = tx_fetch(mu, f);
	if (!e && (f->cur.ctl & BGQ_D0_PREFETCH)) {
		e = tx_prefetch(mu, f);
		if (!e)
			return tx_result(mu, id, (unsigned)f->cur.bytes, 0);
	}
	if (!e && mu->dma && !f->sent &&
	    bgq_hdr_type(&f->cur.hdr) != BGQ_FIFO) {
		int r = mu->dma(mu, &f->cur);

		if (r <= 0) {
			f->sent = f->cur.bytes;
			return tx_result(mu, id, 0, r);
		}
	}
	if (!e)
		e = tx_build(mu, f, &p);
	if (e) {
		tx_reject(mu, id, e);
		return 1;
	}
	err = tx_send(mu, bgq_desc_map(&f->cur), &p, tx_system(f));
	if (!err)
		bgq_upc_packet(mu, f->cur.payload + f->sent, p.bytes,
			       p.hdr.vc & BGQ_VC_LAST);
	return tx_result(mu, id, p.bytes, err);
}

/*
 * Returns a FIFO with work, chosen at random with equal probability, or -1.
 * blocked: FIFOs whose packets the carrier has refused.
 */
static int tx_choose(struct weft_bgq *mu, const weft_au64 *active,
		     const uint64_t *blocked)
{
	uint64_t bits[BGQ_WORDS];
	unsigned count = 0, k, w;

	for (w = 0; w < BGQ_WORDS; w++) {
		bits[w] = nic_doorbell_read(&active[w]) & ~blocked[w];
		count += (unsigned)__builtin_popcountll(bits[w]);
	}
	if (!count)
		return -1;
	k = (unsigned)weft_rng_below(&mu->rng, count);
	for (w = 0; k >= (unsigned)__builtin_popcountll(bits[w]); w++)
		k -= (unsigned)__builtin_popcountll(bits[w]);
	for (; k; k--)
		bits[w] &= bits[w] - 1;
	return (int)(w * 64 + (unsigned)__builtin_ctzll(bits[w]));
}

int bgq_tx_run(struct weft_bgq *mu, int budget)
{
	uint64_t blocked[BGQ_WORDS] = { 0 };
	int moved = 0;
	int id;
	int r;

	while (moved < budget && !bgq_halted(mu, WEFT_BGQ_PART_INJECT)) {
		id = -1;
		for (int cls = BGQ_CLASSES - 1; cls >= 0 && id < 0; cls--)
			id = tx_choose(mu, mu->active[cls], blocked);
		if (id < 0)
			break;
		r = bgq_tx_step(mu, (unsigned)id);
		if (r > 0)
			moved++;
		else if (r == -EAGAIN)
			blocked[id / 64] |= UINT64_C(1) << id % 64;
	}
	return moved;
}

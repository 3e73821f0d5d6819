/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit as transport of the message engine (machine bgq).
 *
 * An engine packet is a memory-FIFO message: header and payload are copied to
 * the payload buffer of an injection FIFO, a descriptor refers to that buffer,
 * the unit cuts it into packets of 512 bytes, and the receiver takes them from
 * its reception FIFO. Node numbers are the carrier's peer indices.
 *
 * Bulk data is moved by direct puts and remote gets: live as described in
 * bgq_bulk.c, in virtual time by the model, from the same descriptors. If one
 * process cannot access the other's memory, the unit returns an error, and the
 * engine sends packets.
 */
#include "prov/machine/bgq/bgq_bulk.h"
#include "prov/machine/bgq/bgq_dev.h"
#include "prov/machine/bgq/bgq_transport.h"
#include "prov/machine/machine_transport.h"
#include "prov/machine/machine_inbox.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

/* injection FIFOs for packets, shared by all peers */
#define BGQ_TRANSPORT_FIFOS BGQ_BULK_FIFO
#define BGQ_TRANSPORT_SLOTS 4
/* number of rings: for packets, bulk data and the longer ring of remote gets */
#define BGQ_TRANSPORT_RINGS \
	(BGQ_BULK_FIFO + 1 + BGQ_BULK_RGETS / BGQ_TRANSPORT_SLOTS)
#define BGQ_TRANSPORT_REC_FIFO	0
#define BGQ_TRANSPORT_REC_BYTES (64 * 1024)
/* range registers of the system for the rings, which no user packet accesses */
#define BGQ_TRANSPORT_RANGE_REC WEFT_BGQ_USER_RANGES
#define BGQ_TRANSPORT_RANGE_INJ (WEFT_BGQ_USER_RANGES + 1)
/* entries of the base address table in virtual time */
#define BGQ_TRANSPORT_BAT_CTR	0 /* byte counter */
#define BGQ_TRANSPORT_BAT_WHOLE 1 /* whole memory of the peer */
#define BGQ_TRANSPORT_BAT_LOCAL 8 /* first local segment of a get */

struct bgq_transport_ring {
	struct weft_bgq_desc slot[BGQ_TRANSPORT_SLOTS];
};

struct bgq_transport {
	struct weft_unit unit;
	struct weft_bgq *mu;
	struct weft_inbox inbox;
	size_t buf_bytes; /* bytes of the payload buffer of one descriptor */
	/* BGQ_TRANSPORT_FIFOS payload buffers, then BGQ_BULK_DESCS bytes */
	unsigned char *buf;
	unsigned char *rec_mem;
	struct bgq_transport_ring *ring; /* BGQ_TRANSPORT_RINGS rings */
	struct bgq_bulk bulk;
	weft_au64 counter; /* in virtual time: base of byte counters */
	/* in virtual time: transfer that is being posted */
	struct bgq_transport_model *model;
	int dma_err;
	bool busy;  /* a FIFO may contain unsent packets */
	bool fresh; /* the reception FIFO may not be empty */
};

/* A transfer in virtual time, collected from descriptors for the model. */
struct bgq_transport_model {
	struct weft_dma dma; /* segments named by the descriptors */
	struct weft_dma *d;  /* the engine's request */
	weft_au64 counter;   /* byte counter of the transfer */
	struct weft_bgq *mu; /* unit that stores the data of a get, or NULL */
};

static struct bgq_transport *bgq_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct bgq_transport, unit);
}

static int bgq_transport_bind(struct bgq_transport *e, struct weft_peer *peer)
{
	if (weft_port_peer(&e->mu->port, peer->index) == peer)
		return 0;
	return weft_port_bind(&e->mu->port, peer->index, peer);
}

/* ---- reception ---- */

static int bgq_transport_deliver(void *arg, struct weft_peer *src,
				 const struct weft_pkt *pkt,
				 const void *payload)
{
	struct bgq_transport *e = arg;
	int err;

	if (weft_inbox_holds(&e->inbox, src))
		return -EAGAIN;
	if (bgq_transport_bind(e, src))
		return -EAGAIN;
	e->fresh = true;
	err = bgq_rx_deliver(e->mu, src, pkt, payload);
	/* a remote get: the next poll executes its descriptors */
	if (weft_unlikely(bgq_pkt_type(pkt) == BGQ_GET))
		e->busy = true;
	return err;
}

static int bgq_transport_arrive(void *arg, const struct weft_bgq_packet *p)
{
	struct bgq_transport *e = arg;
	struct weft_peer *peer = weft_port_peer(&e->mu->port, p->source);
	int err;

	if (e->unit.copied) {
		e->fresh = true;
		return -EAGAIN;
	}
	if (!peer)
		return 0;
	err = weft_inbox_take(&e->inbox, peer, p->payload, p->bytes);
	if (err == -EPROTO)
		bgq_error(e->mu, WEFT_BGQ_ERR_PACKET, p->source, 0);
	if (err == -ENOMEM)
		e->fresh = true; /* the packet stays in the FIFO */
	return err == -ENOMEM ? err : 0;
}

static int bgq_transport_drain(struct bgq_transport *e, int budget)
{
	int n;

	e->unit.copied = false;
	weft_inbox_retry(&e->inbox);
	e->fresh = false;
	n = weft_bgq_rec_poll(e->mu, BGQ_TRANSPORT_REC_FIFO,
			      bgq_transport_arrive, e, budget);
	e->fresh |= n >= budget;
	return n;
}

/* Delivers all packets of a lost peer before the loss is reported. */
static void bgq_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct bgq_transport *e = arg;

	do
		bgq_transport_drain(e, INT32_MAX);
	while (e->unit.copied);
	if (!e->unit.carrier->ops->backend->transfers_later)
		bgq_bulk_lost(&e->bulk, peer);
	e->inbox.up->lost(e->inbox.up_arg, peer, err);
}

/* Passes the carrier's poll request to the message engine. */
static void bgq_transport_interface(void *arg)
{
	struct bgq_transport *e = arg;

	if (e->inbox.up->interface)
		e->inbox.up->interface(e->inbox.up_arg);
}

static const struct weft_carrier_up bgq_transport_up = {
	.deliver = bgq_transport_deliver,
	.lost = bgq_transport_lost,
	.interface = bgq_transport_interface,
};

/* ---- packets ---- */

/* Runs one FIFO until it is empty; -EAGAIN: the carrier is full. */
static int bgq_transport_fifo_run(struct bgq_transport *e, unsigned id)
{
	int r;

	do {
		r = bgq_tx_step(e->mu, id);
	} while (r > 0);
	return r;
}

/*
 * Sends an engine packet. A FIFO holds one message at a time, so a peer that
 * does not drain its reception FIFO does not block other peers. If no packet of
 * the message could be sent, the message is removed from the FIFO, and the
 * caller gets -EAGAIN.
 */
static int bgq_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				const struct weft_pkt *pkt,
				const struct iovec *iov, int iov_count)
{
	struct bgq_transport *e = bgq_transport_of(u);
	unsigned id = peer->index % BGQ_TRANSPORT_FIFOS;
	unsigned char *buf = e->buf + id * e->buf_bytes;
	struct bgq_inj *f = &e->mu->inj[id];
	struct weft_bgq_desc desc;
	struct weft_bgq_msg msg = {
		.node = peer->index,
		.vc = pkt->carrier & WEFT_PKT_ANY_ROUTE ? WEFT_BGQ_VC_DYNAMIC
							: WEFT_BGQ_VC_ORDERED,
		.payload = buf,
	};

	if (peer->lost)
		return -ECONNRESET;
	if (sizeof(*pkt) + pkt->len > e->buf_bytes)
		return -EMSGSIZE;
	if (!bgq_inj_empty(f) && bgq_transport_fifo_run(e, id))
		return -EAGAIN;
	if (bgq_transport_bind(e, peer))
		return -ENOMEM;
	msg.bytes = weft_transport_gather(buf, pkt, iov, iov_count);
	weft_bgq_desc_fifo(&desc, &msg, BGQ_TRANSPORT_REC_FIFO, NULL);
	weft_bgq_inj_post(e->mu, id, &desc, NULL);
	if (bgq_transport_fifo_run(e, id) != -EAGAIN)
		return 0;
	if (f->sent) {
		e->busy = true;
		return 0;
	}
	/* remove the descriptor, of which no packet has been sent */
	f->fetched = false;
	nic_doorbell_ring(&f->tail, nic_read_own(&f->tail) - 1);
	bgq_tx_step(e->mu, id);
	return -EAGAIN;
}

/* ---- DMA ---- */

/* Adds one put to a transfer that the model performs. */
static int bgq_transport_model_add(struct bgq_transport_model *m,
				   uint64_t local, uint64_t bytes)
{
	m->dma.local[m->dma.local_count++] = (struct iovec){
		.iov_base = (void *)(uintptr_t)local,
		.iov_len = bytes,
	};
	m->dma.bytes += bytes;
	return 0;
}

static void bgq_transport_model_done(struct weft_dma *dma, int err)
{
	struct bgq_transport_model *m =
		weft_container_of(dma, struct bgq_transport_model, dma);
	struct weft_dma *d = m->d;

	if (!err)
		nic_event_sub(&m->counter, dma->bytes);
	if (!err && nic_event_read(&m->counter))
		err = -EIO;
	for (int i = 0; i < dma->local_count && m->mu && !err; i++)
		bgq_upc_stored(m->mu, (uintptr_t)dma->local[i].iov_base,
			       dma->local[i].iov_len);
	free(m);
	d->done(d, err);
}

/* Passes the collected transfer to the model. */
static int bgq_transport_model_start(struct bgq_transport *e,
				     struct weft_peer *peer, bool get)
{
	struct bgq_transport_model *m = e->model;
	const struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC,
			   .bytes = get ? 1 + sizeof(struct bgq_desc) : 0 },
		.back = { .vc = WEFT_VC_DYNAMIC },
		.quick = m->dma.bytes <= WEFT_BGQ_PAYLOAD,
	};
	int err = e->dma_err;

	e->model = NULL;
	m->mu = get ? e->mu : NULL;
	if (!err)
		err = get ? weft_transport_get(&e->unit, peer, &m->dma, &path)
			  : weft_transport_put(&e->unit, peer, &m->dma, &path);
	if (err)
		free(m);
	return err;
}

/*
 * Performs an atomic as an access to an atomic address of the target's L2
 * cache.
 */
static int bgq_transport_amo(struct weft_unit *u, struct weft_peer *peer,
			     struct weft_amo *a)
{
	const struct weft_dma_path path = {
		.there = { .bytes = 1 + (uint32_t)a->operands },
		.quick = true,
	};

	return peer->lost ? -ECONNRESET : weft_transport_amo(u, peer, a, &path);
}

/*
 * Adds the puts of a descriptor to the transfer for the model; called by the
 * injection side of the unit for direct puts and remote gets.
 */
static int bgq_transport_dma(struct weft_bgq *mu, const struct bgq_desc *d)
{
	struct bgq_transport *e = mu->engine;
	const struct bgq_desc *in = (const void *)(uintptr_t)d->payload;
	unsigned n = (unsigned)(d->bytes / sizeof(*in));
	uint64_t to;

	bgq_upc_sent(mu, d->payload, d->bytes);
	if (bgq_hdr_type(&d->hdr) == BGQ_PUT)
		return bgq_transport_model_add(e->model, d->payload, d->bytes);
	for (unsigned i = 0; i < n && !e->dma_err; i++) {
		if (bgq_bat_address(e->mu, in[i].hdr.sel, false, &to))
			e->dma_err = -EFAULT;
		else
			bgq_transport_model_add(e->model, to, in[i].bytes);
	}
	return 0;
}

static int bgq_transport_dma_run(struct bgq_transport *e,
				 const struct weft_bgq_desc *d)
{
	weft_bgq_inj_post(e->mu, BGQ_BULK_FIFO, d, NULL);
	return bgq_transport_fifo_run(e, BGQ_BULK_FIFO);
}

static int bgq_transport_dma_begin(struct bgq_transport *e, struct weft_dma *d)
{
	e->dma_err = 0;
	e->model = calloc(1, sizeof(*e->model));
	if (!e->model)
		return -ENOMEM;
	e->model->d = d;
	e->model->dma.remote = d->remote;
	e->model->dma.region = d->region;
	e->model->dma.key = d->key;
	e->model->dma.ordered = d->ordered;
	e->model->dma.done = bgq_transport_model_done;
	nic_event_post(&e->model->counter, d->bytes);
	return 0;
}

static int bgq_transport_model_get(struct bgq_transport *e,
				   struct weft_peer *peer, struct weft_dma *d)
{
	struct weft_bgq_desc in[WEFT_COUNT_OF(d->local)];
	struct weft_bgq_desc out;
	struct weft_bgq_put put = { .ctr_bat = BGQ_TRANSPORT_BAT_CTR };
	struct weft_bgq_msg msg = { .vc = WEFT_BGQ_VC_ORDERED };
	uint64_t off = 0;
	unsigned n = 0;
	int err = bgq_transport_dma_begin(e, d);

	if (err)
		return err;
	for (int i = 0; i < d->local_count && off < d->bytes; i++) {
		uint64_t len = d->local[i].iov_len;

		msg.bytes = len < d->bytes - off ? len : d->bytes - off;
		if (!msg.bytes)
			continue;
		put.bat = (uint16_t)(BGQ_TRANSPORT_BAT_LOCAL + n);
		weft_bgq_bat_set(e->mu, put.bat, d->local[i].iov_base, 0);
		msg.payload = (void *)(uintptr_t)(d->remote + off);
		weft_bgq_desc_put(&in[n++], &msg, &put);
		off += msg.bytes;
	}
	msg.node = peer->index;
	msg.payload = in;
	msg.bytes = n * sizeof(in[0]);
	weft_bgq_desc_get(&out, &msg, BGQ_BULK_FIFO);
	bgq_transport_dma_run(e, &out);
	return bgq_transport_model_start(e, peer, true);
}

static int bgq_transport_model_put(struct bgq_transport *e,
				   struct weft_peer *peer, struct weft_dma *d)
{
	struct weft_bgq_desc desc;
	struct weft_bgq_put put = {
		.bat = BGQ_TRANSPORT_BAT_WHOLE,
		.ctr_bat = BGQ_TRANSPORT_BAT_CTR,
		.offset = d->remote,
	};
	struct weft_bgq_msg msg = {
		.node = peer->index,
		.vc = WEFT_BGQ_VC_ORDERED,
	};
	uint64_t left = d->bytes;
	int err = bgq_transport_dma_begin(e, d);

	if (err)
		return err;
	for (int i = 0; i < d->local_count && left && !e->dma_err; i++) {
		msg.payload = d->local[i].iov_base;
		msg.bytes =
			d->local[i].iov_len < left ? d->local[i].iov_len : left;
		if (!msg.bytes)
			continue;
		weft_bgq_desc_put(&desc, &msg, &put);
		bgq_transport_dma_run(e, &desc);
		put.offset += msg.bytes;
		left -= msg.bytes;
	}
	return bgq_transport_model_start(e, peer, false);
}

/* Moves bulk data; a transfer of 0 bytes is complete at once. */
static int bgq_transport_move(struct weft_unit *u, struct weft_peer *peer,
			      struct weft_dma *d, bool get)
{
	struct bgq_transport *e = bgq_transport_of(u);
	bool model = u->carrier->ops->backend->transfers_later;
	int err = peer->lost ? -ECONNRESET : bgq_transport_bind(e, peer);

	if (err)
		return err;
	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	if (weft_unlikely(model))
		return get ? bgq_transport_model_get(e, peer, d)
			   : bgq_transport_model_put(e, peer, d);
	return get ? bgq_bulk_get(&e->bulk, peer, d)
		   : bgq_bulk_put(&e->bulk, peer, d);
}

static int bgq_transport_get(struct weft_unit *u, struct weft_peer *peer,
			     struct weft_dma *d)
{
	return bgq_transport_move(u, peer, d, true);
}

static int bgq_transport_put(struct weft_unit *u, struct weft_peer *peer,
			     struct weft_dma *d)
{
	return bgq_transport_move(u, peer, d, false);
}

static int bgq_transport_amo_word(struct weft_unit *u, struct weft_peer *peer,
				  struct weft_amo_word *w)
{
	struct bgq_transport *e = bgq_transport_of(u);
	int err = peer->lost ? -ECONNRESET : bgq_transport_bind(e, peer);

	return err ? err : bgq_atomic_word(&e->bulk, peer, w);
}

static int bgq_transport_mem_open(struct weft_unit *u, const struct iovec *mem,
				  unsigned access)
{
	return bgq_bulk_mem_open(&bgq_transport_of(u)->bulk, mem, access);
}

static void bgq_transport_mem_close(struct weft_unit *u, int reg)
{
	bgq_bulk_mem_close(&bgq_transport_of(u)->bulk, reg);
}

WEFT_HOT static int bgq_transport_poll(struct weft_unit *u, int budget)
{
	struct bgq_transport *e = bgq_transport_of(u);
	struct weft_carrier *c = u->carrier;
	int n;

	if (e->busy) {
		/* send packets that an earlier call could not send */
		bgq_tx_run(e->mu, budget);
		/*
		 * a refused descriptor of one peer does not stop the other
		 * peers
		 */
		weft_bgq_inj_clear(e->mu, BGQ_BULK_RGET_FIFO);
		e->busy = !bgq_inj_empty(&e->mu->inj[BGQ_BULK_RGET_FIFO]);
		for (unsigned i = 0; i < BGQ_TRANSPORT_FIFOS; i++)
			e->busy |= !bgq_inj_empty(&e->mu->inj[i]);
	}
	c->ops->poll(c, budget);
	n = e->fresh || e->inbox.held ? bgq_transport_drain(e, budget) : 0;
	if (e->busy || e->fresh || e->inbox.held)
		c->ops->wake(c); /* poll again, do not block */
	return n;
}

static_assert((int)WEFT_UNIT_COUNTERS == (int)WEFT_BGQ_UPCS &&
		      (int)WEFT_UNIT_REG_WRITES ==
			      (int)WEFT_BGQ_UPC_SLAVE_WRITES,
	      "the engine's counters are those of the unit");

static void bgq_transport_counters(struct weft_unit *u, uint64_t *value)
{
	struct bgq_transport *e = bgq_transport_of(u);

	for (unsigned i = 0; i < WEFT_UNIT_COUNTERS; i++)
		value[i] = bgq_upc_load(e->mu, i);
}

/* ---- open and close ---- */

static size_t bgq_transport_buf_bytes(const struct bgq_transport *e)
{
	return BGQ_TRANSPORT_FIFOS * e->buf_bytes + BGQ_BULK_DESCS;
}

static int bgq_transport_open_fifos(struct bgq_transport *e)
{
	int err = weft_bgq_range_set(e->mu, BGQ_TRANSPORT_RANGE_REC, e->rec_mem,
				     BGQ_TRANSPORT_REC_BYTES, 0);

	if (!err)
		err = weft_bgq_range_set(
			e->mu, BGQ_TRANSPORT_RANGE_INJ, e->ring,
			BGQ_TRANSPORT_RINGS * sizeof(*e->ring), 0);
	if (!err)
		err = weft_bgq_rec_open(e->mu, BGQ_TRANSPORT_REC_FIFO,
					e->rec_mem, BGQ_TRANSPORT_REC_BYTES, 0);

	for (unsigned i = 0; i <= BGQ_BULK_FIFO && !err; i++)
		err = weft_bgq_inj_open(e->mu, i, &e->ring[i],
					BGQ_TRANSPORT_SLOTS, 0);
	return err;
}

/* Sets base addresses and ranges for bulk data. */
static int bgq_transport_open_memory(struct bgq_transport *e)
{
	const struct iovec buf = { e->buf, bgq_transport_buf_bytes(e) };

	if (!e->unit.carrier->ops->backend->transfers_later)
		return bgq_bulk_open(&e->bulk, e->mu, &e->unit, &buf,
				     &e->ring[BGQ_BULK_FIFO + 1]);
	e->mu->dma = bgq_transport_dma;
	weft_bgq_bat_set(e->mu, BGQ_TRANSPORT_BAT_CTR, &e->counter, 0);
	return weft_bgq_range_set(e->mu, 0, NULL, BGQ_ADDR_MASK,
				  WEFT_BGQ_RANGE_INJ_ONLY);
}

static void bgq_transport_close(struct weft_unit *u)
{
	struct bgq_transport *e = bgq_transport_of(u);

	weft_bgq_close(e->mu);
	bgq_bulk_close(&e->bulk);
	weft_inbox_fini(&e->inbox);
	free(e->ring);
	free(e->rec_mem);
	free(e->buf);
	free(e);
}

static int bgq_transport_open(const struct weft_machine *m,
			      const struct weft_carrier_ops *carrier,
			      const struct weft_carrier_attr *attr,
			      struct weft_unit **u_p)
{
	struct bgq_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err = -ENOMEM;

	if (!e)
		return err;
	e->unit.ops = &weft_unit_bgq;
	weft_inbox_init(&e->inbox, attr, m->packet_bytes);
	a.up = &bgq_transport_up;
	a.up_arg = e;
	e->buf_bytes =
		(sizeof(struct weft_pkt) + m->packet_bytes + 63) / 64 * 64;
	e->buf = aligned_alloc(64, bgq_transport_buf_bytes(e));
	e->rec_mem = aligned_alloc(64, BGQ_TRANSPORT_REC_BYTES);
	e->ring = aligned_alloc(64, BGQ_TRANSPORT_RINGS * sizeof(*e->ring));
	err = e->buf && e->rec_mem && e->ring ? 0 : -ENOMEM;
	if (!carrier->backend->transfers_later)
		bgq_bulk_reserve(&e->bulk, &a);
	if (!err)
		err = bgq_create(carrier, &a, 0, &e->mu);
	if (!err) {
		e->mu->engine = e;
		e->unit.carrier = e->mu->port.carrier;
		err = bgq_transport_open_fifos(e);
	}
	if (!err)
		err = bgq_transport_open_memory(e);
	if (err) {
		bgq_transport_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_bgq = {
	.name = "mu",
	.packet_max = WEFT_BGQ_PAYLOAD,
	.open = bgq_transport_open,
	.close = bgq_transport_close,
	.packet = bgq_transport_packet,
	.get = bgq_transport_get,
	.put = bgq_transport_put,
	.mem_open = bgq_transport_mem_open,
	.mem_close = bgq_transport_mem_close,
	.amo = bgq_transport_amo,
	.amo_word = bgq_transport_amo_word,
	.poll = bgq_transport_poll,
	.counters = bgq_transport_counters,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block transfer engine: four channels, each a ring of descriptors that are
 * processed in order, packet by packet. A fence waits until all earlier
 * transfers of its channel are complete at their targets. A send is stored in
 * the buffer that the target posted on this channel; a table at the receiver
 * (RMT) records the buffer of each send, because packets of a send may arrive
 * out of order.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BTE_TX_RING (WEFT_GEMINI_TX_DESCS + 1)

void gemini_bte_init(struct weft_gemini *f)
{
	for (unsigned i = 0; i < WEFT_GEMINI_CHANNELS; i++)
		weft_list_init(&f->channel[i].rmt);
}

void gemini_bte_fini(struct weft_gemini *f)
{
	struct weft_list *pos;

	for (unsigned i = 0; i < WEFT_GEMINI_CHANNELS; i++) {
		while ((pos = weft_list_pop_front(&f->channel[i].rmt)))
			free(weft_container_of(pos, struct gemini_rmt, link));
		free(f->channel[i].tx);
		free(f->channel[i].rx);
	}
}

/* ---- posting ---- */

static int bte_check(struct weft_gemini *f, const struct weft_gemini_bte *b)
{
	uint64_t addr;

	if (b->type > WEFT_GEMINI_BTE_SEND ||
	    b->delivery > WEFT_GEMINI_IN_ORDER || !b->bytes || b->bytes % 4 ||
	    b->local.offset % 4 || b->remote.offset % 4 ||
	    b->local.mdh >= WEFT_GEMINI_MDDS ||
	    b->remote.mdh > (GEMINI_MDH_MASK | WEFT_GEMINI_VMDH))
		return -EINVAL;
	if (!gemini_peer(f, b->pe))
		return -EHOSTUNREACH;
	if (gemini_translate(&f->mdd[b->local.mdh], b->local.offset, b->bytes,
			     b->type == WEFT_GEMINI_BTE_GET, &addr))
		return -EFAULT;
	return 0;
}

static int bte_push(struct weft_gemini *f, struct gemini_channel *c,
		    const struct gemini_bte_desc *d)
{
	if (!c->tx)
		c->tx = calloc(BTE_TX_RING, sizeof(*c->tx));
	if (!c->tx)
		return -ENOMEM;
	if (c->tx_tail - c->tx_head == WEFT_GEMINI_TX_DESCS)
		return -EAGAIN;
	c->tx[c->tx_tail++ % BTE_TX_RING] = *d;
	f->bte_queued++;
	return 0;
}

/* Removes the descriptor at the head of the ring. */
static void bte_pop(struct weft_gemini *f, struct gemini_channel *c)
{
	c->tx_head++;
	f->bte_queued--;
}

WEFT_EXPORT int weft_gemini_bte_post(struct weft_gemini *f, unsigned channel,
				     const struct weft_gemini_bte *bte)
{
	struct gemini_channel *c;
	int err;

	if (channel >= WEFT_GEMINI_CHANNELS)
		return -EINVAL;
	err = bte_check(f, bte);
	if (err)
		return err;
	c = &f->channel[channel];
	return bte_push(f, c,
			&(struct gemini_bte_desc){ .cmd = *bte, .ssid = -1 });
}

WEFT_EXPORT int weft_gemini_bte_recv(struct weft_gemini *f, unsigned channel,
				     const struct weft_gemini_local *to,
				     uint32_t bytes, unsigned cq, uint64_t data)
{
	struct gemini_channel *c;
	uint64_t addr;

	if (channel >= WEFT_GEMINI_CHANNELS || to->mdh >= WEFT_GEMINI_MDDS)
		return -EINVAL;
	if (gemini_translate(&f->mdd[to->mdh], to->offset, bytes, true, &addr))
		return -EFAULT;
	c = &f->channel[channel];
	if (!c->rx)
		c->rx = calloc(WEFT_GEMINI_RX_DESCS, sizeof(*c->rx));
	if (!c->rx)
		return -ENOMEM;
	if (c->rx_tail - c->rx_head == WEFT_GEMINI_RX_DESCS)
		return -EAGAIN;
	c->rx[c->rx_tail++ % WEFT_GEMINI_RX_DESCS] = (struct gemini_rx_desc){
		.to = *to,
		.bytes = bytes,
		.cq = (uint16_t)cq,
		.data = data,
	};
	return 0;
}

/* ---- sending ---- */

static void bte_fill(struct weft_gemini *f, const struct gemini_bte_desc *d,
		     unsigned channel, uint32_t n, struct gemini_request *r)
{
	const struct weft_gemini_bte *b = &d->cmd;
	bool last = d->sent + n == b->bytes;
	uint64_t addr = 0;

	gemini_translate(&f->mdd[b->local.mdh], b->local.offset + d->sent, n,
			 b->type == WEFT_GEMINI_BTE_GET, &addr);
	*r = (struct gemini_request){
		.peer = gemini_peer(f, b->pe),
		.pe = gemini_physical(f, b->pe),
		.mdh = b->remote.mdh,
		.ptag = f->ptag,
		.offset = b->remote.offset + d->sent,
		.ssid = (unsigned)d->ssid,
		.flags = last ? GEMINI_REQ_PROMPT : 0,
		.delivery = b->delivery,
		.data = b->data,
	};
	if (b->type == WEFT_GEMINI_BTE_GET) {
		r->cmd = GEMINI_GET;
		r->extra = n;
		r->local = addr;
		r->expect = n;
		return;
	}
	r->cmd = GEMINI_PUT;
	r->bytes = n;
	r->iov[0].iov_base = (void *)(uintptr_t)addr;
	r->iov[0].iov_len = n;
	r->iov_count = 1;
	if (last && (b->flags & WEFT_GEMINI_BTE_NOTIFY))
		r->flags |= GEMINI_REQ_EVENT;
	if (b->type != WEFT_GEMINI_BTE_SEND)
		return;
	r->cmd = GEMINI_SEND;
	r->mdh = channel;
	r->offset = d->sent;
	r->extra = (unsigned)d->ssid;
	r->data = b->bytes;
}

/*
 * Opens the transaction of the first descriptor; -EAGAIN: no transaction is
 * free.
 */
static int bte_begin(struct weft_gemini *f, struct gemini_channel *c,
		     struct gemini_bte_desc *d)
{
	if (d->ssid >= 0)
		return 0;
	if ((d->cmd.flags & WEFT_GEMINI_BTE_FENCE) && c->in_flight)
		return -EAGAIN;
	d->ssid = gemini_txn_open(f, d->cmd.cq);
	if (d->ssid < 0)
		return -EAGAIN;
	f->txn[d->ssid].fence = &c->in_flight;
	c->in_flight++;
	return 0;
}

/*
 * Sends one packet of one channel. Returns 1: sent; 0: nothing to do, or
 * blocked.
 */
static int bte_step(struct weft_gemini *f, unsigned channel)
{
	struct gemini_channel *c = &f->channel[channel];
	struct gemini_bte_desc *d;
	struct gemini_request r;
	size_t mtu = f->port.carrier->mtu;
	uint32_t max = mtu < GEMINI_BTE_BURST ? (uint32_t)mtu & ~63u
					      : GEMINI_BTE_BURST;
	uint32_t n;
	int err;

	if (c->tx_head == c->tx_tail)
		return 0;
	d = &c->tx[c->tx_head % BTE_TX_RING];
	if (bte_begin(f, c, d))
		return 0;
	if (d->bulk) {
		bte_pop(f, c);
		gemini_bulk_run(d->bulk, &d->cmd, d->ssid);
		return 1;
	}
	n = d->cmd.bytes - d->sent < max ? d->cmd.bytes - d->sent : max;
	bte_fill(f, d, channel, n, &r);
	err = gemini_request(f, &r);
	if (err == -EAGAIN)
		return 0;
	d->sent = err ? d->cmd.bytes : d->sent + n;
	if (d->sent == d->cmd.bytes) {
		if (d->cmd.flags & WEFT_GEMINI_BTE_LOCAL)
			gemini_cq_write(f, d->cmd.cq, WEFT_GEMINI_LOCAL,
					WEFT_GEMINI_OK, d->cmd.data);
		bte_pop(f, c);
		gemini_txn_close(f, (unsigned)d->ssid, d->cmd.data);
	}
	return 1;
}

int gemini_bte_bulk(struct weft_gemini *f, unsigned channel,
		    const struct weft_gemini_bte *cmd, struct gemini_bulk *b)
{
	struct gemini_channel *c = &f->channel[channel];
	const struct gemini_bte_desc d = {
		.cmd = *cmd,
		.ssid = -1,
		.bulk = b,
	};
	int err = c->tx_head == c->tx_tail ? bte_push(f, c, &d) : -EAGAIN;

	if (err || bte_step(f, channel))
		return err;
	c->tx_tail--;
	f->bte_queued--;
	return -EAGAIN;
}

int gemini_bte_run(struct weft_gemini *f, int budget)
{
	int n = 0;
	int moved;

	do {
		moved = 0;
		for (unsigned i = 0; i < WEFT_GEMINI_CHANNELS; i++)
			moved += bte_step(f, i);
		n += moved;
	} while (moved && n < budget);
	return n;
}

/* ---- receiving sends ---- */

static struct gemini_rmt *rmt_find(struct gemini_channel *c,
				   struct weft_peer *src, unsigned ssid)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &c->rmt) {
		struct gemini_rmt *m =
			weft_container_of(pos, struct gemini_rmt, link);

		if (m->peer == src && m->ssid == ssid)
			return m;
	}
	return NULL;
}

/*
 * Matches a new send to the next posted buffer, or marks it refused. Returns
 * its record; NULL: out of memory.
 */
static struct gemini_rmt *rmt_open(struct weft_gemini *f,
				   struct gemini_channel *c,
				   struct weft_peer *src,
				   const struct weft_pkt *pkt)
{
	struct gemini_rmt *m = calloc(1, sizeof(*m));
	struct gemini_rx_desc *d;

	if (!m)
		return NULL;
	m->peer = src;
	m->ssid = gemini_tag_extra(pkt->tag);
	m->total = (uint32_t)pkt->data;
	weft_list_push_back(&c->rmt, &m->link);
	if (c->rx_head == c->rx_tail)
		return m;
	d = &c->rx[c->rx_head % WEFT_GEMINI_RX_DESCS];
	if (m->total > d->bytes ||
	    gemini_translate(&f->mdd[d->to.mdh], d->to.offset, m->total, true,
			     &m->addr))
		return m;
	m->cq = d->cq;
	m->data = d->data;
	c->rx_head++;
	return m;
}

static void rmt_count(struct weft_gemini *f, struct gemini_rmt *m, uint32_t n)
{
	m->got += n;
	if (m->got < m->total)
		return;
	if (m->addr)
		gemini_cq_write(f, m->cq, WEFT_GEMINI_REMOTE, WEFT_GEMINI_OK,
				m->data);
	weft_list_remove(&m->link);
	free(m);
}

enum weft_gemini_status gemini_bte_arrive(struct weft_gemini *f,
					  struct weft_peer *src,
					  const struct weft_pkt *pkt,
					  const void *payload)
{
	unsigned channel = gemini_unit_mdh(pkt->unit);
	uint64_t at = gemini_tag_offset(pkt->tag);
	struct gemini_rmt *m;
	bool refused;

	if (channel >= WEFT_GEMINI_CHANNELS || !pkt->len ||
	    gemini_unit_ptag(pkt->unit) != f->ptag || pkt->data > UINT32_MAX ||
	    gemini_tag_extra(pkt->tag) >= WEFT_GEMINI_SSIDS)
		return WEFT_GEMINI_INVALID_COMMAND;
	m = rmt_find(&f->channel[channel], src, gemini_tag_extra(pkt->tag));
	if (!m)
		m = rmt_open(f, &f->channel[channel], src, pkt);
	if (!m)
		return WEFT_GEMINI_SEQ_TERMINATE;
	if (f->scrub_ns)
		m->last_packet_ns = gemini_now_ns(f);
	if (at > m->total || pkt->len > m->total - at ||
	    pkt->len > m->total - m->got)
		return WEFT_GEMINI_BOUNDS;
	refused = !m->addr;
	if (!refused)
		memcpy((void *)(uintptr_t)(m->addr + at), payload, pkt->len);
	rmt_count(f, m, pkt->len);
	return refused ? WEFT_GEMINI_SEQ_TERMINATE : WEFT_GEMINI_OK;
}

/* Refuses the rest of a send, and returns the send's buffer by an event. */
static void rmt_refuse(struct weft_gemini *f, struct gemini_rmt *m)
{
	if (m->addr)
		gemini_cq_write(f, m->cq, WEFT_GEMINI_REMOTE,
				WEFT_GEMINI_TIMEOUT, m->data);
	m->addr = 0;
}

static void rmt_forget(struct gemini_rmt *m)
{
	weft_list_remove(&m->link);
	free(m);
}

/* Refuses the partly received sends of a lost peer, and frees their records. */
void gemini_bte_lost(struct weft_gemini *f, struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	for (unsigned i = 0; i < WEFT_GEMINI_CHANNELS; i++) {
		weft_list_each(pos, tmp, &f->channel[i].rmt) {
			struct gemini_rmt *m =
				weft_container_of(pos, struct gemini_rmt, link);

			if (m->peer != peer)
				continue;
			rmt_refuse(f, m);
			rmt_forget(m);
		}
	}
}

void gemini_bte_scrub(struct weft_gemini *f, uint64_t now_ns)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	for (unsigned i = 0; i < WEFT_GEMINI_CHANNELS; i++) {
		weft_list_each(pos, tmp, &f->channel[i].rmt) {
			struct gemini_rmt *m =
				weft_container_of(pos, struct gemini_rmt, link);

			/*
			 * Refuse a send of which no packet has arrived for half
			 * a period. Keep its record until the sender's request
			 * buffers have timed out, so that late packets are not
			 * stored in a new buffer.
			 */
			if (now_ns - m->last_packet_ns >= f->scrub_ns / 2)
				rmt_refuse(f, m);
			if (now_ns - m->last_packet_ns >= 3 * f->scrub_ns)
				rmt_forget(m);
		}
	}
}

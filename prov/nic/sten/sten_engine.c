/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Elan4 interface as transport of the message engine (machine qsnet2).
 *
 * A short engine packet is a packet of the short transaction engine: identify
 * (a cookie that counts the packets to that peer), reserve a slot of the peer's
 * input queue, write, commit. A longer one is a DMA into a queue slot with the
 * same cookie. Each peer has its own command queues with two packets in flight
 * each. A peer whose input queue is full discards, the unit retransmits, and
 * the cookies keep the order and reject duplicates. Bulk data is carried by the
 * DMA engine (sten_bulk.c); where one process cannot access the other's memory,
 * the unit returns an error and the engine sends packets.
 */
#include "prov/nic/nic_help.h"
#include "prov/nic/nic_inbox.h"
#include "prov/nic/sten/sten_bulk.h"
#include "prov/nic/sten/sten_chain.h"
#include "prov/nic/sten/sten_dev.h"
#include "prov/nic/sten/sten_engine.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEN_TRANSPORT_CONTEXT 1
#define STEN_TRANSPORT_QUEUES  2 /* command queues for each peer */
#define STEN_TRANSPORT_BULK \
	4 /* of a peer with bulk data: slower acknowledgements */
#define STEN_TRANSPORT_PEER_DMAS 4 /* DMA packets in flight to one peer */
#define STEN_TRANSPORT_DEPTH	 (8 * 1024)
#define STEN_TRANSPORT_SHORT \
	1440 /* limit of the machine's short engine, bytes */
#define STEN_TRANSPORT_LIVE  320 /* limit here: commands are copied twice */
#define STEN_TRANSPORT_SLOTS 128 /* slots of the input queue */
#define STEN_TRANSPORT_WORDS \
	(40 + (STEN_TRANSPORT_SHORT + sizeof(struct weft_pkt)) / 8 + 8)

struct sten_engine {
	struct weft_unit unit;
	struct weft_sten *s;
	struct weft_inbox inbox;
	struct weft_sten_input input;
	unsigned char *slots;
	struct weft_peer *from[STEN_TRANSPORT_SLOTS]; /* sender of each slot */
	unsigned char *bounce; /* STEN_DMAS source buffers of DMAs */
	size_t slot_bytes;
	struct weft_table peer; /* struct sten_transport_peer */
};

/* State of one peer; its acknowledgements delay no other peer. */
struct sten_transport_peer {
	struct sten_queue *queue[STEN_TRANSPORT_BULK];
	unsigned queues; /* a power of two */
	unsigned turn;	 /* next queue, round-robin */
	uint64_t cookie; /* number of packets sent */
};

static struct sten_engine *se(struct weft_unit *u)
{
	return weft_container_of(u, struct sten_engine, unit);
}

/* ---- sending ---- */

static void sten_transport_queues_close(struct sten_engine *e,
					struct sten_transport_peer *p,
					unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		weft_sten_queue_close(e->s, p->queue[i]->number);
}

/* Opens queues until the peer has n, or none. */
static int sten_transport_queues(struct sten_engine *e,
				 struct sten_transport_peer *p, unsigned n)
{
	unsigned q;

	for (unsigned i = p->queues; i < n; i++) {
		int err = weft_sten_queue_open(e->s, STEN_TRANSPORT_CONTEXT,
					       STEN_TRANSPORT_DEPTH,
					       WEFT_STEN_MAY_STEN, 0, &q);

		if (err) {
			sten_transport_queues_close(e, p, p->queues, i);
			return err;
		}
		p->queue[i] = sten_queue(e->s, q);
	}
	p->queues = n;
	return 0;
}

/* First contact: creates a route and queues for a peer. */
static struct sten_transport_peer *
sten_transport_peer_open(struct sten_engine *e, struct weft_peer *peer)
{
	struct sten_transport_peer *p = calloc(1, sizeof(*p));

	if (p &&
	    !sten_route_bind(e->s, peer->index, peer, STEN_TRANSPORT_CONTEXT) &&
	    !sten_transport_queues(e, p, STEN_TRANSPORT_QUEUES))
		return p;
	free(p);
	return NULL;
}

static struct sten_transport_peer *sten_transport_peer(struct sten_engine *e,
						       struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->peer, peer->index);

	if (cell && !*cell)
		*cell = sten_transport_peer_open(e, peer);
	return cell ? *cell : NULL;
}

/* A queue and channel that can send now, or NULL. */
static struct sten_queue *
sten_transport_queue_pick(struct sten_transport_peer *p, unsigned *channel_p)
{
	for (unsigned i = 0; i < p->queues; i++) {
		struct sten_queue *q =
			p->queue[(p->turn + i) & (p->queues - 1)];

		if (q->head != q->tail)
			continue;
		for (unsigned c = 0; c < WEFT_STEN_CHANNELS; c++) {
			if (q->ch[c].state == STEN_RETRY ||
			    !sten_channel_free(q, c))
				continue;
			p->turn += i + c;
			*channel_p = c;
			return q;
		}
	}
	return NULL;
}

static void sten_transport_commands(struct weft_sten_stream *st,
				    unsigned channel, uint32_t vproc,
				    uint64_t cookie, const void *buf,
				    unsigned bytes)
{
	const unsigned char *p = buf;
	unsigned n;

	weft_sten_open_packet(st, channel, vproc, STEN_FOREVER);
	weft_sten_transaction(st, WEFT_STEN_T_IDENTIFY, cookie, NULL, 0);
	weft_sten_transaction(st, WEFT_STEN_T_GET_INDEX, 0, NULL, 0);
	for (unsigned at = 0; at < bytes; at += n) {
		n = bytes - at < WEFT_STEN_WRITE ? bytes - at : WEFT_STEN_WRITE;
		weft_sten_transaction(st, WEFT_STEN_T_WRITE, at, p + at, n);
	}
	weft_sten_transaction(st, WEFT_STEN_T_COMMIT | WEFT_STEN_T_LAST, 0,
			      NULL, 0);
}

/*
 * A queue holds packets in flight only: a packet that cannot be sent now is
 * removed again and the caller gets -EAGAIN.
 */
static int sten_transport_short(struct sten_engine *e, struct weft_peer *peer,
				const struct weft_pkt *pkt,
				const struct iovec *iov, int iov_count)
{
	struct sten_transport_peer *p = weft_table_get(&e->peer, peer->index);
	alignas(8) unsigned char buf[STEN_TRANSPORT_SHORT + sizeof(*pkt)];
	uint64_t words[STEN_TRANSPORT_WORDS];
	struct weft_sten_stream st = { .word = words,
				       .max = STEN_TRANSPORT_WORDS };
	unsigned bytes =
		(unsigned)weft_transport_gather(buf, pkt, iov, iov_count);
	unsigned channel;
	struct sten_queue *q = sten_transport_queue_pick(p, &channel);
	uint64_t start;

	if (!q)
		return -EAGAIN;
	sten_transport_commands(&st, channel, peer->index, p->cookie + 1, buf,
				bytes);
	if (st.count > st.max)
		return -EMSGSIZE;
	start = q->tail;
	if (weft_sten_queue_write(e->s, q->number, words, st.count))
		return -EAGAIN;
	sten_tx_queue(e->s, q);
	weft_list_remove(&q->run);
	if (q->head != start)
		return 0;
	q->tail = start;
	return -EAGAIN;
}

/* Number of DMA packets in flight to a peer. */
static unsigned sten_transport_dmas_in_flight(struct weft_sten *s,
					      const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	unsigned n = 0;

	weft_list_each(pos, tmp, &s->dma_run)
	{
		struct sten_dma *d =
			weft_container_of(pos, struct sten_dma, link);

		n += d->to.peer == peer && d->state != STEN_BULK;
	}
	return n;
}

static int sten_transport_long(struct sten_engine *e, struct weft_peer *peer,
			       const struct weft_pkt *pkt,
			       const struct iovec *iov, int iov_count)
{
	struct sten_transport_peer *p = weft_table_get(&e->peer, peer->index);
	struct weft_sten *s = e->s;
	struct weft_sten_dma d = {
		.flags = WEFT_STEN_DMA_QUEUE,
		.restarts = STEN_FOREVER,
		.cookie = p->cookie + 1,
		.vproc = peer->index,
	};
	uint64_t w[STEN_DMA_WORDS];
	struct sten_dma *m;
	unsigned char *buf;
	int err;

	if (weft_list_empty(&s->dma_free) ||
	    sten_transport_dmas_in_flight(s, peer) >= STEN_TRANSPORT_PEER_DMAS)
		return -EAGAIN;
	m = weft_container_of(s->dma_free.next, struct sten_dma, link);
	buf = e->bounce + (size_t)(m - s->dma) * e->slot_bytes;
	d.bytes = (uint32_t)weft_transport_gather(buf, pkt, iov, iov_count);
	d.src = (uintptr_t)buf;
	weft_sten_dma_words(&d, w);
	if (sten_dma_start(s, STEN_TRANSPORT_CONTEXT, w))
		return -EIO;
	err = sten_dma_step(s, m);
	if (err == -EAGAIN)
		sten_dma_end(s, m);
	return err;
}

/* Largest payload for the short transaction engine, in bytes. */
static unsigned sten_transport_short_max(const struct sten_engine *e)
{
	return sten_modelled(e->s) ? STEN_TRANSPORT_SHORT : STEN_TRANSPORT_LIVE;
}

static int sten_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				 const struct weft_pkt *pkt,
				 const struct iovec *iov, int iov_count)
{
	struct sten_engine *e = se(u);
	struct sten_transport_peer *p;
	int err;

	if (peer->lost)
		return -ECONNRESET;
	if (sizeof(*pkt) + pkt->len > e->slot_bytes)
		return -EMSGSIZE;
	p = sten_transport_peer(e, peer);
	if (!p)
		return -ENOMEM;
	err = pkt->len <= sten_transport_short_max(e)
		      ? sten_transport_short(e, peer, pkt, iov, iov_count)
		      : sten_transport_long(e, peer, pkt, iov, iov_count);
	if (!err)
		p->cookie++;
	return err;
}

/* ---- receiving ---- */

static void sten_transport_commit(struct weft_sten *s, uint64_t slot,
				  struct weft_peer *src)
{
	struct sten_engine *e = s->engine;

	e->from[slot % STEN_TRANSPORT_SLOTS] = src;
}

static bool sten_transport_refuse(struct weft_sten *s, struct weft_peer *src)
{
	struct sten_engine *e = s->engine;

	return weft_inbox_holds(&e->inbox, src);
}

static int sten_transport_drain(struct sten_engine *e)
{
	const void *slot;
	int n = 0;

	e->unit.copied = false;
	weft_inbox_retry(&e->inbox);
	while (!e->unit.copied && (slot = weft_sten_input_peek(&e->input))) {
		if (weft_inbox_take(
			    &e->inbox,
			    e->from[e->input.front % STEN_TRANSPORT_SLOTS],
			    slot, e->slot_bytes))
			e->s->stats.refused++;
		weft_sten_input_release(&e->input);
		n++;
	}
	return n;
}

static bool sten_transport_dma_waits(const struct weft_sten *s)
{
	const struct weft_list *pos;

	for (pos = s->dma_run.next; pos != &s->dma_run; pos = pos->next) {
		if (weft_container_of(pos, struct sten_dma, link)->state ==
		    STEN_RETRY)
			return true;
	}
	return false;
}

/* True if work is pending that only another poll can complete. */
static bool sten_transport_pending(const struct sten_engine *e)
{
	const struct weft_sten *s = e->s;

	return e->inbox.held || e->unit.copied ||
	       !weft_list_empty(&s->run[0]) ||
	       weft_responses_pending(&s->answers) ||
	       sten_transport_dma_waits(s);
}

static int sten_transport_poll(struct weft_unit *u, int budget)
{
	struct sten_engine *e = se(u);
	int n;

	weft_sten_poll(e->s, budget);
	n = sten_transport_drain(e);
	if (sten_transport_pending(e))
		u->carrier->ops->wake(u->carrier); /* poll again, no block */
	return n;
}

static int sten_transport_deliver(void *arg, struct weft_peer *src,
				  const struct weft_pkt *pkt,
				  const void *payload)
{
	struct sten_engine *e = arg;

	return sten_rx_deliver(e->s, src, pkt, payload);
}

static void sten_transport_peer_close(struct sten_engine *e, uint32_t index)
{
	struct sten_transport_peer *p = weft_table_get(&e->peer, index);

	if (!p)
		return;
	sten_transport_queues_close(e, p, 0, p->queues);
	*weft_table_slot(&e->peer, index) = NULL;
	free(p);
}

/* Delivers all packets of a lost peer before its loss is reported. */
static void sten_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct sten_engine *e = arg;

	sten_lost(e->s, peer);
	sten_transport_peer_close(e, peer->index);
	do
		sten_transport_drain(e);
	while (e->unit.copied);
	e->inbox.up->lost(e->inbox.up_arg, peer, err);
}

static const struct weft_carrier_up sten_transport_up = {
	.deliver = sten_transport_deliver,
	.lost = sten_transport_lost,
};

/* ---- bulk ---- */

/*
 * Live, both processors copy and acknowledge nothing meanwhile: send pending
 * acknowledgements first, and allow more packets in flight.
 */
static void sten_transport_before_copy(struct sten_engine *e,
				       struct sten_transport_peer *p)
{
	if (weft_responses_pending(&e->s->answers))
		weft_responses_flush(&e->s->answers, true);
	if (weft_unlikely(p->queues < STEN_TRANSPORT_BULK))
		(void)sten_transport_queues(e, p,
					    STEN_TRANSPORT_BULK); /* optional */
}

static int sten_transport_move(struct weft_unit *u, struct weft_peer *peer,
			       struct weft_dma *d, bool get)
{
	struct sten_engine *e = se(u);
	struct sten_transport_peer *p;

	if (peer->lost)
		return -ECONNRESET;
	p = sten_transport_peer(e, peer);
	if (!p)
		return -ENOMEM;
	if (sten_modelled(e->s) && d->bytes && d->bytes <= STEN_TRANSPORT_SHORT)
		return sten_bulk_short(u, peer, d, get);
	if (!sten_modelled(e->s))
		sten_transport_before_copy(e, p);
	return sten_bulk_move(e->s, u, peer, d, get);
}

static int sten_transport_get(struct weft_unit *u, struct weft_peer *peer,
			      struct weft_dma *d)
{
	return sten_transport_move(u, peer, d, true);
}

static int sten_transport_put(struct weft_unit *u, struct weft_peer *peer,
			      struct weft_dma *d)
{
	return sten_transport_move(u, peer, d, false);
}

static int sten_transport_amo(struct weft_unit *u, struct weft_peer *peer,
			      struct weft_amo *a)
{
	if (!sten_modelled(se(u)->s))
		return -EOPNOTSUPP;
	return peer->lost ? -ECONNRESET : sten_bulk_amo(u, peer, a);
}

/* ---- trees of chained events ---- */

/* Creates routes to the tree's neighbours of this member. */
static int sten_transport_chain_routes(struct sten_engine *e,
				       const struct weft_chain_attr *a)
{
	const struct weft_cu_tree *t = a->tree;

	if (a->me != t->root &&
	    !sten_transport_peer(e, a->member[t->parent[a->me]]))
		return -ENOMEM;
	for (int i = t->first[a->me]; i < t->first[a->me + 1]; i++) {
		if (!sten_transport_peer(e, a->member[t->input[i]]))
			return -ENOMEM;
	}
	return 0;
}

static int sten_transport_chain_open(struct weft_unit *u,
				     const struct weft_chain_attr *a,
				     struct weft_chain **c_p)
{
	struct sten_engine *e = se(u);
	int err = sten_transport_chain_routes(e, a);

	return err ? err
		   : sten_chain_open(e->s, STEN_TRANSPORT_CONTEXT, a,
				     &weft_sten_chain, c_p);
}

/* Creates a route to the root, which may be no neighbour of the sender. */
static int sten_transport_chain_cast(struct weft_chain *c, uint64_t seq,
				     size_t bytes)
{
	struct weft_peer *root = sten_chain_root(c);

	if (root && root->lost)
		return -ECONNRESET;
	if (root && !sten_transport_peer(sten_chain_unit(c)->engine, root))
		return -ENOMEM;
	return sten_chain_cast(c, seq, bytes);
}

static uint64_t sten_transport_chain_started(const struct weft_unit *u)
{
	return se((struct weft_unit *)(uintptr_t)u)->s->chained;
}

const struct weft_chain_ops weft_sten_chain = {
	.open = sten_transport_chain_open,
	.close = sten_chain_close,
	.place = sten_chain_slot,
	.cast = sten_transport_chain_cast,
	.came = sten_chain_received,
	.arrive = sten_chain_arrive,
	.passed = sten_chain_passed,
	.run = sten_chain_run,
	.started = sten_transport_chain_started,
};

/* ---- open and close ---- */

static int sten_transport_alloc(struct sten_engine *e,
				const struct weft_machine *m)
{
	e->slot_bytes =
		(sizeof(struct weft_pkt) + m->packet_bytes + 63) / 64 * 64;
	if (e->slot_bytes > WEFT_STEN_PACKET)
		return -EINVAL;
	e->slots = aligned_alloc(64, STEN_TRANSPORT_SLOTS * e->slot_bytes);
	e->bounce = aligned_alloc(64, STEN_DMAS * e->slot_bytes);
	return e->slots && e->bounce ? 0 : -ENOMEM;
}

static int sten_transport_setup(struct sten_engine *e)
{
	int err = weft_sten_filter(e->s, STEN_TRANSPORT_CONTEXT,
				   WEFT_STEN_ACCEPT);

	if (err)
		return err;
	weft_sten_input_init(&e->input, e->slots, (uint32_t)e->slot_bytes,
			     STEN_TRANSPORT_SLOTS, 0);
	e->s->input = &e->input;
	e->s->commit = sten_transport_commit;
	e->s->refuse = sten_transport_refuse;
	e->s->engine = e;
	e->s->assemblers = STEN_DMAS;
	err = weft_sten_map(e->s, STEN_TRANSPORT_CONTEXT, e->bounce,
			    STEN_DMAS * e->slot_bytes,
			    WEFT_STEN_LOCAL_READ | WEFT_STEN_LARGE);
	return err ? err : sten_bulk_open(e->s, STEN_TRANSPORT_CONTEXT);
}

static void sten_transport_close(struct weft_unit *u)
{
	struct sten_engine *e = se(u);

	if (e->s)
		sten_bulk_close(e->s);
	weft_sten_close(e->s);
	weft_inbox_fini(&e->inbox);
	free(e->slots);
	free(e->bounce);
	for (uint32_t i = 0; i < e->peer.count; i++)
		free(e->peer.cell[i]);
	weft_table_fini(&e->peer);
	free(e);
}

static int sten_transport_open(const struct weft_machine *m,
			       const struct weft_carrier_ops *carrier,
			       const struct weft_carrier_attr *attr,
			       struct weft_unit **u_p)
{
	struct sten_engine *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_sten;
	weft_inbox_init(&e->inbox, attr, m->packet_bytes);
	a.up = &sten_transport_up;
	a.up_arg = e;
	err = sten_transport_alloc(e, m);
	if (!err)
		err = sten_create(carrier, &a, &e->s);
	if (!err)
		err = sten_transport_setup(e);
	if (err) {
		sten_transport_close(&e->unit);
		return err;
	}
	e->unit.carrier = e->s->port.carrier;
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_sten = {
	.name = "sten",
	.packet_max = STEN_WIRE_MAX,
	.open = sten_transport_open,
	.close = sten_transport_close,
	.packet = sten_transport_packet,
	.get = sten_transport_get,
	.put = sten_transport_put,
	.amo = sten_transport_amo,
	.poll = sten_transport_poll,
	.chain = &weft_sten_chain,
};

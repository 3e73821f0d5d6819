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

#define SE_CONTEXT   1
#define SE_QUEUES    2 /* command queues for each peer */
#define SE_BULK	     4 /* of a peer with bulk data: slower acknowledgements */
#define SE_PEER_DMAS 4 /* DMA packets in flight to one peer */
#define SE_DEPTH     (8 * 1024)
#define SE_SHORT     1440 /* limit of the machine's short engine, bytes */
#define SE_LIVE	     320  /* limit here: commands are copied twice */
#define SE_SLOTS     128  /* slots of the input queue */
#define SE_WORDS     (40 + (SE_SHORT + sizeof(struct weft_pkt)) / 8 + 8)

struct sten_engine {
	struct weft_unit unit;
	struct weft_sten *s;
	struct weft_inbox inbox;
	struct weft_sten_input input;
	unsigned char *slots;
	struct weft_peer *from[SE_SLOTS]; /* sender of each slot */
	unsigned char *bounce;		  /* STEN_DMAS source buffers of DMAs */
	size_t slot_bytes;
	struct weft_table peer; /* struct se_peer */
};

/* State of one peer; its acknowledgements delay no other peer. */
struct se_peer {
	struct sten_queue *queue[SE_BULK];
	unsigned queues; /* a power of two */
	unsigned turn;	 /* next queue, round-robin */
	uint64_t cookie; /* number of packets sent */
};

static struct sten_engine *se(struct weft_unit *u)
{
	return weft_container_of(u, struct sten_engine, unit);
}

/* ---- sending ---- */

static void se_queues_close(struct sten_engine *e, struct se_peer *p,
			    unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		weft_sten_queue_close(e->s, p->queue[i]->number);
}

/* Opens queues until the peer has n, or none. */
static int se_queues(struct sten_engine *e, struct se_peer *p, unsigned n)
{
	unsigned q;

	for (unsigned i = p->queues; i < n; i++) {
		int err = weft_sten_queue_open(e->s, SE_CONTEXT, SE_DEPTH,
					       WEFT_STEN_MAY_STEN, 0, &q);

		if (err) {
			se_queues_close(e, p, p->queues, i);
			return err;
		}
		p->queue[i] = sten_queue(e->s, q);
	}
	p->queues = n;
	return 0;
}

/* First contact: creates a route and queues for a peer. */
static struct se_peer *se_meet(struct sten_engine *e, struct weft_peer *peer)
{
	struct se_peer *p = calloc(1, sizeof(*p));

	if (p && !sten_route_bind(e->s, peer->index, peer, SE_CONTEXT) &&
	    !se_queues(e, p, SE_QUEUES))
		return p;
	free(p);
	return NULL;
}

static struct se_peer *se_peer(struct sten_engine *e, struct weft_peer *peer)
{
	void **cell = weft_table_cell(&e->peer, peer->index);

	if (cell && !*cell)
		*cell = se_meet(e, peer);
	return cell ? *cell : NULL;
}

/* A queue and channel that can send now, or NULL. */
static struct sten_queue *se_pick(struct se_peer *p, unsigned *channel_p)
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

static void se_commands(struct weft_sten_stream *st, unsigned channel,
			uint32_t vproc, uint64_t cookie, const void *buf,
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
static int se_short(struct sten_engine *e, struct weft_peer *peer,
		    const struct weft_pkt *pkt, const struct iovec *iov,
		    int iov_count)
{
	struct se_peer *p = weft_table_get(&e->peer, peer->index);
	alignas(8) unsigned char buf[SE_SHORT + sizeof(*pkt)];
	uint64_t words[SE_WORDS];
	struct weft_sten_stream st = { .word = words, .max = SE_WORDS };
	unsigned bytes = (unsigned)weft_help_gather(buf, pkt, iov, iov_count);
	unsigned channel;
	struct sten_queue *q = se_pick(p, &channel);
	uint64_t start;

	if (!q)
		return -EAGAIN;
	se_commands(&st, channel, peer->index, p->cookie + 1, buf, bytes);
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
static unsigned se_dmas(struct weft_sten *s, const struct weft_peer *peer)
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

static int se_long(struct sten_engine *e, struct weft_peer *peer,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int iov_count)
{
	struct se_peer *p = weft_table_get(&e->peer, peer->index);
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

	if (weft_list_empty(&s->dma_free) || se_dmas(s, peer) >= SE_PEER_DMAS)
		return -EAGAIN;
	m = weft_container_of(s->dma_free.next, struct sten_dma, link);
	buf = e->bounce + (size_t)(m - s->dma) * e->slot_bytes;
	d.bytes = (uint32_t)weft_help_gather(buf, pkt, iov, iov_count);
	d.src = (uintptr_t)buf;
	weft_sten_dma_words(&d, w);
	if (sten_dma_start(s, SE_CONTEXT, w))
		return -EIO;
	err = sten_dma_step(s, m);
	if (err == -EAGAIN)
		sten_dma_end(s, m);
	return err;
}

/* Largest payload for the short transaction engine, in bytes. */
static unsigned se_limit(const struct sten_engine *e)
{
	return sten_modelled(e->s) ? SE_SHORT : SE_LIVE;
}

static int se_packet(struct weft_unit *u, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count)
{
	struct sten_engine *e = se(u);
	struct se_peer *p;
	int err;

	if (peer->lost)
		return -ECONNRESET;
	if (sizeof(*pkt) + pkt->len > e->slot_bytes)
		return -EMSGSIZE;
	p = se_peer(e, peer);
	if (!p)
		return -ENOMEM;
	err = pkt->len <= se_limit(e) ? se_short(e, peer, pkt, iov, iov_count)
				      : se_long(e, peer, pkt, iov, iov_count);
	if (!err)
		p->cookie++;
	return err;
}

/* ---- receiving ---- */

static void se_commit(struct weft_sten *s, uint64_t slot, struct weft_peer *src)
{
	struct sten_engine *e = s->engine;

	e->from[slot % SE_SLOTS] = src;
}

static bool se_refuse(struct weft_sten *s, struct weft_peer *src)
{
	struct sten_engine *e = s->engine;

	return weft_inbox_holds(&e->inbox, src);
}

static int se_drain(struct sten_engine *e)
{
	const void *slot;
	int n = 0;

	e->unit.copied = false;
	weft_inbox_retry(&e->inbox);
	while (!e->unit.copied && (slot = weft_sten_input_look(&e->input))) {
		if (weft_inbox_take(&e->inbox,
				    e->from[e->input.front % SE_SLOTS], slot,
				    e->slot_bytes))
			e->s->stats.refused++;
		weft_sten_input_next(&e->input);
		n++;
	}
	return n;
}

static bool se_dma_waits(const struct weft_sten *s)
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
static bool se_pending(const struct sten_engine *e)
{
	const struct weft_sten *s = e->s;

	return e->inbox.held || e->unit.copied ||
	       !weft_list_empty(&s->run[0]) ||
	       weft_answers_waiting(&s->answers) || se_dma_waits(s);
}

static int se_poll(struct weft_unit *u, int budget)
{
	struct sten_engine *e = se(u);
	int n;

	weft_sten_poll(e->s, budget);
	n = se_drain(e);
	if (se_pending(e))
		u->carrier->ops->wake(u->carrier); /* poll again, no block */
	return n;
}

static int se_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct sten_engine *e = arg;

	return sten_rx_deliver(e->s, src, pkt, payload);
}

static void se_forget(struct sten_engine *e, uint32_t index)
{
	struct se_peer *p = weft_table_get(&e->peer, index);

	if (!p)
		return;
	se_queues_close(e, p, 0, p->queues);
	*weft_table_cell(&e->peer, index) = NULL;
	free(p);
}

/* Delivers all packets of a lost peer before its loss is reported. */
static void se_lost(void *arg, struct weft_peer *peer, int err)
{
	struct sten_engine *e = arg;

	sten_lost(e->s, peer);
	se_forget(e, peer->index);
	do
		se_drain(e);
	while (e->unit.copied);
	e->inbox.up->lost(e->inbox.up_arg, peer, err);
}

static const struct weft_carrier_up se_up = {
	.deliver = se_deliver,
	.lost = se_lost,
};

/* ---- bulk ---- */

/*
 * Live, both processors copy and acknowledge nothing meanwhile: send pending
 * acknowledgements first, and allow more packets in flight.
 */
static void se_before_copy(struct sten_engine *e, struct se_peer *p)
{
	if (weft_answers_waiting(&e->s->answers))
		weft_answers_flush(&e->s->answers, true);
	if (weft_unlikely(p->queues < SE_BULK))
		(void)se_queues(e, p, SE_BULK); /* optional */
}

static int se_move(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d, bool get)
{
	struct sten_engine *e = se(u);
	struct se_peer *p;

	if (peer->lost)
		return -ECONNRESET;
	p = se_peer(e, peer);
	if (!p)
		return -ENOMEM;
	if (sten_modelled(e->s) && d->bytes && d->bytes <= SE_SHORT)
		return sten_bulk_short(u, peer, d, get);
	if (!sten_modelled(e->s))
		se_before_copy(e, p);
	return sten_bulk_move(e->s, u, peer, d, get);
}

static int se_get(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	return se_move(u, peer, d, true);
}

static int se_put(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	return se_move(u, peer, d, false);
}

static int se_amo(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_amo *a)
{
	if (!sten_modelled(se(u)->s))
		return -EOPNOTSUPP;
	return peer->lost ? -ECONNRESET : sten_bulk_amo(u, peer, a);
}

/* ---- trees of chained events ---- */

/* Creates routes to the tree's neighbours of this member. */
static int se_chain_meet(struct sten_engine *e, const struct weft_chain_attr *a)
{
	const struct weft_cu_tree *t = a->tree;

	if (a->me != t->root && !se_peer(e, a->member[t->parent[a->me]]))
		return -ENOMEM;
	for (int i = t->first[a->me]; i < t->first[a->me + 1]; i++) {
		if (!se_peer(e, a->member[t->input[i]]))
			return -ENOMEM;
	}
	return 0;
}

static int se_chain_open(struct weft_unit *u, const struct weft_chain_attr *a,
			 struct weft_chain **c_p)
{
	struct sten_engine *e = se(u);
	int err = se_chain_meet(e, a);

	return err ? err
		   : sten_chain_open(e->s, SE_CONTEXT, a, &weft_sten_chain,
				     c_p);
}

/* Creates a route to the root, which may be no neighbour of the sender. */
static int se_chain_cast(struct weft_chain *c, uint64_t seq, size_t bytes)
{
	struct weft_peer *root = sten_chain_root(c);

	if (root && root->lost)
		return -ECONNRESET;
	if (root && !se_peer(sten_chain_unit(c)->engine, root))
		return -ENOMEM;
	return sten_chain_cast(c, seq, bytes);
}

static uint64_t se_chain_started(const struct weft_unit *u)
{
	return se((struct weft_unit *)(uintptr_t)u)->s->chained;
}

const struct weft_chain_ops weft_sten_chain = {
	.open = se_chain_open,
	.close = sten_chain_close,
	.place = sten_chain_place,
	.cast = se_chain_cast,
	.came = sten_chain_came,
	.arrive = sten_chain_arrive,
	.passed = sten_chain_passed,
	.run = sten_chain_run,
	.started = se_chain_started,
};

/* ---- open and close ---- */

static int se_alloc(struct sten_engine *e, const struct weft_machine *m)
{
	e->slot_bytes =
		(sizeof(struct weft_pkt) + m->packet_bytes + 63) / 64 * 64;
	if (e->slot_bytes > WEFT_STEN_PACKET)
		return -EINVAL;
	e->slots = aligned_alloc(64, SE_SLOTS * e->slot_bytes);
	e->bounce = aligned_alloc(64, STEN_DMAS * e->slot_bytes);
	return e->slots && e->bounce ? 0 : -ENOMEM;
}

static int se_setup(struct sten_engine *e)
{
	int err = weft_sten_filter(e->s, SE_CONTEXT, WEFT_STEN_ACCEPT);

	if (err)
		return err;
	weft_sten_input_init(&e->input, e->slots, (uint32_t)e->slot_bytes,
			     SE_SLOTS, 0);
	e->s->input = &e->input;
	e->s->commit = se_commit;
	e->s->refuse = se_refuse;
	e->s->engine = e;
	e->s->assemblers = STEN_DMAS;
	err = weft_sten_map(e->s, SE_CONTEXT, e->bounce,
			    STEN_DMAS * e->slot_bytes,
			    WEFT_STEN_LOCAL_READ | WEFT_STEN_LARGE);
	return err ? err : sten_bulk_open(e->s, SE_CONTEXT);
}

static void se_close(struct weft_unit *u)
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

static int se_open(const struct weft_machine *m,
		   const struct weft_carrier_ops *carrier,
		   const struct weft_carrier_attr *attr, struct weft_unit **u_p)
{
	struct sten_engine *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_sten;
	weft_inbox_init(&e->inbox, attr, m->packet_bytes);
	a.up = &se_up;
	a.up_arg = e;
	err = se_alloc(e, m);
	if (!err)
		err = sten_create(carrier, &a, &e->s);
	if (!err)
		err = se_setup(e);
	if (err) {
		se_close(&e->unit);
		return err;
	}
	e->unit.carrier = e->s->port.carrier;
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_sten = {
	.name = "sten",
	.packet_max = STEN_WIRE_MAX,
	.open = se_open,
	.close = se_close,
	.packet = se_packet,
	.get = se_get,
	.put = se_put,
	.amo = se_amo,
	.poll = se_poll,
	.chain = &weft_sten_chain,
};

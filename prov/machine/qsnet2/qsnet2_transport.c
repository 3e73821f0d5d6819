/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Elan4 interface as transport of the message engine (machine qsnet2).
 *
 * A short engine packet is a STEN packet: identify (a cookie that counts the
 * packets to the peer), reserve a slot of the peer's input queue, write,
 * commit. A longer engine packet is a DMA to a queue slot with the same cookie.
 * Each peer has its own command queues, with two packets in flight each. A peer
 * whose input queue is full discards packets; the unit retransmits them, and
 * the cookies keep the order and identify duplicates. The DMA engine carries
 * bulk data (qsnet2_bulk.c). If one process cannot access the other's memory,
 * the unit returns an error, and the engine sends packets.
 */
#include "prov/machine/machine_transport.h"
#include "prov/machine/machine_inbox.h"
#include "prov/machine/qsnet2/qsnet2_bulk.h"
#include "prov/machine/qsnet2/qsnet2_chain.h"
#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "prov/machine/qsnet2/qsnet2_match.h"
#include "prov/machine/qsnet2/qsnet2_transport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QSNET2_TRANSPORT_CONTEXT   1
#define QSNET2_TRANSPORT_QUEUES	   2 /* command queues for each peer */
/* queues for a peer with bulk data in flight: it acknowledges more slowly */
#define QSNET2_TRANSPORT_BULK	   4
#define QSNET2_TRANSPORT_PEER_DMAS 4 /* DMA packets in flight to one peer */
#define QSNET2_TRANSPORT_DEPTH	   (8 * 1024)
/* limit of the machine's short engine, bytes */
#define QSNET2_TRANSPORT_SHORT	   1440
/* limit of the STEN when live, bytes: commands are copied twice */
#define QSNET2_TRANSPORT_LIVE	   320
#define QSNET2_TRANSPORT_SLOTS	   128 /* slots of the input queue */
#define QSNET2_TRANSPORT_WORDS \
	(40 + (QSNET2_TRANSPORT_SHORT + sizeof(struct weft_pkt)) / 8 + 8)

struct qsnet2_transport {
	struct weft_unit unit;
	struct weft_qsnet2 *s;
	struct weft_inbox inbox;
	struct weft_qsnet2_input input;
	unsigned char *slots;
	struct weft_peer
		*from[QSNET2_TRANSPORT_SLOTS]; /* sender of each slot */
	unsigned char *bounce; /* source buffers of QSNET2_DMAS DMAs */
	size_t slot_bytes;
	struct weft_table peer; /* peers: struct qsnet2_transport_peer */
	/* FI_WEFT_MATCH=unit, live; NULL: the processor receives */
	struct qsnet2_match *match;
	int matched; /* packets received by the thread since the last poll */
};

/* State of one peer; a peer that acknowledges late does not delay others. */
struct qsnet2_transport_peer {
	struct qsnet2_queue *queue[QSNET2_TRANSPORT_BULK];
	unsigned queues;     /* number of queues, a power of two */
	unsigned next_queue; /* next queue, round-robin */
	uint64_t cookie;     /* number of packets sent */
};

static struct qsnet2_transport *qsnet2_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct qsnet2_transport, unit);
}

/* ---- sending ---- */

static void qsnet2_transport_queues_close(struct qsnet2_transport *e,
					  struct qsnet2_transport_peer *p,
					  unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		weft_qsnet2_queue_close(e->s, p->queue[i]->number);
}

/* Opens queues until the peer has n; on failure opens none. */
static int qsnet2_transport_queues(struct qsnet2_transport *e,
				   struct qsnet2_transport_peer *p, unsigned n)
{
	unsigned q;

	for (unsigned i = p->queues; i < n; i++) {
		int err = weft_qsnet2_queue_open(e->s, QSNET2_TRANSPORT_CONTEXT,
						 QSNET2_TRANSPORT_DEPTH,
						 WEFT_QSNET2_MAY_STEN, 0, &q);

		if (err) {
			qsnet2_transport_queues_close(e, p, p->queues, i);
			return err;
		}
		p->queue[i] = qsnet2_queue(e->s, q);
	}
	p->queues = n;
	return 0;
}

/* Creates a route and queues on first contact with a peer. */
static struct qsnet2_transport_peer *
qsnet2_transport_peer_open(struct qsnet2_transport *e, struct weft_peer *peer)
{
	struct qsnet2_transport_peer *p = calloc(1, sizeof(*p));

	if (p &&
	    !qsnet2_route_bind(e->s, peer->index, peer,
			       QSNET2_TRANSPORT_CONTEXT) &&
	    !qsnet2_transport_queues(e, p, QSNET2_TRANSPORT_QUEUES))
		return p;
	free(p);
	return NULL;
}

static struct qsnet2_transport_peer *
qsnet2_transport_peer(struct qsnet2_transport *e, struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->peer, peer->index);

	if (cell && !*cell)
		*cell = qsnet2_transport_peer_open(e, peer);
	return cell ? *cell : NULL;
}

/* Returns a queue and channel that can send now, or NULL. */
static struct qsnet2_queue *
qsnet2_transport_queue_pick(struct qsnet2_transport_peer *p,
			    unsigned *channel_p)
{
	for (unsigned i = 0; i < p->queues; i++) {
		struct qsnet2_queue *q =
			p->queue[(p->next_queue + i) & (p->queues - 1)];

		if (q->head != q->tail)
			continue;
		for (unsigned c = 0; c < WEFT_QSNET2_CHANNELS; c++) {
			if (q->ch[c].state == QSNET2_RETRY ||
			    !qsnet2_channel_free(q, c))
				continue;
			p->next_queue += i + c;
			*channel_p = c;
			return q;
		}
	}
	return NULL;
}

static void qsnet2_transport_commands(struct weft_qsnet2_stream *st,
				      unsigned channel, uint32_t vproc,
				      uint64_t cookie, const void *buf,
				      unsigned bytes)
{
	const unsigned char *p = buf;
	unsigned n;

	weft_qsnet2_open_packet(st, channel, vproc, QSNET2_FOREVER);
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_IDENTIFY, cookie, NULL, 0);
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_GET_INDEX, 0, NULL, 0);
	for (unsigned at = 0; at < bytes; at += n) {
		n = bytes - at < WEFT_QSNET2_WRITE ? bytes - at
						   : WEFT_QSNET2_WRITE;
		weft_qsnet2_transaction(st, WEFT_QSNET2_T_WRITE, at, p + at, n);
	}
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_COMMIT | WEFT_QSNET2_T_LAST,
				0, NULL, 0);
}

/*
 * Sends a STEN packet. Queues hold only packets in flight: a packet that cannot
 * be sent now is removed from its queue, and the caller gets -EAGAIN.
 */
static int qsnet2_transport_short(struct qsnet2_transport *e,
				  struct weft_peer *peer,
				  const struct weft_pkt *pkt,
				  const struct iovec *iov, int iov_count)
{
	struct qsnet2_transport_peer *p = weft_table_get(&e->peer, peer->index);
	alignas(8) unsigned char buf[QSNET2_TRANSPORT_SHORT + sizeof(*pkt)];
	uint64_t words[QSNET2_TRANSPORT_WORDS];
	struct weft_qsnet2_stream st = { .word = words,
					 .max = QSNET2_TRANSPORT_WORDS };
	unsigned bytes =
		(unsigned)weft_transport_gather(buf, pkt, iov, iov_count);
	unsigned channel;
	struct qsnet2_queue *q = qsnet2_transport_queue_pick(p, &channel);
	uint64_t start;

	if (!q)
		return -EAGAIN;
	qsnet2_transport_commands(&st, channel, peer->index, p->cookie + 1, buf,
				  bytes);
	if (st.count > st.max)
		return -EMSGSIZE;
	start = q->tail;
	if (weft_qsnet2_queue_write(e->s, q->number, words, st.count))
		return -EAGAIN;
	qsnet2_tx_queue(e->s, q);
	weft_list_remove(&q->run);
	if (q->head != start)
		return 0;
	q->tail = start;
	return -EAGAIN;
}

static unsigned qsnet2_transport_dmas_in_flight(struct weft_qsnet2 *s,
						const struct weft_peer *peer)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	unsigned n = 0;

	weft_list_each(pos, tmp, &s->dma_run) {
		struct qsnet2_dma *d =
			weft_container_of(pos, struct qsnet2_dma, link);

		n += d->to.peer == peer && d->state != QSNET2_BULK;
	}
	return n;
}

static int qsnet2_transport_long(struct qsnet2_transport *e,
				 struct weft_peer *peer,
				 const struct weft_pkt *pkt,
				 const struct iovec *iov, int iov_count)
{
	struct qsnet2_transport_peer *p = weft_table_get(&e->peer, peer->index);
	struct weft_qsnet2 *s = e->s;
	struct weft_qsnet2_dma d = {
		.flags = WEFT_QSNET2_DMA_QUEUE,
		.restarts = QSNET2_FOREVER,
		.cookie = p->cookie + 1,
		.vproc = peer->index,
	};
	uint64_t w[QSNET2_DMA_WORDS];
	struct qsnet2_dma *m;
	unsigned char *buf;
	int err;

	if (weft_list_empty(&s->dma_free) ||
	    qsnet2_transport_dmas_in_flight(s, peer) >=
		    QSNET2_TRANSPORT_PEER_DMAS)
		return -EAGAIN;
	m = weft_container_of(s->dma_free.next, struct qsnet2_dma, link);
	buf = e->bounce + (size_t)(m - s->dma) * e->slot_bytes;
	d.bytes = (uint32_t)weft_transport_gather(buf, pkt, iov, iov_count);
	d.src = (uintptr_t)buf;
	weft_qsnet2_dma_words(&d, w);
	if (qsnet2_dma_start(s, QSNET2_TRANSPORT_CONTEXT, w))
		return -EIO;
	err = qsnet2_dma_step(s, m);
	if (err == -EAGAIN)
		qsnet2_dma_end(s, m);
	return err;
}

static int qsnet2_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				   const struct weft_pkt *pkt,
				   const struct iovec *iov, int iov_count)
{
	struct qsnet2_transport *e = qsnet2_transport_of(u);
	struct qsnet2_transport_peer *p;
	int err;

	if (peer->lost)
		return -ECONNRESET;
	if (sizeof(*pkt) + pkt->len > e->slot_bytes)
		return -EMSGSIZE;
	p = qsnet2_transport_peer(e, peer);
	if (!p)
		return -ENOMEM;
	err = pkt->len <= (weft_unlikely(u->carrier->ops->backend->paths)
				   ? QSNET2_TRANSPORT_SHORT
				   : QSNET2_TRANSPORT_LIVE)
		      ? qsnet2_transport_short(e, peer, pkt, iov, iov_count)
		      : qsnet2_transport_long(e, peer, pkt, iov, iov_count);
	if (!err)
		p->cookie++;
	return err;
}

/* ---- receiving ---- */

static void qsnet2_transport_commit(struct weft_qsnet2 *s, uint64_t slot,
				    struct weft_peer *src)
{
	struct qsnet2_transport *e = s->engine;

	e->from[slot % QSNET2_TRANSPORT_SLOTS] = src;
}

static bool qsnet2_transport_refuse(struct weft_qsnet2 *s,
				    struct weft_peer *src)
{
	struct qsnet2_transport *e = s->engine;

	return weft_inbox_holds(&e->inbox, src);
}

static int qsnet2_transport_drain(struct qsnet2_transport *e)
{
	const void *slot;
	int n = 0;

	e->unit.copied = false;
	weft_inbox_retry(&e->inbox);
	while (!e->unit.copied && (slot = weft_qsnet2_input_peek(&e->input))) {
		if (weft_inbox_take(
			    &e->inbox,
			    e->from[e->input.front % QSNET2_TRANSPORT_SLOTS],
			    slot, e->slot_bytes))
			e->s->stats.refused++;
		weft_qsnet2_input_release(&e->input);
		n++;
	}
	return n;
}

static bool qsnet2_transport_dma_waits(const struct weft_qsnet2 *s)
{
	const struct weft_list *pos;

	for (pos = s->dma_run.next; pos != &s->dma_run; pos = pos->next) {
		if (weft_container_of(pos, struct qsnet2_dma, link)->state ==
		    QSNET2_RETRY)
			return true;
	}
	return false;
}

/* Program of the thread processor: receives packets and matches messages. */
static int qsnet2_transport_thread(struct weft_qsnet2_thread *t)
{
	struct qsnet2_transport *e = t->arg;

	qsnet2_match_arm(e->match);
	e->matched += qsnet2_transport_drain(e);
	return 0;
}

/* Polls a unit whose thread processor receives messages. */
static WEFT_COLD int qsnet2_transport_poll_match(struct qsnet2_transport *e,
						 int budget)
{
	int n;

	if (e->inbox.held || e->unit.copied)
		qsnet2_match_start(e->match);
	weft_qsnet2_poll(e->s, budget);
	qsnet2_match_run(e->match, budget);
	n = e->matched;
	e->matched = 0;
	return n;
}

static int qsnet2_transport_poll(struct weft_unit *u, int budget)
{
	struct qsnet2_transport *e = qsnet2_transport_of(u);
	int n;

	if (weft_unlikely(e->match != NULL)) {
		n = qsnet2_transport_poll_match(e, budget);
	} else {
		weft_qsnet2_poll(e->s, budget);
		n = qsnet2_transport_drain(e);
	}
	/* work remains that only another poll can complete */
	if (e->inbox.held || e->unit.copied ||
	    !weft_list_empty(&e->s->run[0]) ||
	    weft_responses_pending(&e->s->responses) ||
	    qsnet2_transport_dma_waits(e->s))
		u->carrier->ops->wake(u->carrier); /* poll again */
	return n;
}

static int qsnet2_transport_deliver(void *arg, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	struct qsnet2_transport *e = arg;

	return qsnet2_rx_deliver(e->s, src, pkt, payload);
}

/* Delivers all packets of a lost peer before the loss is reported. */
static void qsnet2_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct qsnet2_transport *e = arg;
	struct qsnet2_transport_peer *p;

	qsnet2_lost(e->s, peer);
	qsnet2_bulk_lost(e->s, peer);
	p = weft_table_get(&e->peer, peer->index);
	if (p) {
		qsnet2_transport_queues_close(e, p, 0, p->queues);
		*weft_table_slot(&e->peer, peer->index) = NULL;
		free(p);
	}
	do
		qsnet2_transport_drain(e);
	while (e->unit.copied);
	e->inbox.up->lost(e->inbox.up_arg, peer, err);
}

/*
 * Passes the carrier's poll request to the message engine or, if the engine
 * does not handle such requests, polls the unit.
 */
static void qsnet2_transport_interface(void *arg)
{
	struct qsnet2_transport *e = arg;

	if (e->inbox.up->interface)
		e->inbox.up->interface(e->inbox.up_arg);
	else
		qsnet2_transport_poll(&e->unit, QSNET2_TRANSPORT_SLOTS);
}

static const struct weft_carrier_up qsnet2_transport_up = {
	.deliver = qsnet2_transport_deliver,
	.lost = qsnet2_transport_lost,
	.interface = qsnet2_transport_interface,
};

/* ---- bulk ---- */

static int qsnet2_transport_move(struct weft_unit *u, struct weft_peer *peer,
				 struct weft_dma *d, bool get)
{
	struct qsnet2_transport *e = qsnet2_transport_of(u);
	struct qsnet2_transport_peer *p;

	if (peer->lost)
		return -ECONNRESET;
	p = qsnet2_transport_peer(e, peer);
	if (!p)
		return -ENOMEM;
	if (weft_unlikely(u->carrier->ops->backend->paths) && d->bytes &&
	    d->bytes <= QSNET2_TRANSPORT_SHORT)
		return qsnet2_bulk_short(u, peer, d, get);
	if (!u->carrier->ops->backend->transfers_later) {
		/*
		 * The copy keeps both processors busy, so that they send no
		 * acknowledgements: send the pending ones first, and allow more
		 * packets in flight.
		 */
		if (weft_responses_pending(&e->s->responses))
			weft_responses_flush(&e->s->responses, true);
		if (weft_unlikely(p->queues < QSNET2_TRANSPORT_BULK))
			(void)qsnet2_transport_queues(
				e, p,
				/* on failure, the open queues are used */
				QSNET2_TRANSPORT_BULK);
	}
	return qsnet2_bulk_move(e->s, u, peer, d, get);
}

static int qsnet2_transport_get(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	return qsnet2_transport_move(u, peer, d, true);
}

static int qsnet2_transport_put(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	return qsnet2_transport_move(u, peer, d, false);
}

static int qsnet2_transport_mem_open(struct weft_unit *u,
				     const struct iovec *mem, unsigned access)
{
	return qsnet2_bulk_mem_open(qsnet2_transport_of(u)->s, mem, access);
}

static void qsnet2_transport_mem_close(struct weft_unit *u, int reg)
{
	qsnet2_bulk_mem_close(qsnet2_transport_of(u)->s, reg);
}

static int qsnet2_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return peer->lost ? -ECONNRESET : qsnet2_bulk_amo(u, peer, a);
}

static int qsnet2_transport_amo_word(struct weft_unit *u,
				     struct weft_peer *peer,
				     struct weft_amo_word *w)
{
	return peer->lost
		       ? -ECONNRESET
		       : qsnet2_word_amo(qsnet2_transport_of(u)->s, u, peer, w);
}

/* ---- trees of chained events ---- */

/* Creates routes to this member's neighbours in the tree. */
static int qsnet2_transport_chain_routes(struct qsnet2_transport *e,
					 const struct weft_chain_attr *a)
{
	const struct weft_tree *t = a->tree;

	if (a->me != t->root &&
	    !qsnet2_transport_peer(e, a->member[t->parent[a->me]]))
		return -ENOMEM;
	for (int i = t->first[a->me]; i < t->first[a->me + 1]; i++) {
		if (!qsnet2_transport_peer(e, a->member[t->input[i]]))
			return -ENOMEM;
	}
	return 0;
}

static int qsnet2_transport_chain_open(struct weft_unit *u,
				       const struct weft_chain_attr *a,
				       struct weft_chain **c_p)
{
	struct qsnet2_transport *e = qsnet2_transport_of(u);
	int err = qsnet2_transport_chain_routes(e, a);

	return err ? err
		   : qsnet2_chain_open(e->s, QSNET2_TRANSPORT_CONTEXT, a,
				       &weft_qsnet2_chain, c_p);
}

/*
 * Broadcasts, after creating a route to the root, which need not be a neighbour
 * in the tree.
 */
static int qsnet2_transport_chain_broadcast(struct weft_chain *c, uint64_t seq,
					    size_t bytes)
{
	struct weft_peer *root = qsnet2_chain_root(c);

	if (root && root->lost)
		return -ECONNRESET;
	if (root && !qsnet2_transport_peer(qsnet2_chain_unit(c)->engine, root))
		return -ENOMEM;
	return qsnet2_chain_broadcast(c, seq, bytes);
}

static uint64_t qsnet2_transport_chain_started(const struct weft_unit *u)
{
	return qsnet2_transport_of((struct weft_unit *)(uintptr_t)u)
		->s->chained;
}

const struct weft_chain_ops weft_qsnet2_chain = {
	.open = qsnet2_transport_chain_open,
	.close = qsnet2_chain_close,
	.slot = qsnet2_chain_slot,
	.broadcast = qsnet2_transport_chain_broadcast,
	.received = qsnet2_chain_received,
	.arrive = qsnet2_chain_arrive,
	.passed = qsnet2_chain_passed,
	.run = qsnet2_chain_run,
	.started = qsnet2_transport_chain_started,
};

/* ---- open and close ---- */

static int qsnet2_transport_alloc(struct qsnet2_transport *e,
				  const struct weft_machine *m)
{
	e->slot_bytes =
		(sizeof(struct weft_pkt) + m->packet_bytes + 63) / 64 * 64;
	if (e->slot_bytes > WEFT_QSNET2_PACKET)
		return -EINVAL;
	e->slots = aligned_alloc(64, QSNET2_TRANSPORT_SLOTS * e->slot_bytes);
	e->bounce = aligned_alloc(64, QSNET2_DMAS * e->slot_bytes);
	return e->slots && e->bounce ? 0 : -ENOMEM;
}

static int qsnet2_transport_setup(struct qsnet2_transport *e, size_t offset)
{
	int err = weft_qsnet2_filter(e->s, QSNET2_TRANSPORT_CONTEXT,
				     WEFT_QSNET2_ACCEPT);

	if (err)
		return err;
	weft_qsnet2_input_init(&e->input, e->slots, (uint32_t)e->slot_bytes,
			       QSNET2_TRANSPORT_SLOTS, 0);
	e->s->input = &e->input;
	e->s->commit = qsnet2_transport_commit;
	e->s->refuse = qsnet2_transport_refuse;
	e->s->engine = e;
	e->s->assemblers = QSNET2_DMAS;
	err = weft_qsnet2_map(e->s, QSNET2_TRANSPORT_CONTEXT, e->bounce,
			      QSNET2_DMAS * e->slot_bytes,
			      WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_LARGE);
	return err ? err
		   : qsnet2_bulk_open(e->s, QSNET2_TRANSPORT_CONTEXT, offset);
}

static void qsnet2_transport_close(struct weft_unit *u)
{
	struct qsnet2_transport *e = qsnet2_transport_of(u);

	if (e->s)
		qsnet2_bulk_close(e->s);
	weft_qsnet2_close(e->s);
	weft_inbox_fini(&e->inbox);
	qsnet2_match_close(e->match);
	free(e->slots);
	free(e->bounce);
	for (uint32_t i = 0; i < e->peer.count; i++)
		free(e->peer.cell[i]);
	weft_table_fini(&e->peer);
	free(e);
}

static int qsnet2_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct qsnet2_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	size_t offset = 0;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_qsnet2;
	weft_inbox_init(&e->inbox, attr, m->packet_bytes);
	a.up = &qsnet2_transport_up;
	a.up_arg = e;
	if (!carrier->backend->transfers_later)
		offset = qsnet2_bulk_reserve(&a);
	err = qsnet2_transport_alloc(e, m);
	if (!err)
		err = qsnet2_create(carrier, &a, &e->s);
	if (!err)
		err = qsnet2_transport_setup(e, offset);
	if (!err && !carrier->backend->transfers_later && !attr->host_match)
		err = qsnet2_match_open(e->s, QSNET2_TRANSPORT_CONTEXT,
					&e->input, qsnet2_transport_thread, e,
					&e->match);
	if (err) {
		qsnet2_transport_close(&e->unit);
		return err;
	}
	e->unit.carrier = e->s->port.carrier;
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_qsnet2 = {
	.name = "sten",
	.packet_max = QSNET2_WIRE_MAX,
	.open = qsnet2_transport_open,
	.close = qsnet2_transport_close,
	.packet = qsnet2_transport_packet,
	.get = qsnet2_transport_get,
	.put = qsnet2_transport_put,
	.mem_open = qsnet2_transport_mem_open,
	.mem_close = qsnet2_transport_mem_close,
	.amo = qsnet2_transport_amo,
	.amo_word = qsnet2_transport_amo_word,
	.poll = qsnet2_transport_poll,
	.chain = &weft_qsnet2_chain,
};

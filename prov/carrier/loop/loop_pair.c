/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delivery exactly once and in order over an unreliable raw layer: packets are
 * numbered per pair, kept until acknowledged, retransmitted after a number of
 * polls, and stored in a reorder buffer at the receiver.
 */
#include "prov/carrier/loop/loop.h"
#include "src/base/iov.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_RTO_POLLS	 8
#define PAIR_RTO_MAX	 65536
#define PAIR_CHECK_POLLS 64 /* polls between checks for dead peers */

static struct loop_packet **pair_reorder_slot(struct loop_peer *p, uint32_t seq)
{
	return &p->reorder[seq % LOOP_WINDOW];
}

static struct loop_flight *pair_flight(struct loop_peer *p, uint32_t seq)
{
	return &p->flight[seq % LOOP_WINDOW];
}

static void pair_empty(struct loop_peer *p)
{
	struct weft_list *n;

	for (unsigned i = 0; i < LOOP_WINDOW; i++) {
		free(p->flight[i].packet);
		free(p->reorder[i]);
		p->flight[i].packet = NULL;
		p->reorder[i] = NULL;
	}
	while ((n = weft_list_pop_front(&p->raw)))
		free(weft_container_of(n, struct loop_packet, node));
	p->tx.acked = p->tx.next;
	weft_arq_win_init(&p->rx, p->rx.next);
}

void loop_peer_free(struct loop_peer *p)
{
	pair_empty(p);
	loop_share_put(p->share);
	free(p);
}

static int pair_new(struct loop *l, const union weft_name *name,
		    struct loop_peer **p_p)
{
	uint32_t room = l->peer_room ? l->peer_room * 2 : 16;
	struct loop_peer **more = l->peer;
	struct loop_peer *p = calloc(1, sizeof(*p));

	if (p && l->peer_count == l->peer_room) {
		more = realloc(l->peer, room * sizeof(*more));
		if (more) {
			l->peer = more;
			l->peer_room = room;
		}
	}
	if (!p || !more) {
		free(p);
		return -ENOMEM;
	}
	p->name = *name;
	p->base.name = &p->name;
	p->base.index = l->peer_count;
	weft_list_init(&p->raw);
	l->peer[l->peer_count++] = p;
	*p_p = p;
	return 0;
}

static struct loop_peer *pair_by_name(struct loop *l,
				      const union weft_name *name)
{
	for (uint32_t i = l->peer_count; i-- > 0;) {
		struct loop_peer *p = l->peer[i];

		if (p->name.in.sin_port == name->in.sin_port && !p->base.lost)
			return p;
	}
	return NULL;
}

int loop_peer_get(struct loop *l, const union weft_name *name,
		  struct loop_peer **p_p)
{
	struct loop_peer *p;

	if (!weft_name_is_ip(name) || !name->in.sin_port ||
	    !(weft_name_is_any(name) || weft_name_is_loopback(name)))
		return -EHOSTUNREACH;
	p = pair_by_name(l, name);
	if (!p)
		return pair_new(l, name, p_p);
	*p_p = p;
	return 0;
}

static void pair_lost(struct loop *l, struct loop_peer *p, int err)
{
	if (p->base.lost)
		return;
	pair_empty(p);
	p->base.lost = (uint32_t)err;
	l->up->lost(l->up_arg, &p->base, err);
}

/* Returns the record for the sender of a packet. */
static struct loop_peer *pair_of(struct loop *l, const struct loop_packet *g)
{
	struct loop_peer *p;

	for (uint32_t i = 0; i < l->peer_count; i++) {
		if (l->peer[i]->gen == g->from)
			return l->peer[i];
	}
	p = pair_by_name(l, &g->name);
	if (p && p->gen) {
		/* the name has a new owner */
		pair_lost(l, p, ECONNRESET);
		p = NULL;
	}
	if (!p && pair_new(l, &g->name, &p))
		return NULL;
	p->gen = g->from;
	return p;
}

/* Looks up the endpoint with p's name. */
int loop_pair_connect(struct loop *l, struct loop_peer *p)
{
	if (p->base.lost || l->dead)
		return -ECONNRESET;
	if (!p->gen)
		p->gen = loop_raw_find(&p->name);
	return p->gen ? 0 : -EAGAIN;
}

static struct loop_packet *pair_packet(struct loop *l, struct loop_peer *p,
				       const struct weft_pkt *pkt,
				       const struct iovec *iov, int count)
{
	struct loop_packet *g = loop_packet_new(l, LOOP_DATA, pkt->len);

	if (!g)
		return NULL;
	g->pkt = *pkt;
	g->seq = p->tx.next;
	weft_iov_gather(g->payload, iov, count);
	return g;
}

/* Sends a packet for the first time. */
static int pair_send_first(struct loop *l, struct loop_peer *p,
			   struct loop_packet *g)
{
	struct loop_flight *f = pair_flight(p, g->seq);
	struct loop_packet *copy = loop_packet_copy(g);
	int ret = copy ? loop_raw_send(l, p, copy, true) : -EAGAIN;

	if (ret) {
		free(g);
		return ret;
	}
	p->tx.next++;
	f->packet = g;
	weft_arq_timer_start(&f->timer, weft_load64(&l->now), PAIR_RTO_POLLS);
	return 0;
}

int loop_pair_send(struct loop *l, struct loop_peer *p,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int count)
{
	struct loop_packet *g;

	if (!l->faults.raw && weft_arq_in_flight(&p->tx) >= l->window)
		return -EAGAIN;
	g = pair_packet(l, p, pkt, iov, count);
	if (!g)
		return -EAGAIN;
	return l->faults.raw ? loop_raw_send(l, p, g, true)
			     : pair_send_first(l, p, g);
}

static void pair_acked(struct loop_peer *p, const struct loop_packet *g)
{
	uint32_t seq = p->tx.acked;

	if (!weft_arq_tx_ack(&p->tx, g->ack))
		return;
	for (; seq != p->tx.next; seq++) {
		if (!weft_arq_ack_has(g->ack, g->ack_bits, seq))
			continue;
		free(pair_flight(p, seq)->packet);
		pair_flight(p, seq)->packet = NULL;
	}
}

/* Handles one received packet and takes ownership of it. */
static void pair_arrive(struct loop *l, struct loop_peer *p,
			struct loop_packet *g)
{
	switch (g->kind) {
	case LOOP_DATA:
		if (l->faults.raw) {
			weft_list_push_back(&p->raw, &g->node);
			return;
		}
		p->ack_due = true;
		if (weft_arq_win_arrive(&p->rx, g->seq, LOOP_WINDOW) ==
		    WEFT_ARQ_NEW) {
			*pair_reorder_slot(p, g->seq) = g;
			return;
		}
		break;
	case LOOP_ACK:
		pair_acked(p, g);
		break;
	case LOOP_FIN:
		p->fin = true;
		p->fin_seq = g->seq;
		break;
	}
	free(g);
}

static int pair_deliver_one(struct loop *l, struct loop_peer *p,
			    struct loop_packet *g)
{
	int ret = l->up->deliver(l->up_arg, &p->base, &g->pkt, g->payload);

	if (!ret)
		l->stats.received++;
	return ret;
}

/* Delivers packets that are in order; returns their number. */
static int pair_deliver(struct loop *l, struct loop_peer *p, int budget)
{
	struct loop_packet *g;
	int n = 0;

	while (n < budget && !weft_list_empty(&p->raw)) {
		g = weft_container_of(p->raw.next, struct loop_packet, node);
		if (pair_deliver_one(l, p, g))
			return n;
		weft_list_remove(&g->node);
		free(g);
		n++;
	}
	while (n < budget && weft_arq_win_ready(&p->rx)) {
		g = *pair_reorder_slot(p, p->rx.next);
		if (pair_deliver_one(l, p, g))
			return n;
		*pair_reorder_slot(p, p->rx.next) = NULL;
		weft_arq_win_advance(&p->rx);
		p->ack_due = true;
		free(g);
		n++;
	}
	return n;
}

static void pair_ack(struct loop *l, struct loop_peer *p)
{
	struct loop_packet *g;

	if (!p->ack_due || p->base.lost)
		return;
	g = loop_packet_new(l, LOOP_ACK, 0);
	if (!g)
		return;
	g->ack = p->rx.next;
	g->ack_bits = weft_arq_win_word(&p->rx, 0);
	p->ack_due = false;
	loop_raw_send(l, p, g, true);
}

/* Retransmits packets that were not acknowledged in time. */
static void pair_retransmit(struct loop *l, struct loop_peer *p)
{
	uint64_t now = weft_load64(&l->now);

	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		struct loop_flight *f = pair_flight(p, seq);
		struct loop_packet *copy;

		if (!f->packet ||
		    !weft_arq_timer_expired(&f->timer, now, PAIR_RTO_MAX))
			continue;
		copy = loop_packet_copy(f->packet);
		if (copy && !loop_raw_send(l, p, copy, true))
			l->stats.resent++;
	}
}

/*
 * Checks whether p has ended; reports the end after all packets are delivered.
 */
static void pair_check_end(struct loop *l, struct loop_peer *p)
{
	if (p->base.lost || !p->gen)
		return;
	if (p->fin && weft_list_empty(&p->raw) &&
	    (l->faults.raw || p->rx.next == p->fin_seq))
		pair_lost(l, p, ESHUTDOWN);
	else if (!p->fin && weft_load64(&l->now) % PAIR_CHECK_POLLS == 0 &&
		 !loop_raw_is_alive(p->gen) && loop_raw_empty(l))
		pair_lost(l, p, ECONNRESET);
}

int loop_pair_poll(struct loop *l, int budget)
{
	struct loop_packet *g;
	struct loop_peer *p;
	int n = 0;

	for (int i = 0; i < budget && (g = loop_raw_receive(l)); i++) {
		p = pair_of(l, g);
		if (p && !p->base.lost)
			pair_arrive(l, p, g);
		else
			free(g);
	}
	for (uint32_t i = 0; i < l->peer_count; i++) {
		p = l->peer[i];
		n += pair_deliver(l, p, budget - n);
		pair_ack(l, p);
		if (l->faults.any)
			pair_retransmit(l, p);
		pair_check_end(l, p);
	}
	return n;
}

/* At close: retransmits everything without faults, then sends FIN. */
void loop_pair_finish(struct loop *l, struct loop_peer *p)
{
	struct loop_packet *g;

	if (p->base.lost || !p->gen)
		return;
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		g = pair_flight(p, seq)->packet;
		if (g && (g = loop_packet_copy(g)))
			loop_raw_send(l, p, g, false);
	}
	g = loop_packet_new(l, LOOP_FIN, 0);
	if (!g)
		return;
	g->seq = p->tx.next;
	loop_raw_send(l, p, g, false);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events by tick. The next NET_WHEEL ticks have a slot each, a list of chunks
 * of 63 events, and a bit that says whether it is empty; what lies further
 * away waits in a heap of four children and moves into the wheel when near.
 * A tick's events are taken together and sorted, so that neither the order in
 * which they were put in nor the way through the heap can matter.
 */
#include "prov/net/net_int.h"

#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>

enum { PILES_BITS = 12, PILES_MAX = 1 << PILES_BITS, SMALL = 12 };

static struct net_slot *slot_of(const struct net *net, uint64_t tick)
{
	return (struct net_slot *)net_at(net, net->off_slot) +
	       tick % NET_WHEEL;
}

static struct net_chunk *chunk_of(const struct net *net, uint32_t i)
{
	return (struct net_chunk *)net_at(net, net->off_chunk) + i;
}

static struct net_far *far_of(const struct net *net)
{
	return net_at(net, net->off_far);
}

void net_wheel_init(struct net *net)
{
	memset(net_at(net, net->off_slot), 0,
	       NET_WHEEL * sizeof(struct net_slot));
	memset(net->map, 0, sizeof(net->map));
	net->map_top[0] = net->map_top[1] = 0;
	net->free_chunk = 0;
	net->used_chunks = 1;
	net->far = 0;
}

/* The room is counted at net_open so that it cannot run out. */
static WEFT_COLD WEFT_NORETURN void full(const char *what)
{
	weft_log(WEFT_LOG_ERROR, "net: no room for another event in the %s",
		 what);
	abort();
}

uint32_t net_chunk_get(struct net *net)
{
	uint32_t c = net->free_chunk;

	if (net->pending > net->pending_max)
		net->pending_max = net->pending;
	if (c) {
		net->free_chunk = chunk_of(net, c)->next;
		return c;
	}
	if (net->used_chunks == net->chunks_max)
		full("wheel");
	return net->used_chunks++;
}

/* ---- far events ---------------------------------------------------------- */

static int far_before(const struct net_far *a, const struct net_far *b)
{
	return a->tick != b->tick ? a->tick < b->tick : a->word < b->word;
}

void net_wheel_far(struct net *net, uint64_t at, uint64_t word)
{
	struct net_far *h = far_of(net), e = { at, word };
	uint32_t i = net->far++;

	if (net->far > net->far_max)
		full("heap");
	while (i && far_before(&e, &h[(i - 1) / 4])) {
		h[i] = h[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	h[i] = e;
}

static struct net_far far_pop(struct net *net)
{
	struct net_far *h = far_of(net), top = h[0], e = h[--net->far];
	uint32_t i = 0, best, k;

	for (;;) {
		best = 4 * i + 1;
		if (best >= net->far)
			break;
		for (k = best + 1; k < 4 * i + 5 && k < net->far; k++)
			if (far_before(&h[k], &h[best]))
				best = k;
		if (!far_before(&h[best], &e))
			break;
		h[i] = h[best];
		i = best;
	}
	h[i] = e;
	return top;
}

/* Moves what has come near into the wheel. */
static void far_near(struct net *net)
{
	struct net_far e;

	while (net->far && far_of(net)[0].tick < net->tick + NET_WHEEL) {
		e = far_pop(net);
		net_slot_push(net, e.tick, e.word);
	}
}

/* ---- the next tick ------------------------------------------------------- */

/* Distance from bit to the next set bit of the wheel, going round, or -1. */
static int64_t map_next(const struct net *net, uint32_t bit)
{
	uint32_t w = bit / 64, t, i;
	uint64_t m = net->map[w] >> bit % 64;

	if (m)
		return __builtin_ctzll(m);
	for (i = 1; i <= NET_WHEEL / 64; i++) {
		t = (w + i) % (NET_WHEEL / 64);
		if (t % 64 == 0 && !net->map_top[t / 64]) {
			i += 63;
			continue;
		}
		m = net->map[t];
		if (m)
			return (t * 64 + __builtin_ctzll(m) - bit) &
			       (NET_WHEEL - 1);
	}
	return -1;
}

uint64_t net_wheel_next(const struct net *net)
{
	int64_t d = map_next(net, net->tick % NET_WHEEL);
	uint64_t near = d < 0 ? NET_NEVER : net->tick + (uint64_t)d;
	uint64_t far = net->far ? far_of(net)[0].tick : NET_NEVER;

	return near < far ? near : far;
}

/* ---- taking a tick ------------------------------------------------------- */

static void sort_small(uint64_t *w, uint32_t n)
{
	uint32_t i, k;
	uint64_t e;

	for (i = 1; i < n; i++) {
		e = w[i];
		for (k = i; k && w[k - 1] > e; k--)
			w[k] = w[k - 1];
		w[k] = e;
	}
}

/*
 * Many events: dealt into about as many piles as there are events by the upper
 * bits of their node, which leaves little for the insertion sort to do.
 */
static void sort_large(const struct net *net, const uint64_t *from,
		       uint64_t *to, uint32_t n)
{
	uint32_t count[PILES_MAX], i, sum = 0, c;
	unsigned bits = 33 - (unsigned)__builtin_clz(n);
	unsigned of_nodes = 32 - (unsigned)__builtin_clz(net->nodes);
	unsigned shift;

	if (bits > PILES_BITS)
		bits = PILES_BITS;
	if (bits > of_nodes)
		bits = of_nodes;
	shift = NET_NODE_SHIFT + of_nodes - bits;
	memset(count, 0, sizeof(count[0]) << bits);
	for (i = 0; i < n; i++)
		count[from[i] >> shift]++;
	for (i = 0; i < 1u << bits; i++) {
		c = count[i];
		count[i] = sum;
		sum += c;
	}
	for (i = 0; i < n; i++)
		to[count[from[i] >> shift]++] = from[i];
	sort_small(to, n);
}

/* Empties the slot; calls up go to the end of the second array. */
static uint32_t slot_empty(struct net *net, uint64_t *w, uint64_t *ups,
			   uint32_t *ups_p)
{
	struct net_slot *s = slot_of(net, net->tick);
	uint32_t bit = net->tick % NET_WHEEL, c, next, i, used, n = 0, u = 0;
	const struct net_chunk *ch;

	for (c = s->first; c; c = next) {
		ch = chunk_of(net, c);
		used = c == s->last ? s->used : NET_CHUNK_EVENTS;
		next = c == s->last ? 0 : ch->next;
		for (i = 0; i < used; i++)
			if (net_word_kind(ch->event[i]) >= NET_EV_UP)
				ups[u++] = ch->event[i];
			else
				w[n++] = ch->event[i];
		chunk_of(net, c)->next = net->free_chunk;
		net->free_chunk = c;
	}
	s->first = s->last = 0;
	net->map[bit / 64] &= ~(1ull << bit % 64);
	if (!net->map[bit / 64])
		net->map_top[bit / 4096] &= ~(1ull << bit / 64 % 64);
	*ups_p = u;
	return n;
}

/* A call up with its exact time and what decides between equal ones. */
static void call_fill(const struct net *net, uint64_t word,
		      struct net_call *c)
{
	uint32_t i = net_word_payload(word);
	const struct net_packet *p = net_packet(net, i);
	const struct net_mrec *m = net_mrec(net, i);

	c->word = word;
	c->key = 0;
	c->at = net->tick * net->cfg.tick_ps;
	switch (net_word_kind(word)) {
	case NET_EV_RESULT:
		c->key = (uint64_t)p->msg << 40 ^ p->seq;
		c->at += p->frac;
		return;
	case NET_EV_DELIVER:
		c->at += p->frac;
		return;
	case NET_EV_TIMER:
		c->key = m->cookie;
		c->at += m->frac;
		return;
	default:
		c->at += m->frac;
	}
}

static int call_order(const void *a, const void *b)
{
	const struct net_call *x = a, *y = b;

	uint64_t xw = x->word & ~(uint64_t)NET_PAYLOAD_MASK;
	uint64_t yw = y->word & ~(uint64_t)NET_PAYLOAD_MASK;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (xw != yw)
		return xw < yw ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void sort_calls(struct net_call *c, uint32_t n)
{
	struct net_call e;
	uint32_t i, k;

	if (n > SMALL) {
		qsort(c, n, sizeof(*c), call_order);
		return;
	}
	for (i = 1; i < n; i++) {
		e = c[i];
		for (k = i; k && call_order(&c[k - 1], &e) > 0; k--)
			c[k] = c[k - 1];
		c[k] = e;
	}
}

uint32_t net_wheel_take(struct net *net, uint64_t **word_p,
			struct net_call **call_p, uint32_t *calls_p)
{
	uint64_t *w = net_at(net, net->off_sort[0]);
	uint64_t *other = net_at(net, net->off_sort[1]);
	struct net_call *call = net_at(net, net->off_call);
	uint32_t n, u, i;

	far_near(net);
	n = slot_empty(net, w, other, &u);
	for (i = 0; i < u; i++)
		call_fill(net, other[i], &call[i]);
	sort_calls(call, u);
	if (n > SMALL) {
		sort_large(net, w, other, n);
		w = other;
	} else {
		sort_small(w, n);
	}
	net->pending -= n + u;
	*word_p = w;
	*call_p = call;
	*calls_p = u;
	return n;
}

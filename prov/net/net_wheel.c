/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events by tick. The next NET_WHEEL ticks have a slot each, a list of chunks
 * of 63 events, and a bit that says whether it is empty; what lies further
 * away waits in a heap of four children and moves into the wheel when near.
 * A tick's events are taken together, and sorted unless they commute, so that
 * neither the order in which they were put in nor the way through the heap can
 * matter.
 */
#include "prov/net/net_int.h"

#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_SORTED = NET_EV_SORTED, GROUP_UP, GROUPS };

/* By kind: its group in a tick. */
static const uint8_t groups[16] = {
	[NET_EV_ARRIVE] = NET_EV_ARRIVE, [NET_EV_TAIL] = NET_EV_TAIL,
	[NET_EV_TOKEN] = NET_EV_TOKEN,	 [NET_EV_COLL] = GROUP_SORTED,
	[NET_EV_CREDIT] = GROUP_SORTED,	 [NET_EV_WAKE] = GROUP_SORTED,
	[NET_EV_BUILT] = GROUP_SORTED,	 [NET_EV_PART] = GROUP_SORTED,
	[NET_EV_CBUILT] = GROUP_SORTED,	 [NET_EV_READY] = GROUP_SORTED,
	[NET_EV_DELIVER] = GROUP_UP,	 [NET_EV_RESULT] = GROUP_UP,
	[NET_EV_SENT] = GROUP_UP,	 [NET_EV_TIMER] = GROUP_UP,
};

/*
 * Where a tick touches more than the cache holds, all events are sorted: a
 * node is better looked at once than once for each kind.
 */
static const uint8_t groups_large[16] = {
	[NET_EV_ARRIVE] = GROUP_SORTED,	 [NET_EV_TAIL] = GROUP_SORTED,
	[NET_EV_TOKEN] = GROUP_SORTED,	 [NET_EV_COLL] = GROUP_SORTED,
	[NET_EV_CREDIT] = GROUP_SORTED,	 [NET_EV_WAKE] = GROUP_SORTED,
	[NET_EV_BUILT] = GROUP_SORTED,	 [NET_EV_PART] = GROUP_SORTED,
	[NET_EV_CBUILT] = GROUP_SORTED,	 [NET_EV_READY] = GROUP_SORTED,
	[NET_EV_DELIVER] = GROUP_UP,	 [NET_EV_RESULT] = GROUP_UP,
	[NET_EV_SENT] = GROUP_UP,	 [NET_EV_TIMER] = GROUP_UP,
};

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
	unsigned bits = 32 - (unsigned)__builtin_clz(n);
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

/* Gives the slot's chunks back. */
static void slot_clear(struct net *net, struct net_slot *s)
{
	uint32_t bit = net->tick % NET_WHEEL;

	chunk_of(net, s->last)->next = net->free_chunk;
	net->free_chunk = s->first;
	s->first = s->last = 0;
	net->map[bit / 64] &= ~(1ull << bit % 64);
	if (!net->map[bit / 64])
		net->map_top[bit / 4096] &= ~(1ull << bit / 64 % 64);
}

/*
 * Deals the slot's events by group into to, counting first; end[g] is where
 * group g ends. Groups: each kind that commutes, the sorted ones, calls up.
 */
static void slot_deal(struct net *net, uint64_t *to, uint32_t end[GROUPS])
{
	const uint8_t *group_of = net->large ? groups_large : groups;
	struct net_slot *s = slot_of(net, net->tick);
	uint32_t at[GROUPS] = { 0 }, c, i, g, used;
	const struct net_chunk *ch;

	for (c = s->first; c; c = c == s->last ? 0 : ch->next) {
		ch = chunk_of(net, c);
		used = c == s->last ? s->used : NET_CHUNK_EVENTS;
		for (i = 0; i < used; i++)
			at[group_of[net_word_kind(ch->event[i])]]++;
	}
	for (g = 0, c = 0; g < GROUPS; g++) {
		i = at[g];
		at[g] = c;
		c += i;
	}
	for (c = s->first; c; c = c == s->last ? 0 : ch->next) {
		ch = chunk_of(net, c);
		used = c == s->last ? s->used : NET_CHUNK_EVENTS;
		for (i = 0; i < used; i++) {
			g = group_of[net_word_kind(ch->event[i])];
			to[at[g]++] = ch->event[i];
		}
	}
	memcpy(end, at, sizeof(at));
	if (s->first)
		slot_clear(net, s);
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
	switch (net_word_kind(word)) {
	case NET_EV_RESULT:
		c->key = (uint64_t)p->msg << 40 ^ p->seq;
		c->at = net->tick * net->cfg.tick_ps + p->frac;
		return;
	case NET_EV_DELIVER:
		net_touch(net_mrec(net, p->msg));
		c->at = net->tick * net->cfg.tick_ps + p->frac;
		return;
	case NET_EV_TIMER:
		c->key = m->cookie;
		c->at = m->ready_ps;
		return;
	default:
		c->at = m->ready_ps;
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

/* Records of calls up, loaded together. */
static void touch_calls(const struct net *net, const uint64_t *w, uint32_t n)
{
	uint32_t i, payload;

	for (i = 0; i < n; i++) {
		payload = net_word_payload(w[i]);
		if (net_word_kind(w[i]) <= NET_EV_RESULT)
			net_touch(net_packet(net, payload));
		else
			net_touch(net_mrec(net, payload));
	}
}

void net_wheel_take(struct net *net, struct net_batch *b)
{
	uint64_t *w = net_at(net, net->off_sort[0]);
	uint64_t *other = net_at(net, net->off_sort[1]);
	struct net_call *call = net_at(net, net->off_call);
	uint32_t end[GROUPS], i;

	far_near(net);
	slot_deal(net, w, end);
	net->pending -= end[GROUP_UP];
	b->word = w;
	memcpy(b->end, end, sizeof(b->end));
	b->count = end[GROUP_SORTED] - end[GROUP_SORTED - 1];
	b->sorted = w + end[GROUP_SORTED - 1];
	if (b->count > SMALL) {
		sort_large(net, b->sorted, other, b->count);
		b->sorted = other;
	} else {
		sort_small(w + end[GROUP_SORTED - 1], b->count);
	}
	b->calls = end[GROUP_UP] - end[GROUP_SORTED];
	touch_calls(net, w + end[GROUP_SORTED], b->calls);
	for (i = 0; i < b->calls; i++)
		call_fill(net, w[end[GROUP_SORTED] + i], &call[i]);
	sort_calls(call, b->calls);
	b->call = call;
}

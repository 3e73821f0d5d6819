/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event queue. Each of the next NET_WHEEL ticks has one slot per lane (the
 * tail of a list of event chunks), and one bit that shows whether the tick has
 * events. Later events wait in a 4-ary heap and move to the wheel when their
 * tick is in its range. A region has one lane for each kind of event that
 * commutes, and one sorted lane for all other events; callbacks of all regions
 * share one more sorted lane. Sorting makes the result independent of the
 * order in which events were inserted.
 *
 *   slot: index in the block of the next free word in the last chunk; a
 *   multiple of NET_CHUNK: that chunk is full; 0: the slot is empty
 *   chunk: the slot's value when the previous chunk was full, then events
 */
#include "prov/net/net_layout.h"
#include "prov/net/net_prefetch.h"
#include "prov/net/net_wheel.h"

#include <string.h>

static struct net_heap_event *heap_of(const struct net *net)
{
	return net_at(net, net->off_heap);
}

void net_wheel_init(struct net *net)
{
	memset(net->map, 0, sizeof(net->map));
	net->map_top[0] = net->map_top[1] = 0;
	net->free_chunk = 0;
	net->fresh_chunk = net->first_chunk;
	net->overflow_count = 0;
}

/*
 * Reports that a pool is exhausted. This cannot happen, because net_open
 * reserves enough records.
 */
static WEFT_COLD WEFT_NORETURN void overflow_fail(const char *what)
{
	weft_guard_fail(what);
}

/* ---- event chunks -------------------------------------------------------- */

/* Returns a free chunk, numbered from the start of the block. */
static uint32_t chunk_get(struct net *net)
{
	uint32_t c = net->free_chunk;

	if (c) {
		WEFT_GUARD_ASSERT(c > net->first_chunk &&
				  c <= net->fresh_chunk);
		net->free_chunk = (uint32_t)*net_event(net, c * NET_CHUNK);
		return c;
	}
	if (net->fresh_chunk == net->first_chunk + net->chunks_max)
		overflow_fail("net: event wheel is full");
	return ++net->fresh_chunk;
}

void net_chunk_put(struct net *net, uint32_t i)
{
	uint32_t c = (i - 1) / NET_CHUNK;

	WEFT_GUARD_ASSERT(c > net->first_chunk && c <= net->fresh_chunk);
	*net_event(net, c * NET_CHUNK) = net->free_chunk;
	net->free_chunk = c;
}

uint32_t net_lane_grow(struct net *net, uint64_t at, uint32_t used)
{
	uint32_t c = chunk_get(net), bit = at % NET_WHEEL;

	WEFT_GUARD_ASSERT(at - net->tick < NET_WHEEL);
	*net_event(net, c * NET_CHUNK) = used;
	net->map[bit / 64] |= 1ull << bit % 64;
	net->map_top[bit / 4096] |= 1ull << bit / 64 % 64;
	return c * NET_CHUNK + 1;
}

uint64_t net_wheel_pending(const struct net *net)
{
	uint64_t sum = net->overflow_count;
	const uint32_t *slot = net_lane_slot(net, 0, 0);
	uint32_t k, i, n;
	const uint64_t *w;

	for (k = 0; k < NET_WHEEL * net->lanes; k++)
		for (i = slot[k]; i; sum += n)
			i = net_chunk(net, i, &w, &n);
	return sum;
}

/* ---- overflow heap: events beyond the wheel ------------------------------ */

static int heap_before(const struct net_heap_event *a,
		       const struct net_heap_event *b)
{
	return a->tick != b->tick ? a->tick < b->tick : a->word < b->word;
}

void net_wheel_heap_put(struct net *net, uint64_t at, uint64_t word)
{
	struct net_heap_event *h = heap_of(net), e = { at, word };
	uint32_t i = net->overflow_count++;

	net_walk_check(at >= net->tick);
	if (net->overflow_count > net->heap_max)
		overflow_fail("net: event heap is full");
	while (i && heap_before(&e, &h[(i - 1) / 4])) {
		h[i] = h[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	h[i] = e;
}

static struct net_heap_event heap_pop(struct net *net)
{
	struct net_heap_event *h = heap_of(net), top = h[0],
			      e = h[--net->overflow_count];
	uint32_t i = 0, best, k;

	for (;;) {
		best = 4 * i + 1;
		if (best >= net->overflow_count)
			break;
		for (k = best + 1; k < 4 * i + 5 && k < net->overflow_count;
		     k++)
			if (heap_before(&h[k], &h[best]))
				best = k;
		if (!heap_before(&h[best], &e))
			break;
		h[i] = h[best];
		i = best;
	}
	h[i] = e;
	return top;
}

/* ---- search for the next tick -------------------------------------------- */

/* Returns the distance to the next tick with events (wraps around), or -1. */
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
	uint64_t in_wheel = d < 0 ? NET_NEVER : net->tick + (uint64_t)d;
	uint64_t in_heap =
		net->overflow_count ? heap_of(net)[0].tick : NET_NEVER;

	return in_wheel < in_heap ? in_wheel : in_heap;
}

/* ---- removing a tick's events -------------------------------------------- */

/*
 * Returns the first gap of Shell sort: 1, 4, 13, 40, ..., below a third of n.
 */
static uint32_t sort_gap(uint32_t n)
{
	uint32_t gap = 1;

	while (gap < n / 3)
		gap = 3 * gap + 1;
	return gap;
}

static void sort_words(uint64_t *w, uint32_t n)
{
	uint32_t gap, i, k;
	uint64_t e;

	for (gap = sort_gap(n); gap; gap /= 3)
		for (i = gap; i < n; i++) {
			e = w[i];
			for (k = i; k >= gap && w[k - gap] > e; k -= gap)
				w[k] = w[k - gap];
			w[k] = e;
		}
}

/* Moves the events of a lane to the array `to`. Returns their number. */
static uint32_t lane_take(struct net *net, uint64_t tick, uint32_t lane,
			  uint64_t *to)
{
	uint32_t *slot = net_lane_slot(net, tick, lane), i, before, n, sum = 0;
	const uint64_t *w;

	for (i = *slot, *slot = 0; i; i = before) {
		before = net_chunk(net, i, &w, &n);
		if (sum + n > net->events_max)
			overflow_fail("net: event sort buffer is full");
		memcpy(to + sum, w, n * sizeof(*w));
		net_chunk_put(net, i);
		sum += n;
	}
	return sum;
}

uint32_t net_lane_sorted(struct net *net, uint64_t tick, uint32_t lane,
			 const uint64_t **word_p)
{
	uint64_t *w = net_at(net, net->off_sort);
	uint32_t n = lane_take(net, tick, lane, w);

	sort_words(w, n);
	*word_p = w;
	return n;
}

void net_wheel_begin(struct net *net)
{
	uint32_t bit = net->tick % NET_WHEEL;
	struct net_heap_event e;

	/* move events that are now in the range of the wheel */
	while (net->overflow_count &&
	       heap_of(net)[0].tick < net->tick + NET_WHEEL) {
		e = heap_pop(net);
		net_slot_put(net, e.tick, net_word_kind(e.word), e.word);
	}
	net->map[bit / 64] &= ~(1ull << bit % 64);
	if (!net->map[bit / 64])
		net->map_top[bit / 4096] &= ~(1ull << bit / 64 % 64);
}

/* ---- order of callbacks -------------------------------------------------- */

/* Sets a callback's exact time, and the key for equal times. */
static void call_fill(const struct net *net, uint64_t tick, uint64_t word,
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
		c->time_ps = tick * net->cfg.tick_ps + p->frac;
		return;
	case NET_EV_DELIVER:
		c->time_ps = tick * net->cfg.tick_ps + p->frac;
		return;
	case NET_EV_TIMER:
		c->key = m->cookie;
		c->time_ps = m->ready_ps;
		return;
	default:
		c->time_ps = m->ready_ps;
	}
}

static inline bool call_after(const struct net_call *x,
			      const struct net_call *y)
{
	uint64_t xw = x->word & ~(uint64_t)NET_PAYLOAD_MASK;
	uint64_t yw = y->word & ~(uint64_t)NET_PAYLOAD_MASK;

	if (x->time_ps != y->time_ps)
		return x->time_ps > y->time_ps;
	return xw != yw ? xw > yw : x->key > y->key;
}

static void sort_calls(struct net_call *c, uint32_t n)
{
	struct net_call e;
	uint32_t gap, i, k;

	for (gap = sort_gap(n); gap; gap /= 3)
		for (i = gap; i < n; i++) {
			e = c[i];
			for (k = i; k >= gap && call_after(&c[k - gap], &e);
			     k -= gap)
				c[k] = c[k - gap];
			c[k] = e;
		}
}

uint32_t net_lane_calls(struct net *net, uint64_t tick,
			const struct net_call **call_p)
{
	uint32_t *slot = net_lane_slot(net, tick, net->lanes - 1);
	struct net_call *call = net_at(net, net->off_sort);
	uint32_t i, k, before, n, sum = 0;
	const uint64_t *w;

	for (i = *slot, *slot = 0; i; i = before) {
		before = net_chunk(net, i, &w, &n);
		net_walk_check(sum + n <= net->packets_max + net->msgs_max);
		if (net->large)
			net_prefetch_calls(net, w, n);
		for (k = 0; k < n; k++)
			call_fill(net, tick, w[k], &call[sum++]);
		net_chunk_put(net, i);
	}
	sort_calls(call, sum);
	*call_p = call;
	return sum;
}

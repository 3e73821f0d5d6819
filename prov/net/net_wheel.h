/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event queue: a timing wheel with one chunked list per tick and lane, and a
 * heap for events beyond the wheel.
 */
#ifndef WEFT_NET_WHEEL_H
#define WEFT_NET_WHEEL_H

#include "prov/net/net_layout.h"

enum net_lane {
	/* lanes below this one hold one kind of event each */
	NET_LANE_SORTED = NET_EV_SORTED,
	NET_LANES, /* lanes per region */
};
void net_wheel_init(struct net *net);
void net_wheel_heap_put(struct net *net, uint64_t at, uint64_t word);
/*
 * Adds a chunk to a lane that is empty or whose last chunk is full. Returns the
 * index of the chunk's first event.
 */
uint32_t net_lane_grow(struct net *net, uint64_t at, uint32_t used);

/* Returns the lane of an event. All callbacks share the last lane. */
static inline uint32_t net_lane(const struct net *net, enum net_ev kind,
				uint64_t word)
{
	uint32_t first =
		(uint32_t)(word >> NET_NODE_SHIFT >> NET_REGION_SHIFT) *
		NET_LANES;

	if (kind < NET_EV_SORTED)
		return first + kind;
	return kind < NET_EV_UP ? first + NET_LANE_SORTED : net->lanes - 1;
}
static inline uint32_t *net_lane_slot(const struct net *net, uint64_t at,
				      uint32_t lane)
{
	return (uint32_t *)net_at(net, net->off_slot) + lane * NET_WHEEL +
	       at % NET_WHEEL;
}
static inline uint64_t *net_event(const struct net *net, uint32_t i)
{
	return (uint64_t *)(uintptr_t)net + i;
}
/* Appends an event to a tick in the range of the wheel. */
static inline void net_slot_put(struct net *net, uint64_t at, enum net_ev kind,
				uint64_t word)
{
	uint32_t *slot = net_lane_slot(net, at, net_lane(net, kind, word));
	uint32_t i = *slot;

	if (weft_unlikely(i % NET_CHUNK == 0))
		i = net_lane_grow(net, at, i);
	*net_event(net, i) = word;
	*slot = i + 1;
}
/* Schedules an event for tick `at`, which must not have been processed yet. */
static inline void net_wheel_put(struct net *net, uint64_t at, enum net_ev kind,
				 uint64_t word)
{
	if (weft_likely(at - net->tick < NET_WHEEL - 1))
		net_slot_put(net, at, kind, word);
	else
		net_wheel_heap_put(net, at, word);
}
/* Schedules an event `ticks` (at least one) after the current tick. */
static inline void net_wheel_after(struct net_step *s, uint32_t ticks,
				   enum net_ev kind, uint64_t word)
{
	if (weft_likely(ticks < NET_WHEEL))
		net_slot_put(s->net, s->now + ticks, kind, word);
	else
		net_wheel_heap_put(s->net, s->now + ticks, word);
}
static inline void net_wheel_push(struct net *net, uint64_t at, uint64_t word)
{
	net_wheel_put(net, at, net_word_kind(word), word);
}
/* Returns the number of pending events; scans all slots. */
uint64_t net_wheel_pending(const struct net *net);
/* Returns the first tick that has events, or NET_NEVER. */
uint64_t net_wheel_next(const struct net *net);
/* Starts tick net->tick: moves events from the heap to the wheel. */
void net_wheel_begin(struct net *net);
/*
 * Returns one chunk of a lane of the current tick: its events and their number.
 * i: the slot's value for the first chunk, then the return value of the
 * previous call; 0: no more chunks.
 */
static inline uint32_t net_chunk(const struct net *net, uint32_t i,
				 const uint64_t **word_p, uint32_t *count_p)
{
	const uint64_t *c = net_event(net, (i - 1) / NET_CHUNK * NET_CHUNK);

	*word_p = c + 1;
	*count_p = (i - 1) % NET_CHUNK;
	return (uint32_t)*c;
}
void net_chunk_put(struct net *net, uint32_t i);
/* Removes the events of a lane and returns them sorted as numbers. */
uint32_t net_lane_sorted(struct net *net, uint64_t tick, uint32_t lane,
			 const uint64_t **word_p);
/* Removes the callbacks and returns them sorted by time. */
uint32_t net_lane_calls(struct net *net, uint64_t tick,
			const struct net_call **call_p);

#endif

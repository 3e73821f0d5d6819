/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single-producer single-consumer ring of fixed-size elements, for private
 * and for shared memory: it holds no pointer, the elements follow the header.
 *
 *   +-----------+-----------+-----------+----------------------------+
 *   | size,mask | tail      | head      | element 0 .. element n-1   |
 *   | (const)   | producer  | consumer  |                            |
 *   +-----------+-----------+-----------+----------------------------+
 *   0           64          128         192
 *
 * Indices run free in 64 bits: the slot of index i is i & mask, the number of
 * elements is tail - head (modulo 2^64), full is tail - head == n. Nothing
 * wraps in practice, and nothing breaks if it did.
 */
#ifndef WEFT_BASE_RING_H
#define WEFT_BASE_RING_H

#include "src/base/atomic.h"
#include "src/base/attr.h"

#include <stdalign.h>
#include <string.h>

struct weft_ring {
	/* line 0: written once by weft_ring_init */
	uint32_t elem_bytes;
	uint32_t mask;
	/* line 1: written by the producer only */
	alignas(64) weft_au64 tail;
	uint64_t head_seen; /* the producer's last look at head */
	/* line 2: written by the consumer only */
	alignas(64) weft_au64 head;
};

static_assert(sizeof(struct weft_ring) == 192 &&
		      offsetof(struct weft_ring, tail) == 64 &&
		      offsetof(struct weft_ring, head) == 128,
	      "shared format");

/* Bytes that a ring of n elements (a power of two) takes. */
static inline size_t weft_ring_bytes(uint32_t n, uint32_t elem_bytes)
{
	return sizeof(struct weft_ring) + (size_t)n * elem_bytes;
}

static inline void weft_ring_init(struct weft_ring *r, uint32_t n,
				  uint32_t elem_bytes)
{
	assert(n && (n & (n - 1)) == 0);
	memset(r, 0, sizeof(*r));
	r->elem_bytes = elem_bytes;
	r->mask = n - 1;
}

static inline void *weft_ring_slot(struct weft_ring *r, uint64_t i)
{
	return (char *)(r + 1) + (size_t)(i & r->mask) * r->elem_bytes;
}

/* Copies one element in; false when full. */
static inline bool weft_ring_push(struct weft_ring *r, const void *elem)
{
	/* relaxed: only this side writes tail */
	uint64_t t = weft_load64_relaxed(&r->tail);

	if (t - r->head_seen > r->mask) {
		/* A1 pairs with R1 in pop: the slot was read before reuse. */
		r->head_seen = weft_load64(&r->head);
		if (t - r->head_seen > r->mask)
			return false;
	}
	memcpy(weft_ring_slot(r, t), elem, r->elem_bytes);
	/* R0 pairs with A0 in pop: the slot is written before it is counted. */
	weft_store64(&r->tail, t + 1);
	return true;
}

/* Copies one element out; false when empty. */
static inline bool weft_ring_pop(struct weft_ring *r, void *elem)
{
	/* relaxed: only this side writes head */
	uint64_t h = weft_load64_relaxed(&r->head);

	/* A0 pairs with R0 in push. */
	if (weft_load64(&r->tail) == h)
		return false;
	memcpy(elem, weft_ring_slot(r, h), r->elem_bytes);
	/* R1 pairs with A1 in push. */
	weft_store64(&r->head, h + 1);
	return true;
}

#endif

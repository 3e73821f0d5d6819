/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory orderings between host and device, by name. The host is the program
 * that posts work, the device is the emulated engine that executes it; they
 * may be two threads, or a thread and another process. Units use these
 * functions instead of atomics.
 *
 *  host writes descriptor      device fills buffer
 *  nic_doorbell_ring  (D0)     nic_event_post   (E0)
 *          |                           |
 *  nic_doorbell_read  (D1)     nic_event_read   (E1)
 *  device reads descriptor     host reads buffer
 *  nic_space_return   (S0)     nic_space_return (S0)
 *          |                           |
 *  nic_space_read     (S1)     nic_space_read   (S1)
 *  host reuses the slot        device reuses the slot
 */
#ifndef WEFT_MACHINE_ORDER_H
#define WEFT_MACHINE_ORDER_H

#include "src/base/atomic.h"

/* D0 pairs with D1: the descriptor is written before the tail includes it. */
static inline void nic_doorbell_ring(weft_au64 *tail, uint64_t v)
{
	weft_store64(tail, v);
}

/* D1 pairs with D0. */
static inline uint64_t nic_doorbell_read(const weft_au64 *tail)
{
	return weft_load64(tail);
}

/* E0 pairs with E1: the data is written before the event reports it. */
static inline void nic_event_post(weft_au64 *word, uint64_t v)
{
	weft_store64(word, v);
}

/* E0, for counters: subtracts and returns the new value. */
static inline uint64_t nic_event_sub(weft_au64 *word, uint64_t v)
{
	return weft_add64(word, 0 - v) - v;
}

/* E0, for flag words: sets bits. */
static inline void nic_event_set(weft_au64 *word, uint64_t bits)
{
	atomic_fetch_or_explicit(word, bits, memory_order_acq_rel);
}

static inline void nic_event_clear(weft_au64 *word, uint64_t bits)
{
	atomic_fetch_and_explicit(word, ~bits, memory_order_acq_rel);
}

/* E1 pairs with E0. */
static inline uint64_t nic_event_read(const weft_au64 *word)
{
	return weft_load64(word);
}

/* S0 pairs with S1: the slot has been read before it is returned. */
static inline void nic_space_return(weft_au64 *head, uint64_t v)
{
	weft_store64(head, v);
}

/* S1 pairs with S0. */
static inline uint64_t nic_space_read(const weft_au64 *head)
{
	return weft_load64(head);
}

/* Reads a word that only the calling thread writes. */
static inline uint64_t nic_read_own(const weft_au64 *word)
{
	/* relaxed: no other thread writes the word */
	return weft_load64_relaxed(word);
}

#endif

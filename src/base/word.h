/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of 1, 2, 4 or 8 bytes, handled as the low bytes of a uint64_t; all
 * supported processors are little-endian. weft_word_get and weft_word_put copy
 * a word at any alignment; the other functions are atomic and need an address
 * that is a multiple of the size.
 */
#ifndef WEFT_BASE_WORD_H
#define WEFT_BASE_WORD_H

#include "src/base/atomic.h"

#include <stddef.h>
#include <string.h>

typedef _Atomic uint16_t weft_au16;
typedef _Atomic uint8_t weft_au8;

static inline uint64_t weft_word_get(const void *from, size_t bytes)
{
	uint64_t v = 0;

	if (bytes == 8)
		memcpy(&v, from, 8);
	else if (bytes == 4)
		memcpy(&v, from, 4);
	else
		memcpy(&v, from, bytes);
	return v;
}

static inline void weft_word_put(void *to, uint64_t v, size_t bytes)
{
	if (bytes == 8)
		memcpy(to, &v, 8);
	else if (bytes == 4)
		memcpy(to, &v, 4);
	else
		memcpy(to, &v, bytes);
}

static inline uint64_t weft_word_load(const void *at, size_t bytes)
{
	switch (bytes) {
	case 8:
		return weft_load64(at);
	case 4:
		return weft_load32(at);
	case 2:
		return atomic_load_explicit((const weft_au16 *)at,
					    memory_order_acquire);
	default:
		return atomic_load_explicit((const weft_au8 *)at,
					    memory_order_acquire);
	}
}

static inline void weft_word_store_relaxed(void *at, uint64_t v, size_t bytes)
{
	switch (bytes) {
	case 8:
		weft_store64_relaxed(at, v);
		break;
	case 4:
		weft_store32_relaxed(at, (uint32_t)v);
		break;
	case 2:
		atomic_store_explicit((weft_au16 *)at, (uint16_t)v,
				      memory_order_relaxed);
		break;
	default:
		atomic_store_explicit((weft_au8 *)at, (uint8_t)v,
				      memory_order_relaxed);
	}
}

/*
 * Compare-and-swap: stores `want` and returns true if the word equals
 * *expect_p; otherwise stores the current value in *expect_p and returns false.
 */
static inline bool weft_word_cas(void *at, size_t bytes, uint64_t *expect_p,
				 uint64_t want)
{
	uint32_t e32 = (uint32_t)*expect_p;
	uint16_t e16 = (uint16_t)*expect_p;
	uint8_t e8 = (uint8_t)*expect_p;
	bool done;

	if (bytes == 8)
		return weft_cas64(at, expect_p, want);
	if (bytes == 4) {
		done = weft_cas32(at, &e32, (uint32_t)want);
		*expect_p = e32;
	} else if (bytes == 2) {
		done = atomic_compare_exchange_strong_explicit(
			(weft_au16 *)at, &e16, (uint16_t)want,
			memory_order_acq_rel, memory_order_acquire);
		*expect_p = e16;
	} else {
		done = atomic_compare_exchange_strong_explicit(
			(weft_au8 *)at, &e8, (uint8_t)want,
			memory_order_acq_rel, memory_order_acquire);
		*expect_p = e8;
	}
	return done;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal header of the explorer: explore.c uses explore_memory.c. */
#ifndef WEFT_TEST_EXPLORE_INT_H
#define WEFT_TEST_EXPLORE_INT_H

#include "test/support/explore.h"

#include <stdatomic.h>

enum { EXPLORE_THREADS = 4, EXPLORE_SEQ_CST = memory_order_seq_cst };

/* A value that a thread has read: value number `stamp` of an object. */
struct explore_seen {
	const volatile void *at;
	int object;
	int stamp;
};

void explore_memory_reset(enum explore_fault fault, int threads);
bool explore_memory_is_private(const volatile void *at);

/* Return and set the latest value, which is in the memory of the process. */
uint64_t explore_memory_raw(const volatile void *at, size_t bytes);
void explore_memory_raw_set(volatile void *at, size_t bytes, uint64_t value);

/*
 * Return the number of values that a load may return, and the result of the
 * load with number `pick` (0: the latest). The other two functions exclude
 * values equal to `not`.
 */
int explore_memory_picks(int thread, const volatile void *at, size_t bytes,
			 int order);
struct explore_seen explore_memory_pick(int thread, const volatile void *at,
					size_t bytes, int order, int pick);
int explore_memory_others(int thread, const volatile void *at, size_t bytes,
			  uint64_t not, int order);
struct explore_seen explore_memory_pick_other(int thread,
					      const volatile void *at,
					      size_t bytes, uint64_t not,
					      int order, int pick);
uint64_t explore_memory_value(const struct explore_seen *s);
/* Returns whether the object has a newer value. */
bool explore_memory_newer(const struct explore_seen *s);

void explore_memory_store(int thread, const volatile void *at, size_t bytes,
			  uint64_t value, int order);
/* Replaces the latest value. */
void explore_memory_modify(int thread, const volatile void *at, size_t bytes,
			   uint64_t value, int order);
void explore_memory_fence(int thread, int order);
void explore_memory_membarrier(void);

/* Returns whether the access to plain memory is a data race. */
bool explore_memory_plain(int thread, const void *at, size_t bytes, bool write);

/* Adds the state of all objects to h, as far as living threads can read it. */
uint64_t explore_memory_hash(uint64_t h, const bool *live, int threads);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redirects atomic operations to the explorer (explore.h). A test includes this
 * file first, then the .c files under test, and defines the functions of other
 * files that they call.
 */
#ifndef WEFT_TEST_EXPLORE_ATOMIC_H
#define WEFT_TEST_EXPLORE_ATOMIC_H

#include "test/support/explore.h"

#include <stdatomic.h>
#include <string.h>

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_thread_fence

/* the type of an object without its qualifiers */
#define EXPLORE_TYPE(p) __typeof__((void)0, *(p))
#define EXPLORE_MODIFY(p, op, v, order) \
	explore_modify((p), sizeof(*(p)), EXPLORE_##op, (uint64_t)(v), (order))

#define atomic_load_explicit(p, order) \
	((EXPLORE_TYPE(p))explore_load((p), sizeof(*(p)), (order)))
#define atomic_store_explicit(p, v, order) \
	explore_store((p), sizeof(*(p)), (uint64_t)(v), (order))
#define atomic_fetch_add_explicit(p, v, order) EXPLORE_MODIFY(p, ADD, v, order)
#define atomic_fetch_or_explicit(p, v, order)  EXPLORE_MODIFY(p, OR, v, order)
#define atomic_fetch_and_explicit(p, v, order) EXPLORE_MODIFY(p, AND, v, order)
#define atomic_exchange_explicit(p, v, order)  EXPLORE_MODIFY(p, SWAP, v, order)
#define atomic_compare_exchange_strong_explicit(p, e, v, order, failed) \
	explore_cas((p), sizeof(*(p)), (e), (uint64_t)(v), (order), (failed))
#define atomic_compare_exchange_weak_explicit \
	atomic_compare_exchange_strong_explicit
#define atomic_thread_fence(order) explore_fence(order)

#define weft_relax weft_relax_processor
#include "src/base/atomic.h"
#undef weft_relax
#define weft_relax explore_spin

/* defined after the headers whose inline functions copy private memory only */
#define memcpy(to, from, bytes) explore_copy((to), (from), (bytes))

#endif

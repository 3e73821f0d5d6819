/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic operations on private or shared memory that several threads or
 * processes access.
 *
 * Loads acquire and stores release. Relaxed operations have "relaxed" in their
 * name; a comment at each use states why relaxed order suffices.
 */
#ifndef WEFT_BASE_ATOMIC_H
#define WEFT_BASE_ATOMIC_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2,
	      "shared atomics must be address-free");

typedef _Atomic uint32_t weft_au32;
typedef _Atomic uint64_t weft_au64;

static inline uint32_t weft_load32(const weft_au32 *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

static inline uint64_t weft_load64(const weft_au64 *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

static inline uint32_t weft_load32_relaxed(const weft_au32 *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static inline uint64_t weft_load64_relaxed(const weft_au64 *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static inline void weft_store32(weft_au32 *p, uint32_t v)
{
	atomic_store_explicit(p, v, memory_order_release);
}

static inline void weft_store64(weft_au64 *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_release);
}

static inline void weft_store32_relaxed(weft_au32 *p, uint32_t v)
{
	atomic_store_explicit(p, v, memory_order_relaxed);
}

static inline void weft_store64_relaxed(weft_au64 *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_relaxed);
}

/*
 * Read-modify-write operations return the old value, and have both acquire and
 * release order.
 */
static inline uint32_t weft_add32(weft_au32 *p, uint32_t v)
{
	return atomic_fetch_add_explicit(p, v, memory_order_acq_rel);
}

static inline uint64_t weft_add64(weft_au64 *p, uint64_t v)
{
	return atomic_fetch_add_explicit(p, v, memory_order_acq_rel);
}

static inline uint32_t weft_swap32(weft_au32 *p, uint32_t v)
{
	return atomic_exchange_explicit(p, v, memory_order_acq_rel);
}

static inline bool weft_cas32(weft_au32 *p, uint32_t *expect, uint32_t v)
{
	return atomic_compare_exchange_strong_explicit(
		p, expect, v, memory_order_acq_rel, memory_order_acquire);
}

static inline bool weft_cas64(weft_au64 *p, uint64_t *expect, uint64_t v)
{
	return atomic_compare_exchange_strong_explicit(
		p, expect, v, memory_order_acq_rel, memory_order_acquire);
}

/*
 * Full fence: orders earlier stores before later loads. Needed only by threads
 * that prepare to block or that wake others.
 */
#pragma GCC diagnostic push
#if defined(__SANITIZE_THREAD__)
/* ThreadSanitizer does not model fences; no test relies on them. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif
static inline void weft_fence_full(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

/*
 * Acquire fence: orders earlier loads before all later accesses. Release fence:
 * orders all earlier accesses before later stores.
 */
static inline void weft_fence_acquire(void)
{
	atomic_thread_fence(memory_order_acquire);
}

static inline void weft_fence_release(void)
{
	atomic_thread_fence(memory_order_release);
}
#pragma GCC diagnostic pop

/*
 * Tells the processor that the thread is in a spin loop; called once per
 * iteration.
 */
static inline void weft_relax(void)
{
#if defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#elif defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler attributes: the only file with compiler extensions. */
#ifndef WEFT_BASE_ATTR_H
#define WEFT_BASE_ATTR_H

#include <stddef.h>

#define WEFT_EXPORT	  __attribute__((visibility("default")))
#define WEFT_HIDDEN	  __attribute__((visibility("hidden")))
#define WEFT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define WEFT_NORETURN	  __attribute__((noreturn))
#define WEFT_COLD	  __attribute__((cold, noinline))
#define WEFT_NOINLINE	  __attribute__((noinline))
#define WEFT_HOT	  __attribute__((hot))
/*
 * Like WEFT_HOT, but for functions that have an alias: gcc warns if a function
 * has the attribute `hot` and its alias does not.
 */
#define WEFT_HOT_TEXT	  __attribute__((section(".text.hot")))
/*
 * Places data that every MPI call reads in one section, so that it occupies few
 * cache lines: with many ranks on a host, little of a rank's data stays in the
 * cache.
 */
#define WEFT_HOT_DATA	  __attribute__((section("weft_hot")))
#define WEFT_INLINE	  __attribute__((always_inline)) static inline
/*
 * Makes the compiler keep the value of p in a register instead of recomputing
 * it.
 */
#define WEFT_KEEP(p)	  __asm__("" : "+r"(p))
/* Sets the linker name of a function whose C name is already declared. */
#define WEFT_SYMBOL(name) __asm__(name)
/* Calls fn(&variable) at the end of the variable's scope. */
#define WEFT_CLEANUP(fn)  __attribute__((cleanup(fn)))
/*
 * Lets a function use instructions that not every processor has; the caller
 * checks that this processor has them.
 */
#define WEFT_TARGET(what) __attribute__((target(what)))
/*
 * Vectorizes the loops of a function, which gcc otherwise does only at -O3, and
 * aligns them, because the alignment may change their run time by a factor of
 * two.
 */
#if defined(__clang__)
#define WEFT_VECTOR
#else
#define WEFT_VECTOR __attribute__((optimize("O3", "align-loops=32")))
#endif

/* Declares that a type may be at any address, aligned or not. */
#define WEFT_UNALIGNED __attribute__((aligned(1)))

#define WEFT_CACHE_LINE 64

#define weft_likely(x)	 __builtin_expect(!!(x), 1)
#define weft_unlikely(x) __builtin_expect(!!(x), 0)

#define weft_prefetch(p) __builtin_prefetch(p, 0, 3)

/*
 * Prefetches a cache line that will be written soon, in exclusive state, so
 * that other caches lose the line. On x86, gcc's builtin function would request
 * only a shared copy.
 */
#ifdef __x86_64__
#define weft_prefetch_write(p) \
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)(p)))
#else
#define weft_prefetch_write(p) __builtin_prefetch(p, 1, 3)
#endif

#define weft_container_of(ptr, type, member) \
	((type *)((char *)(ptr)-offsetof(type, member)))

#define WEFT_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

#endif

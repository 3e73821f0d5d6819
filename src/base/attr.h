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
 * Places a function among the hot ones if an alias without the attribute
 * prevents WEFT_HOT.
 */
#define WEFT_HOT_TEXT	  __attribute__((section(".text.hot")))
/*
 * Data that every call reads, kept together: with many ranks on a host its
 * cache lines are cold.
 */
#define WEFT_HOT_DATA	  __attribute__((section("weft_hot")))
#define WEFT_INLINE	  __attribute__((always_inline)) static inline
/* The compiler keeps the value of p and does not compute it again. */
#define WEFT_KEEP(p)	  __asm__("" : "+r"(p))
/* Linker name of a function whose C name is already declared. */
#define WEFT_SYMBOL(name) __asm__(name)
/* fn(&variable) is called when the variable's block is left. */
#define WEFT_CLEANUP(fn)  __attribute__((cleanup(fn)))
/*
 * Instructions that not every processor has: the caller has checked for them.
 */
#define WEFT_TARGET(what) __attribute__((target(what)))
/* Loops over long arrays, which gcc vectorizes at -O3 only. */
#if defined(__clang__)
#define WEFT_VECTOR
#else
#define WEFT_VECTOR __attribute__((optimize("O3")))
#endif

#define WEFT_CACHE_LINE 64

#define weft_likely(x)	 __builtin_expect(!!(x), 1)
#define weft_unlikely(x) __builtin_expect(!!(x), 0)

/* Prefetches memory to be read soon. */
#define weft_prefetch(p) __builtin_prefetch(p, 0, 3)

/*
 * Prefetches memory to be written soon, exclusively: other caches lose the
 * line. The builtin requests only a shared copy on x86.
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

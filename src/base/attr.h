/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler attributes, and nothing else: the one place for extensions. */
#ifndef WEFT_BASE_ATTR_H
#define WEFT_BASE_ATTR_H

#include <stddef.h>

#define WEFT_EXPORT	  __attribute__((visibility("default")))
#define WEFT_HIDDEN	  __attribute__((visibility("hidden")))
#define WEFT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define WEFT_NORETURN	  __attribute__((noreturn))
#define WEFT_COLD	  __attribute__((cold, noinline))
#define WEFT_APART	  __attribute__((noinline))
#define WEFT_HOT	  __attribute__((hot))
/* Lies with those, where their names have an alias without the attribute. */
#define WEFT_HOT_TEXT	  __attribute__((section(".text.hot")))
/* What every call reads lies together: in a crowd of ranks it is cold. */
#define WEFT_HOT_DATA	  __attribute__((section("weft_hot")))
#define WEFT_INLINE	  __attribute__((always_inline)) static inline
/* The compiler keeps the value of p and does not compute it again. */
#define WEFT_KEEP(p)	  __asm__("" : "+r"(p))
/* The name that the linker sees, where C's own is taken by a declaration. */
#define WEFT_SYMBOL(name) __asm__(name)
/* fn(&variable) is called when the variable's block is left. */
#define WEFT_CLEANUP(fn)  __attribute__((cleanup(fn)))
/* Instructions that not every processor has: who calls has asked for them. */
#define WEFT_TARGET(what) __attribute__((target(what)))
/* Loops over long arrays: gcc makes vectors of them only when asked. */
#if defined(__clang__)
#define WEFT_VECTOR
#else
#define WEFT_VECTOR __attribute__((optimize("O3")))
#endif

#define WEFT_CACHE_LINE 64

#define weft_likely(x)	 __builtin_expect(!!(x), 1)
#define weft_unlikely(x) __builtin_expect(!!(x), 0)

/* Memory that is read soon: on its way while something else is done. */
#define weft_prefetch(p) __builtin_prefetch(p, 0, 3)

/* Memory that is written soon, and that others have: it is taken from them. The
 * builtin asks x86 for a copy only. */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory: host memory, and device memory, which the processor cannot
 * access. The device is emulated by memory that is mapped without access
 * rights: a load or store causes SIGSEGV, but an interface on the same bus can
 * access it. Link with -lweft-nic; fi_ext_weft.h has the same functions for
 * programs that use libfabric.
 *
 * Functions return 0 or a negative errno. Any thread may call them.
 */
#ifndef WEFT_MEM_H
#define WEFT_MEM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_MEM_HOST	"host"
#define WEFT_MEM_DEVICE "device"

/* Allocates zeroed memory. -EINVAL: no such kind, or bytes is 0; -ENOMEM. */
int weft_mem_alloc(const char *kind, size_t bytes, void **at_p);
/*
 * Frees memory. at: an address returned by weft_mem_alloc(). -EINVAL: not
 * memory of this kind.
 */
int weft_mem_free(const char *kind, void *at);
/* Returns the kind of memory; NULL: the range contains both kinds. */
const char *weft_mem_name(const void *at, size_t bytes);
/* Copy from host memory to memory of any kind (in), and back (out). */
int weft_mem_in(void *to, const void *from, size_t bytes);
int weft_mem_out(void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory: a program's own, and a device's, which the processor cannot
 * access. The device is emulated by memory that is mapped without access
 * rights, so that an access by address ends with SIGSEGV, while an interface on
 * the same bus can access it. Link with -lweft-nic; programs over libfabric
 * find the same functions in fi_ext_weft.h.
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

/* Allocates zeroed memory. -EINVAL: no such kind, or no bytes; -ENOMEM. */
int weft_mem_alloc(const char *kind, size_t bytes, void **at_p);
/* at: an address returned by alloc. -EINVAL: not of that kind. */
int weft_mem_free(const char *kind, void *at);
/* The name of the kind; NULL: the bytes are in memory of two kinds. */
const char *weft_mem_name(const void *at, size_t bytes);
/* Copies into memory of any kind, and out of it, from and to host memory. */
int weft_mem_in(void *to, const void *from, size_t bytes);
int weft_mem_out(void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory for the code below fi_*, one table row each. A new kind
 * (CUDA) needs a file with its functions and a row in mem_kind.c; units need no
 * change.
 */
#ifndef WEFT_PROV_MEM_H
#define WEFT_PROV_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/mem.h>

struct weft_mem_kind {
	const char *name;
	const char *path; /* name of the bus path in machine files */
	unsigned iface;	  /* enum fi_hmem_iface, or WEFT_MEM_DEVICE_IFACE */
	/* log2 of the page size for an interface's address translation */
	unsigned page_bits;
	/* cost of a copy by the device's copy engine, in virtual time */
	/* chunk size of staged messages */
	uint32_t stage_bytes;
	/* Allocates zeroed memory. -ENOMEM. */
	int (*alloc)(size_t bytes, void **at_p);
	/* Frees memory; -EINVAL: not an address returned by alloc. */
	int (*free)(void *at);
	/* Returns whether the byte at this address is of this kind. */
	bool (*mine)(const void *at);
	/*
	 * Copy from host memory to memory of this kind (in), and back (out).
	 * -EFAULT: not memory of this kind.
	 */
	int (*in)(void *to, const void *from, size_t bytes);
	int (*out)(void *to, const void *from, size_t bytes);
	/*
	 * Sets the address at which an interface on the bus, and peers, access
	 * this memory. -EFAULT: not memory of this kind; -EOPNOTSUPP: there is
	 * no such address, so the data must be staged.
	 */
	int (*reach)(void *at, size_t bytes, void **bus_p);
	/* Returns whether reach returned the address, in any process. */
	bool (*on_bus)(uint64_t address);
};

/* iface of the emulated device; not a value of libfabric */
#define WEFT_MEM_DEVICE_IFACE 0x77656674u

/* Returns table row i; NULL: no more rows. Row 0 is host memory. */
const struct weft_mem_kind *weft_mem_kind_at(unsigned i);
/* Return the kind with that name or iface; NULL: no such kind. */
const struct weft_mem_kind *weft_mem_kind_named(const char *name);
const struct weft_mem_kind *weft_mem_kind_iface(unsigned iface);
/* Returns the kind of these bytes; NULL: they are of several kinds. */
const struct weft_mem_kind *weft_mem_kind_of(const void *at, size_t bytes);

/* Returns the kind of an address that reach returned in any process. */
const struct weft_mem_kind *weft_mem_kind_on_bus(uint64_t address);

/* emulated device memory: mem_device.c */
extern const struct weft_mem_kind weft_mem_device;

#endif

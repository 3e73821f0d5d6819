/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory as the code below fi_* uses them: one table row each. Another
 * kind (CUDA) is another file with its functions and a row in mem_kind.c; no
 * unit needs to be changed.
 */
#ifndef WEFT_PROV_MEM_H
#define WEFT_PROV_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/mem.h>

struct weft_mem_kind {
	const char *name;
	const char *path; /* path of machine files to access it */
	unsigned iface;	  /* enum fi_hmem_iface, or the stand-in's own value */
	unsigned page_bits; /* page size of an interface's translations */
	/* Cost of a copy by its own engine in virtual time. */
	uint32_t copy_ns;	  /* to start a copy */
	uint32_t copy_ps_per_kib; /* per KiB copied */
	/* Chunk size of staged messages. */
	uint32_t stage_bytes;
	/* Allocates zeroed memory. -ENOMEM. */
	int (*alloc)(size_t bytes, void **at_p);
	/* -EINVAL: not an address returned by alloc. */
	int (*free)(void *at);
	/* True if this byte is of this kind. */
	bool (*mine)(const void *at);
	/* Copy from host memory to it, and back. -EFAULT: another kind. */
	int (*in)(void *to, const void *from, size_t bytes);
	int (*out)(void *to, const void *from, size_t bytes);
	/*
	 * Address at which an interface on the bus, and peers, access it.
	 * -EFAULT: not of this kind; -EOPNOTSUPP: none, it must be staged.
	 */
	int (*reach)(void *at, size_t bytes, void **bus_p);
	/* True for addresses returned by reach, also in other processes. */
	bool (*on_bus)(uint64_t address);
};

/* iface of the stand-in: none of libfabric's values. */
#define WEFT_MEM_DEVICE_IFACE 0x77656674u

/* Table row i; NULL: no more. The first is the host's. */
const struct weft_mem_kind *weft_mem_kind_at(unsigned i);
/* NULL: no such kind. */
const struct weft_mem_kind *weft_mem_kind_named(const char *name);
const struct weft_mem_kind *weft_mem_kind_iface(unsigned iface);
/* The kind of these bytes; NULL: they are of several kinds. */
const struct weft_mem_kind *weft_mem_kind_of(const void *at, size_t bytes);

/* The kind of an address returned by reach, also of a peer's. */
const struct weft_mem_kind *weft_mem_kind_on_bus(uint64_t address);

/* mem_device.c */
extern const struct weft_mem_kind weft_mem_device;

#endif

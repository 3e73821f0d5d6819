/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory as those below fi_* see them: one row each. Another kind
 * (CUDA) is another file with its functions and a row in mem_kind.c; no unit
 * has to know of it.
 */
#ifndef WEFT_PROV_MEM_H
#define WEFT_PROV_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/mem.h>

struct weft_mem_kind {
	const char *name;
	const char *path;   /* of machine files: how an interface reaches it */
	unsigned iface;	    /* as enum fi_hmem_iface, or the stand-in's own */
	unsigned page_bits; /* of an interface's translations */
	/* What a copy by its own means costs: in virtual time. */
	uint32_t copy_ns;	  /* to start one */
	uint32_t copy_ps_per_kib; /* and for its bytes */
	/* Staged messages are copied in chunks of so many bytes. */
	uint32_t stage_bytes;
	/* Zeroed memory. -ENOMEM. */
	int (*alloc)(size_t bytes, void **at_p);
	/* -EINVAL: not what alloc gave. */
	int (*free)(void *at);
	/* Is this byte of this kind? */
	bool (*mine)(const void *at);
	/* Copies to it from the host's, and from it. -EFAULT: not mine. */
	int (*in)(void *to, const void *from, size_t bytes);
	int (*out)(void *to, const void *from, size_t bytes);
	/*
	 * Where an interface on the bus, and peers, reach it. -EFAULT: not
	 * mine; -EOPNOTSUPP: nowhere, it must be staged.
	 */
	int (*reach)(void *at, size_t bytes, void **bus_p);
	/* Is this an address that reach gives, here or in another process? */
	bool (*on_bus)(uint64_t address);
};

/* The stand-in's number: none of libfabric's. */
#define WEFT_MEM_DEVICE_IFACE 0x77656674u

/* The rows; NULL: no more. The first is the host's. */
const struct weft_mem_kind *weft_mem_kind_at(unsigned i);
/* NULL: no such row. */
const struct weft_mem_kind *weft_mem_kind_named(const char *name);
const struct weft_mem_kind *weft_mem_kind_iface(unsigned iface);
/* Whose bytes these are; NULL: of several kinds. */
const struct weft_mem_kind *weft_mem_kind_of(const void *at, size_t bytes);

/* Whose address this is, as reach gives it; of a peer, too. */
const struct weft_mem_kind *weft_mem_kind_on_bus(uint64_t address);

/* mem_device.c */
extern const struct weft_mem_kind weft_mem_device;

#endif

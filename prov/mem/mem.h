/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of memory that the code below the libfabric calls (fi_*) supports, one
 * table row each. A new kind needs a file with its functions and a row in
 * mem_kind.c; units need no change.
 */
#ifndef WEFT_PROV_MEM_H
#define WEFT_PROV_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <weft/mem.h>

/*
 * Describes memory to another process of this host, which may read it while the
 * owner waits. Part of announcements (prov/nic).
 */
struct weft_mem_share {
	uint32_t iface;	 /* kind of the memory */
	uint32_t device; /* number of the device, the same in all processes */
	/* random number that identifies the owner's process */
	uint64_t process;
	uint64_t base;	 /* start of the allocation, in the owner */
	uint64_t buffer; /* number of the allocation, in the owner */
	uint64_t offset; /* offset of the memory in the allocation */
	uint64_t bytes;
	unsigned char handle[64];
};

/* A reduction: to[i] = a[i] op b[i]. */
struct weft_mem_apply {
	void *to;
	const void *a;
	const void *b;
	uint64_t count;
	uint8_t op;   /* enum weft_num_op */
	uint8_t type; /* enum weft_num_type */
};

struct weft_mem_kind {
	const char *name;
	const char *path; /* name of the bus path in machine files */
	unsigned iface;	  /* enum fi_hmem_iface, or WEFT_MEM_DEVICE_IFACE */
	/* log2 of the page size for an interface's address translation */
	unsigned page_bits;
	/* chunk size of staged messages */
	uint32_t stage_bytes;
	/* Allocates zeroed memory. Returns 0 or -ENOMEM. */
	int (*alloc)(size_t bytes, void **at_p);
	/* Frees memory; -EINVAL: not an address returned by alloc. */
	int (*free)(void *at);
	/* Returns whether the byte at this address is of this kind. */
	bool (*mine)(const void *at);
	/*
	 * Copy from host memory to memory of this kind (in), or from it (out).
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
	/* Returns whether the address was returned by reach in any process. */
	bool (*on_bus)(uint64_t address);

	/* ---- NULL: not possible with this kind ---- */
	/*
	 * Copies between blocks of this kind and one host buffer (in: to the
	 * blocks), in one command for all blocks.
	 */
	int (*move)(const struct iovec *iov, size_t count, void *host, bool in);
	/*
	 * Describes the memory in s. -EOPNOTSUPP: this memory cannot be shared.
	 */
	int (*share)(const void *at, size_t bytes, struct weft_mem_share *s);
	/*
	 * Starts a copy from another process's memory, at offset pos, to memory
	 * of any kind. *ticket_p: the ticket for fetched(); 0: the copy is
	 * complete. -EOPNOTSUPP: this process cannot access the memory.
	 */
	int (*fetch)(const struct weft_mem_share *s, uint64_t pos, void *to,
		     size_t bytes, uint32_t *ticket_p);
	/*
	 * Like fetch, but from memory of this kind to another process's memory.
	 */
	int (*store)(const struct weft_mem_share *s, const void *from,
		     size_t bytes, uint32_t *ticket_p);
	/*
	 * Returns 0 if the copy is complete; -EAGAIN: not yet; -EIO: the copy
	 * failed.
	 */
	int (*fetched)(uint32_t ticket);
	/*
	 * Sets the address at which another process's memory is mapped in
	 * this process, for apply and copy; valid until the owner is notified
	 * that the memory is no longer used.
	 */
	int (*opened)(const struct weft_mem_share *s, void **at_p);
	/*
	 * Start a reduction of vectors (apply) or a copy within memory of this
	 * kind (copy); they execute in the order of the calls. -EOPNOTSUPP: the
	 * device cannot do this.
	 */
	int (*apply)(const struct weft_mem_apply *x);
	int (*copy)(void *to, const void *from, size_t bytes);
	/* Waits until all started operations are complete. */
	int (*wait)(void);
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
/* memory of NVIDIA GPUs: cuda/mem_cuda.c */
extern const struct weft_mem_kind weft_mem_cuda;
/* Returns whether this host has a driver for such memory. */
bool weft_mem_cuda_possible(void);
/*
 * Returns the address of a word that is NULL as long as this process has no
 * such memory. Returns NULL if the process may have such memory.
 */
const void *const volatile *weft_mem_cuda_gate(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers in device memory, which the processor cannot access. The provider
 * determines the owner of an address and copies the data (FI_WEFT_MEM). Sends
 * and receives pass such buffers to the provider unchanged; all other data
 * movement uses the functions of this file. weft_core.device is NULL until
 * device memory is first allocated, or the process has loaded a GPU driver. So
 * where data is copied or packed, other programs test only that pointer and, on
 * hosts with a GPU, one more word.
 */
#ifndef WEFT_OFFLOAD_DEVICE_H
#define WEFT_OFFLOAD_DEVICE_H

#include "src/base/attr.h"
#include "src/core/core_state.h"
#include "src/os/program_memory.h"
#include "src/types/types_op.h"
#include "src/types/types_pack.h"

/*
 * Names of memory kinds in info values. weft_device_kinds() returns the list of
 * all kinds; weft_device_info() sets it as the key mpi_memory_alloc_kinds, and
 * returns 0 or -ENOMEM.
 */
#define WEFT_DEVICE_KIND "weft:device"
#define WEFT_CUDA_KIND	 "cuda:device"
const char *weft_device_kinds(void);
struct weft_info;
int weft_device_info(struct weft_info *info);

/* Enables device memory if the process has loaded a GPU's driver. */
void weft_device_init(void);

/*
 * Allocates zeroed device memory, of a GPU or of the emulated device. Returns
 * 0, -ENOMEM, or -EOPNOTSUPP: the provider has no device memory.
 */
int weft_device_alloc(size_t bytes, bool cuda, void **addr_p);
/* Frees device memory. Returns false if the address is not in device memory. */
bool weft_device_free(void *addr);

/*
 * Slow path of weft_device_owns(), for processes that may have device memory.
 */
bool weft_device_owns_slow(const void *addr);

/* Returns whether this process may have device memory. */
static inline bool weft_device_used(void)
{
	const void *const volatile *gate = weft_core.device_gate;

	return weft_unlikely(weft_core.device != NULL || (gate && *gate));
}

/* Returns whether addr is in device memory. */
static inline bool weft_device_owns(const void *addr)
{
	return weft_device_used() && weft_device_owns_slow(addr);
}

/* Returns whether the data is in device memory. */
static inline bool weft_device_has(const struct weft_typed *t)
{
	return weft_device_owns((const char *)t->buf + t->dt->true_lb);
}

/*
 * Variants of functions of types_pack.h and types_op.h for device memory. They
 * move as many bytes as those functions, and return 0, -ENOMEM, or -EIO: the
 * device has failed, or the memory has been freed.
 */
int weft_device_pack(const struct weft_typed *t, size_t pos, void *dst,
		     size_t len);
int weft_device_unpack(const struct weft_typed *t, size_t pos, const void *src,
		       size_t len);
int weft_device_copy(const struct weft_typed *dst,
		     const struct weft_typed *src);
/*
 * Allocates a zeroed host buffer with the layout of data in device memory. Sets
 * *host, which may be *device. Returns the block to free, or NULL: no memory.
 */
void *weft_device_host_alloc(const struct weft_typed *device,
			     struct weft_typed *host);
/*
 * Like weft_device_host_alloc(), and copies the data to the buffer. Sets
 * *block_p to the block to free, or NULL. Returns 0, -ENOMEM or -EIO.
 */
int weft_device_to_host(const struct weft_typed *device,
			struct weft_typed *host, void **block_p);
/* Applies op. Returns 0, -ENOMEM or -EIO. */
int weft_device_apply(const struct weft_op *op, const void *in, void *inout,
		      MPI_Count n, struct weft_dt *dt);

/*
 * Variants for data in host or device memory. Return 0 or an error, as above.
 */
static inline int weft_core_pack(const struct weft_typed *t, size_t pos,
				 void *dst, size_t len)
{
	if (weft_device_has(t))
		return weft_device_pack(t, pos, dst, len);
	weft_pack(t, pos, dst, len);
	return 0;
}

static inline int weft_core_unpack(const struct weft_typed *t, size_t pos,
				   const void *src, size_t len)
{
	if (weft_device_has(t))
		return weft_device_unpack(t, pos, src, len);
	weft_unpack(t, pos, src, len);
	return 0;
}

#endif

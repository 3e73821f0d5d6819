/* SPDX-License-Identifier: BSD-3-Clause */
/* GPU kernels: short copies, copies of many blocks, reductions of vectors. */
#ifndef WEFT_MEM_CUDA_KERNEL_H
#define WEFT_MEM_CUDA_KERNEL_H

#include "prov/mem/cuda/cuda_home.h"
#include "prov/mem/mem.h"

/*
 * Loads the GPU kernels for copies. The caller has made the context current.
 * Returns 0 or -errno.
 */
int cuda_kernels_load(struct cuda_home *h);

/* Largest copy for which the kernel for short copies is used, bytes. */
#define CUDA_SHORT 65536

/*
 * Submits a copy within device memory. Returns its submission number, or 0 if
 * the driver refuses the copy.
 */
uint32_t cuda_copy_short(struct cuda_home *h, cuda_addr to, cuda_addr from,
			 uint64_t bytes);
/* Submits copies of the first n blocks of h->list. Returns 0 or -errno. */
int cuda_copy_blocks(struct cuda_home *h, unsigned n);
/*
 * Submits to[i] = a[i] op b[i]. -EOPNOTSUPP: there is no kernel for the
 * operation and type.
 */
int cuda_apply(struct cuda_home *h, const struct weft_mem_apply *x);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of other processes of the host, by the driver's IPC handles. */
#ifndef WEFT_MEM_CUDA_SHARE_H
#define WEFT_MEM_CUDA_SHARE_H

#include "prov/mem/cuda/cuda_home.h"
#include "prov/mem/mem.h"

/* Describes memory of this process. -EOPNOTSUPP: the driver cannot share it. */
int cuda_share_get(const void *at, size_t bytes, struct weft_mem_share *s);
/*
 * Returns the address in this process of the memory that another process
 * describes; 0: not accessible. The mapping is kept for later calls.
 */
cuda_addr cuda_share_open(struct cuda_home *h, const struct weft_mem_share *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronous copies. Return 0 or -errno. */
#ifndef WEFT_MEM_CUDA_COPY_H
#define WEFT_MEM_CUDA_COPY_H

#include "prov/mem/cuda/cuda_home.h"

#include <sys/uio.h>

int cuda_copy_in(struct cuda_home *h, void *to, const void *from, size_t bytes);
int cuda_copy_out(struct cuda_home *h, void *to, const void *from,
		  size_t bytes);
/*
 * Copies between blocks of device memory and a host buffer, by one GPU kernel
 * for many blocks.
 */
int cuda_copy_move(struct cuda_home *h, const struct iovec *iov, size_t count,
		   char *host, bool in);
/*
 * Submits a copy within device memory. *ticket_p: number of the submission;
 * -EIO: refused.
 */
int cuda_copy_submit(struct cuda_home *h, void *to, cuda_addr from,
		     size_t bytes, uint32_t *ticket_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of other kinds than the host's: weft_hmem.c, weft_hmem_rma.c. */
#ifndef WEFT_OFI_HMEM_H
#define WEFT_OFI_HMEM_H

#include "prov/mem/mem.h"
#include "prov/ofi/weft_ofi.h"

#include <rdma/fi_ext_weft.h>

/* The tables of endpoints with FI_HMEM. */
extern struct fi_ops_msg weft_hmem_msg_ops;
extern struct fi_ops_tagged weft_hmem_tagged_ops;
extern struct fi_ops_rma weft_hmem_rma_ops;

/* fi_open_ops: FI_WEFT_MEM. */
extern struct fi_weft_mem weft_mem_ops;

/* Segments as the interface reaches them. */
struct weft_hmem_iov {
	struct iovec iov[WEFT_IOV_MAX];
	const struct iovec *use;
};

/* -EFAULT: a segment lies in memory of two kinds. */
int weft_hmem_reach(struct iovec *iov);
int weft_hmem_reach_all(struct weft_hmem_iov *r, const struct iovec *iov,
			size_t count);

static inline int weft_hmem_reach_one(struct iovec *iov, const void *buf,
				      size_t len)
{
	iov->iov_base = (void *)(uintptr_t)buf;
	iov->iov_len = len;
	return weft_hmem_reach(iov);
}

#endif

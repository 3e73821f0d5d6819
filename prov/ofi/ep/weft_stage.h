/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory staged through host memory: weft_stage.c. */
#ifndef WEFT_OFI_STAGE_H
#define WEFT_OFI_STAGE_H

#include "prov/ofi/weft_ofi.h"

/* A copy between a device and contiguous host memory. */
struct weft_stage_copy {
	/* segments in device memory; host memory is allowed */
	const struct iovec *iov;
	int count;
	size_t pos; /* offset of the first byte in the concatenated segments */
	void *host;
	size_t bytes;
	bool in; /* true: the copy is to the device */
};

/*
 * Copies as described by s. In virtual time, charges the modelled duration of
 * the copy to carrier c (NULL: nothing is charged). -EFAULT: a segment spans
 * memory of two kinds, or is of no kind.
 */
int weft_stage_copy(struct weft_carrier *c, const struct weft_stage_copy *s);

/*
 * Replaces the device buffers of a complete op by host memory. -ENOMEM,
 * -EFAULT, -ENOSYS.
 */
int weft_stage_op_prepare(struct weft_ep *ep, struct weft_nic_op *op);

/* Engine callbacks for endpoints that have staged ops. */
extern const struct weft_nic_up weft_stage_callbacks;

#endif

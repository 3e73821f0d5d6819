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
	size_t pos; /* position in the concatenated segments */
	void *host;
	size_t bytes;
	bool in; /* true: the copy is to the device */
};

/*
 * Copies, and in virtual time charges the modelled time on the machine of
 * carrier c (NULL: live). -EFAULT: a segment spans memory of two kinds, or is
 * of no kind.
 */
int weft_stage_copy(struct weft_carrier *c, const struct weft_stage_copy *s);

/*
 * Replaces the device buffers of a complete op by host memory. -ENOMEM,
 * -EFAULT, -ENOSYS.
 */
int weft_stage_op_prepare(struct weft_ep *ep, struct weft_nic_op *op);

/* Callbacks of an engine that has staged ops. */
extern const struct weft_nic_up weft_stage_callbacks;

#endif

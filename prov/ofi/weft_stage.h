/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory by way of the host's: weft_stage.c. */
#ifndef WEFT_OFI_STAGE_H
#define WEFT_OFI_STAGE_H

#include "prov/ofi/weft_ofi.h"

/* A copy between a device and the host, its segments one after the other. */
struct weft_stage_copy {
	const struct iovec *iov; /* the device's; may be the host's, too */
	int count;
	size_t pos; /* of the bytes that they are together */
	void *host;
	size_t bytes;
	bool in; /* to the device */
};

/*
 * Does it and lets it take its time on the machine of that carrier (or NULL).
 * -EFAULT: a segment lies in memory of two kinds, or outside.
 */
int weft_stage_copy(struct weft_carrier *c, const struct weft_stage_copy *s);

/* The op, all filled, gets host memory of its own in place of the device's.
 * -ENOMEM, -EFAULT, -ENOSYS. */
int weft_stage_take(struct weft_ep *ep, struct weft_nic_op *op);

/* The calls of an engine with such ops. */
extern const struct weft_nic_up weft_stage_calls;

#endif

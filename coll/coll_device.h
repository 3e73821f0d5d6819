/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of vectors in device memory: coll_device.c. */
#ifndef WEFT_COLL_DEVICE_H
#define WEFT_COLL_DEVICE_H

#include "coll/coll.h"

/* Returns whether the call is a reduction with a buffer in device memory. */
bool coll_on_device(const struct weft_coll_args *a);

/* weft_coll_run, weft_coll_start and weft_coll_init for device buffers. */
int coll_device_run(const struct weft_coll_args *a);
int coll_device_start(const struct weft_coll_args *a, struct weft_req **req_p);
int coll_device_init(const struct weft_coll_args *a, struct weft_req **req_p);

/* Like weft_coll_run, but for buffers that are known to be in host memory. */
int coll_run_host(const struct weft_coll_args *a);

/*
 * Reductions of long vectors in GPU memory (coll_device_direct.c).
 * coll_direct_possible() returns the same at all ranks; if it returns true, all
 * ranks call coll_direct_run(), which returns false if the buffers of any rank
 * do not allow the operation.
 */
bool coll_direct_possible(const struct weft_coll_args *a);
bool coll_direct_run(const struct weft_coll_args *a, int *rc_p);

#endif

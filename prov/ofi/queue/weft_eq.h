/* SPDX-License-Identifier: BSD-3-Clause */
/* Event queues. */
#ifndef WEFT_OFI_EQ_H
#define WEFT_OFI_EQ_H

#include "prov/ofi/weft_ofi.h"

int weft_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		 struct fid_eq **eq_p, void *context);

/*
 * Posts an event, of which `len` bytes are copied. May be called by any thread.
 * Returns 0 or -ENOMEM.
 */
int weft_eq_post(struct weft_eq *eq, uint32_t event, const void *buf,
		 size_t len);
/* Posts an error event; err is a positive errno. */
int weft_eq_post_err(struct weft_eq *eq, struct fid *fid, void *context,
		     int err, uint64_t data);
struct weft_eq *weft_eq_of(struct fid *fid);
void weft_eq_get(struct weft_eq *eq);
void weft_eq_put(struct weft_eq *eq);
int weft_eq_trywait(struct weft_eq *eq);

#endif

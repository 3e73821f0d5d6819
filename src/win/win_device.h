/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows in device memory, which the processor cannot access. If the memory of
 * one member is on a device, all members use messages, and the target executes
 * the accesses: it copies the elements to host memory, changes them there, and
 * copies them back.
 */
#ifndef WEFT_WIN_DEVICE_H
#define WEFT_WIN_DEVICE_H

#include "src/win/win.h"
#include "src/win/win_elem.h"

/*
 * Changes n elements of this rank's device memory as win_elem_apply() does;
 * requires the core lock. Returns 0, -ENOMEM, or -EIO: the device has failed.
 */
int win_device_apply(const struct win_elem *e, char *at,
		     const struct win_elem_arrays *r, size_t n);

/* Puts to or gets from this rank's own device memory. 0, or as above. */
int win_device_move(struct weft_win *w, const struct weft_win_xfer *x,
		    bool put);

#endif

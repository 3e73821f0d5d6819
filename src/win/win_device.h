/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows in device memory, which the processor cannot access. Accesses use
 * messages, and the target executes them: it copies the elements to host
 * memory, changes them there, and copies them back. This holds for all memory
 * of a window of MPI_Win_create if the memory of one member is on a device, and
 * in dynamic windows for attached device memory only.
 */
#ifndef WEFT_WIN_DEVICE_H
#define WEFT_WIN_DEVICE_H

#include "src/win/win.h"
#include "src/win/win_elem.h"

/*
 * Changes n elements of this rank's device memory as win_elem_apply() does;
 * requires the core lock. Returns 0, -ENOMEM, -EIO: the device has failed, or
 * -ERANGE: not device memory (any more).
 */
int win_device_apply(const struct win_elem *e, char *at,
		     const struct win_elem_arrays *r, size_t n);

/*
 * Changes elements as win_device_apply() does, and acquires the core lock,
 * which excludes accesses by messages.
 */
int win_device_own(const struct win_elem *e, char *at,
		   const struct win_elem_arrays *r, size_t n);

/*
 * Executes a put to, or a get from, the memory that this rank has passed to
 * MPI_Win_create and that is on a device. Returns 0, or an error of
 * win_device_apply().
 */
int win_device_move(struct weft_win *w, const struct weft_win_xfer *x,
		    bool put);

#endif

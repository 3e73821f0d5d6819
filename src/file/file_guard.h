/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode: accesses of the members exclude each other by the lock of a
 * window at rank 0, shared for reads and exclusive for writes. Called by the
 * application's threads only.
 */
#ifndef WEFT_FILE_GUARD_H
#define WEFT_FILE_GUARD_H

#include "src/file/file_access.h"

/* Executes file_range_move(), in atomic mode with the lock held. */
int file_guarded_move(struct file_range *r);

/* Opens and closes the window of the lock; collective. */
int file_guard_open(struct weft_file *f);
int file_guard_close(struct weft_file *f);

/* Reserves the word of the shared file pointer, at rank 0. */
void file_shared_first(struct weft_file *f);
/*
 * Open and close the shared file pointer, which starts at f->pointer;
 * collective.
 */
int file_shared_open(struct weft_file *f);
int file_shared_close(struct weft_file *f);

#endif

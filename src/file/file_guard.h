/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In atomic mode the accesses of the members exclude each other by a lock of a
 * window at rank 0: reads take it shared, writes exclusive. Only the
 * application's threads call these functions.
 */
#ifndef WEFT_FILE_GUARD_H
#define WEFT_FILE_GUARD_H

#include "src/file/file_access.h"

/* Calls file_range_move(); in atomic mode with the lock held. */
int file_guarded_move(struct file_range *r);

/* Open and close the window of the lock; collective. */
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

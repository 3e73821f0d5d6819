/* SPDX-License-Identifier: BSD-3-Clause */
/* Info keys of files; README describes each of them. */
#ifndef WEFT_FILE_HINT_H
#define WEFT_FILE_HINT_H

#include "src/file/file.h"

/* Sets the default values, then the hints of info (may be NULL). */
void file_hint_open(struct weft_file *f, struct weft_info *info);
/*
 * Replaces the hints that all members must share by those of rank 0, and
 * chooses the aggregators.
 */
void file_hint_join(struct weft_file *f, const struct file_hints *first);

/* Returns the permission bits for a new file (hint file_perm, octal). */
unsigned file_hint_perm(struct weft_info *info);

#endif

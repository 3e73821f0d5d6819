/* SPDX-License-Identifier: BSD-3-Clause */
/* Views, for the other files of this folder. */
#ifndef WEFT_FILE_VIEW_H
#define WEFT_FILE_VIEW_H

#include "src/file/file.h"

/*
 * Sets the default view, a stream of bytes, which all members have after
 * opening the file.
 */
int file_view_open(struct weft_file *f);
/* Frees the view and the layouts of all members. */
void file_view_close(struct weft_file *f);

#endif

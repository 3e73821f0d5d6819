/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files, read as a whole. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

/*
 * Reads a file. Sets *text_p to its contents with a terminating zero, which the
 * caller must free. Returns 0 or -errno.
 */
int weft_text_read(const char *name, char **text_p);

#endif

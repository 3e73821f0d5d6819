/* SPDX-License-Identifier: BSD-3-Clause */
/* The module that reads OTF2 archives (otf2_convert.c). */
#ifndef WEFT_OTF2_CONVERT_H
#define WEFT_OTF2_CONVERT_H

#include <stddef.h>

/*
 * Writes the calls of an archive to fd, as a trace of calls. Returns 0, or
 * -errno; why: an error text.
 */
int replay_otf2_convert(const char *file, int fd, char *why, size_t len);

#endif

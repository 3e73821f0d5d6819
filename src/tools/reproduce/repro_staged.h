/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong with staging through host memory, for repro_pingpong.c. */
#ifndef WEFT_REPRO_STAGED_H
#define WEFT_REPRO_STAGED_H

#include "src/tools/reproduce/repro.h"

/*
 * Measures messages of `bytes` bytes; the chunks use the injection path `path`.
 * *ps_p: mean one-way time in ps. Returns 0 or -errno.
 */
int repro_staged(const struct repro *r, const struct repro_row *row,
		 uint64_t bytes, const char *path, double *ps_p);

#endif

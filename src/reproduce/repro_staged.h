/* SPDX-License-Identifier: BSD-3-Clause */
/* A message by way of copies through host memory: repro_staged.c. */
#ifndef WEFT_REPRO_STAGED_H
#define WEFT_REPRO_STAGED_H

#include "src/reproduce/repro.h"

/* One size, its chunks by this path; the mean of the one-way times in ps.
 * 0 or -errno. */
int repro_staged(const struct repro *r, const struct repro_row *row,
		 uint64_t bytes, const char *path, double *ps_p);

#endif

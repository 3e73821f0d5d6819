/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process sets of the PMIx server; there are none if the server does not
 * support process sets.
 */
#ifndef WEFT_BOOT_PSET_H
#define WEFT_BOOT_PSET_H

#include <stddef.h>

/* Returns the number of sets. */
int weft_pset_count(void);
/* Copies the name of set i. Returns 0 or -ENOENT. */
int weft_pset_name(int i, char *name, size_t room);
/*
 * Returns the number of members of a set, and sets *ranks_p to their ranks,
 * which the caller must free. -ENOENT: there is no such set, or it contains
 * processes of other jobs; -ENOMEM.
 */
int weft_pset_members(const char *name, int **ranks_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process sets of the PMIx server; none if the server has no support for sets.
 */
#ifndef WEFT_BOOT_PSET_H
#define WEFT_BOOT_PSET_H

#include <stddef.h>

/* Returns the number of sets. */
int weft_pset_count(void);
/* Copies the name of set i. Returns 0 or -ENOENT. */
int weft_pset_name(int i, char *name, size_t room);
/*
 * Returns the number of members of a set, and their ranks, which the caller
 * frees; -ENOENT: no such set, or not only processes of this job; -ENOMEM.
 */
int weft_pset_members(const char *name, int **ranks_p);

#endif

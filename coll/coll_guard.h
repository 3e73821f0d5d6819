/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that ends where it says: while the guard is on, every malloc of a
 * page or so lies right before a page that nobody may touch. For test programs
 * that are linked with --wrap=malloc --wrap=free.
 */
#ifndef WEFT_COLL_GUARD_H
#define WEFT_COLL_GUARD_H

#include <stdbool.h>

void guard_set(bool on);
/* Blocks that were guarded so far. */
unsigned guard_count(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of buffer overruns: while the guard is on, every malloc of SMALLEST
 * bytes or more ends right before a page without access rights. For test
 * programs that are linked with --wrap=malloc --wrap=free.
 */
#ifndef WEFT_COLL_GUARD_H
#define WEFT_COLL_GUARD_H

#include <stdbool.h>

void guard_set(bool on);
/* Returns the number of guarded blocks allocated so far. */
unsigned guard_count(void);

#endif

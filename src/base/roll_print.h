/* SPDX-License-Identifier: BSD-3-Clause */
/* The tallies of a roll as a table, and the text that was said. */
#ifndef WEFT_BASE_ROLL_PRINT_H
#define WEFT_BASE_ROLL_PRINT_H

#include "src/base/roll.h"

#include <stdio.h>

/* clock: which time it is, "virtual time" or "time". */
void weft_roll_print(const struct weft_roll *roll, const char *clock, FILE *f);

#endif

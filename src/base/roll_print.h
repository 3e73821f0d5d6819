/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the tallies of a job status page as a table, and its text. */
#ifndef WEFT_BASE_ROLL_PRINT_H
#define WEFT_BASE_ROLL_PRINT_H

#include "src/base/roll.h"

#include <stdio.h>

/* clock: name of the time, "virtual time" or "time". */
void weft_roll_print(const struct weft_roll *roll, const char *clock, FILE *f);

#endif

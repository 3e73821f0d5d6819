/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of a program whose computation takes a given or sampled time in
 * virtual time (include/weft/region.h, which calls MPI_Pcontrol).
 */
#ifndef WEFT_CORE_REGION_H
#define WEFT_CORE_REGION_H

#include <stdbool.h>

/*
 * Begins a region. samples: number of executions whose time is measured.
 * Returns whether the caller must execute the region; if `skips` is false, it
 * must always execute it.
 */
bool weft_core_region_begin(const char *name, int samples, bool skips);
void weft_core_region_end(const char *name);
/* Advances the clock by a computation that is not executed. */
void weft_core_region_time(double seconds);

#endif

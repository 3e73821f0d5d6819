/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensors of the host as inputs of fault awareness: temperature and load. */
#ifndef WEFT_HEALTH_SENSE_H
#define WEFT_HEALTH_SENSE_H

#include "src/health/health.h"

/* Upper bounds; INT32_MAX: never warn. */
struct weft_health_bounds {
	int32_t temp_mc;
	int32_t load_cpcpu;
};

/*
 * Reads the sensors if no rank has read them for one period, or for one second
 * if that is longer. root: prefix of /sys and /proc, "" normally.
 */
void weft_health_sense(struct weft_health *h, uint64_t now_ns,
		       const struct weft_health_bounds *bounds,
		       const char *root);

#endif

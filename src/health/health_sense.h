/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensors of the host as inputs of the watch: temperature and load. */
#ifndef WEFT_HEALTH_SENSE_H
#define WEFT_HEALTH_SENSE_H

#include "src/health/health.h"

/* Above them a sensor warns; INT32_MAX: never. */
struct weft_health_bounds {
	int32_t temp_mc;
	int32_t load_cpcpu;
};

/*
 * Reads the sensors if nobody has for a period, and a second; root: where /sys
 * and /proc are, "" as a rule.
 */
void weft_health_sense(struct weft_health *h, uint64_t now_ns,
		       const struct weft_health_bounds *bounds,
		       const char *root);

#endif

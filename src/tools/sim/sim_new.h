/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine files of a user's own machine (weft-sim --new). */
#ifndef WEFT_SIM_NEW_H
#define WEFT_SIM_NEW_H

#include <stdio.h>

enum { SIM_NEW_WHY = 160 };

/*
 * Writes a machine file of this kind (fattree, dragonfly, ...) with links of
 * this rate (100Gb, 12.5GB/s). Returns 0, or -EINVAL and the reason.
 */
int sim_new(FILE *out, const char *kind, const char *rate,
	    char why[SIM_NEW_WHY]);

#endif

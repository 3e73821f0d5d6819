/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check used by the carrier for several hosts before it chooses the shm
 * carrier.
 */
#ifndef WEFT_CARRIER_SHM_REACH_H
#define WEFT_CARRIER_SHM_REACH_H

#include "prov/carrier/carrier.h"

#define WEFT_SHM_WHY 128

/*
 * Whether the endpoint of that name can be reached through memory: 0; -EAGAIN:
 * the name has no owner yet, but one could be reached; -EHOSTUNREACH: no, with
 * the reason in why. c is a shm carrier.
 */
int weft_shm_reach(struct weft_carrier *c, const struct sockaddr_in *name,
		   char why[WEFT_SHM_WHY]);

#endif

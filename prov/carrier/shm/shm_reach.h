/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check by which the hybrid carrier chooses between shm and sock for a
 * peer.
 */
#ifndef WEFT_CARRIER_SHM_REACH_H
#define WEFT_CARRIER_SHM_REACH_H

#include "prov/carrier/carrier.h"

#define WEFT_SHM_WHY 128

/*
 * Checks whether the endpoint of that name can be reached through shared
 * memory. Returns 0: yes; -EAGAIN: no endpoint has the name yet, but one could
 * be reached; -EHOSTUNREACH: no, with the reason in `why`. c is a shm carrier.
 */
int weft_shm_reach(struct weft_carrier *c, const union weft_name *name,
		   char why[WEFT_SHM_WHY]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the carrier for several hosts asks the shm carrier before it chooses. */
#ifndef WEFT_CARRIER_SHM_REACH_H
#define WEFT_CARRIER_SHM_REACH_H

#include "prov/carrier/carrier.h"

#define WEFT_SHM_WHY 128

/*
 * Whether the endpoint of that name can be met through memory: 0; -EAGAIN:
 * nobody has the name yet, but who takes it could be; -EHOSTUNREACH: no, and
 * why says the reason. c is a carrier of shm.
 */
int weft_shm_reach(struct weft_carrier *c, const struct sockaddr_in *name,
		   char why[WEFT_SHM_WHY]);

#endif

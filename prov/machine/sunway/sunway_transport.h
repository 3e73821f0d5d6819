/* SPDX-License-Identifier: BSD-3-Clause */
/* The Sunway interface's operations table for the message engine. */
#ifndef WEFT_SUNWAY_TRANSPORT_H
#define WEFT_SUNWAY_TRANSPORT_H

#include "prov/nic/nic.h"

extern const struct weft_unit_ops weft_unit_sunway;

struct weft_sunway;

/* Returns the chip below the message engine, for tests. */
struct weft_sunway *sunway_transport_chip(struct weft_unit *u);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The APEnet+ interface's operations table for the message engine. */
#ifndef WEFT_APENET_TRANSPORT_H
#define WEFT_APENET_TRANSPORT_H

#include "prov/nic/nic.h"

struct apenet_rings;
struct weft_apenet;

extern const struct weft_unit_ops weft_unit_apenet;

/* Return the board and the rings of a live unit, for tests. */
struct weft_apenet *apenet_transport_board(struct weft_unit *u);
struct apenet_rings *apenet_transport_rings(struct weft_unit *u);

#endif

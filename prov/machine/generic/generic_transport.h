/* SPDX-License-Identifier: BSD-3-Clause */
/* The unit of machine generic, as transport of the message engine. */
#ifndef WEFT_GENERIC_TRANSPORT_H
#define WEFT_GENERIC_TRANSPORT_H

#include "prov/nic/nic.h"

extern const struct weft_unit_ops weft_unit_generic;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The Elan4 interface's operations table for the message engine. */
#ifndef WEFT_QSNET2_TRANSPORT_H
#define WEFT_QSNET2_TRANSPORT_H

#include "prov/nic/nic.h"
#include "prov/machine/machine_chain.h"

extern const struct weft_unit_ops weft_unit_qsnet2;
extern const struct weft_chain_ops weft_qsnet2_chain;

#endif

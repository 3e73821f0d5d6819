/* SPDX-License-Identifier: BSD-3-Clause */
/* The Gemini interface's operations table for the message engine. */
#ifndef WEFT_GEMINI_TRANSPORT_H
#define WEFT_GEMINI_TRANSPORT_H

#include "prov/nic/nic.h"

extern const struct weft_unit_ops weft_unit_gemini;

#endif

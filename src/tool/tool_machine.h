/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --machine: the facts of a machine, with the source of each. */
#ifndef WEFT_TOOL_MACHINE_H
#define WEFT_TOOL_MACHINE_H

#include "src/tool/tool_report.h"

/* Prints; the exit code: 0, or 2 after saying what is wrong with the name. */
int tool_machine(struct weft_report *r, const char *spec);

#endif

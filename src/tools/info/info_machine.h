/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --machine: parameters of a machine, each with its source. */
#ifndef WEFT_INFO_MACHINE_H
#define WEFT_INFO_MACHINE_H

#include "src/tools/info/info_report.h"

/* Returns the exit code: 0, or 2 after a message about the name. */
int tool_machine(struct weft_report *r, const char *spec);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --health: how the ranks of a job on this host are. */
#ifndef WEFT_TOOL_HEALTH_H
#define WEFT_TOOL_HEALTH_H

#include "src/tool/tool_report.h"

/* job: its name, or a pid of it. The exit status: 1: it is not here. */
int tool_health(struct weft_report *r, const char *job);

#endif

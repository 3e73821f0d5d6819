/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --health: state of the ranks of a job on this host. */
#ifndef WEFT_INFO_HEALTH_H
#define WEFT_INFO_HEALTH_H

#include "src/tools/info/info_report.h"

/* job: its name, or a pid of it. Returns the exit code; 1: no such job here. */
int tool_health(struct weft_report *r, const char *job);

#endif

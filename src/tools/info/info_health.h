/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --health: state of the ranks of a job on this host. */
#ifndef WEFT_INFO_HEALTH_H
#define WEFT_INFO_HEALTH_H

#include "src/tools/info/info_report.h"

/*
 * Prints the state of a job. job: name of the job, or the pid of one of its
 * processes. Returns the exit code; 1: no such job on this host.
 */
int tool_health(struct weft_report *r, const char *job);

#endif

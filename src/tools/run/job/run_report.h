/* SPDX-License-Identifier: BSD-3-Clause */
/* --report: times of MPI calls over all ranks, and results of the model. */
#ifndef WEFT_RUN_REPORT_H
#define WEFT_RUN_REPORT_H

#include "src/tools/run/job/run_job.h"

#include <stdio.h>

/* Writes the report. Returns 0, or -errno after a message. */
int run_report(const struct run_job *job);
/* Prints the report of a job with a status page. */
void run_report_print(const struct run_job *job, FILE *f);

#endif

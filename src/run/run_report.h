/* SPDX-License-Identifier: BSD-3-Clause */
/* --report: times of MPI calls over all ranks, and what the model said. */
#ifndef WEFT_RUN_REPORT_H
#define WEFT_RUN_REPORT_H

#include "src/run/run_job.h"

/* Where the options say: standard error, or a file. 0, or -errno after saying
 * what could not be written. */
int run_report(const struct run_job *job);

#endif

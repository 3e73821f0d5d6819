/* SPDX-License-Identifier: BSD-3-Clause */
/* --report: times of MPI calls over all ranks, and results of the model. */
#ifndef WEFT_RUN_REPORT_H
#define WEFT_RUN_REPORT_H

#include "src/tools/run/job/run_job.h"

#include <stdio.h>

/* Writes the report. Returns 0, or -errno after a message. */
int run_report(const struct run_job *job);
/*
 * Returns a text for each job on the machine, then NULL; the caller frees the
 * array, which contains the texts. NULL: there is one job, or no memory.
 */
char **run_report_jobs(const struct run_opts *o);
/* Prints the report of a job with a status page. */
void run_report_print(const struct run_job *job, FILE *f);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* --report-html and --trace: a place for events, and what is made of them. */
#ifndef WEFT_RUN_TRACE_H
#define WEFT_RUN_TRACE_H

#include "src/run/run_job.h"

/*
 * Whether the files of --report-file, --report-html and --trace can be written;
 * before the job starts. 0, or -EINVAL after saying why not.
 */
int run_trace_check(const struct run_model *m);
/* 0, or -errno after saying why. Nothing to do without these options. */
int run_trace_open(struct run_job *job);
/* Before the report: it adds up the calls of ranks that wrote events. 0, or
 * -errno after saying what could not be written. */
int run_trace_show(const struct run_job *job);
void run_trace_close(struct run_job *job);

#endif

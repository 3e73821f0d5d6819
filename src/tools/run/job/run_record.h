/* SPDX-License-Identifier: BSD-3-Clause */
/* --record: the file of recorded calls, and the library that records them. */
#ifndef WEFT_RUN_RECORD_H
#define WEFT_RUN_RECORD_H

#include "src/tools/run/job/run_job.h"

/*
 * Creates the file, and sets job->record and job->preload; no effect without
 * the option. Returns 0, or -errno after a message.
 */
int run_record_open(struct run_job *job);
void run_record_close(struct run_job *job);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory of --skeleton (src/job/job_skeleton.h). */
#ifndef WEFT_RUN_SKELETON_H
#define WEFT_RUN_SKELETON_H

#include "src/tools/run/job/run_job.h"
#include "src/tools/run/run_env.h"

/* Creates the file that all ranks map. Returns 0, or -errno after a message. */
int run_skeleton_open(struct run_job *job);
void run_skeleton_close(struct run_job *job);
/* Sets the variable by which ranks find the file. Returns 0 or -ENOMEM. */
int run_skeleton_env(struct run_env *e, const struct run_job *job);

#endif

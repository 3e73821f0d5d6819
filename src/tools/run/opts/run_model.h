/* SPDX-License-Identifier: BSD-3-Clause */
/* --machine and its options: checked before any process is started. */
#ifndef WEFT_RUN_MODEL_H
#define WEFT_RUN_MODEL_H

#include "src/tools/run/opts/run_opts.h"

/*
 * Decides machine, shape and map of a job and fills m->spec and m->map_spec,
 * which run_model_free() frees. Returns 0, or -EINVAL after a message.
 */
int run_model_check(struct run_model *m, int ranks, bool quiet);
void run_model_free(struct run_model *m);

/*
 * Returns 0, or -EINVAL after a message if FI_WEFT_MACHINE, whose value is
 * `name`, is unknown.
 */
int run_model_known(const char *name);

/* Writes machine, shape, used nodes and ranks per node of a virtual job. */
enum { RUN_MODEL_TEXT = 160 };
void run_model_text(const struct run_model *m, char text[RUN_MODEL_TEXT]);

/*
 * Returns 0, or -EINVAL after a message if ranks cannot survive the job's fault
 * plan. Called after run_model_check().
 */
int run_model_check_survive(const struct run_model *m);

bool run_model_virtual(const struct run_model *m);
/* Returns whether a live job on one host can inject these faults. */
bool run_model_live_faults(const struct run_model *m);

#endif

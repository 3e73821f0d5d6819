/* SPDX-License-Identifier: BSD-3-Clause */
/* --machine and what belongs to it: checked before anything is started. */
#ifndef WEFT_RUN_MODEL_H
#define WEFT_RUN_MODEL_H

#include "src/run/run_opts.h"

/*
 * Decides machine, shape and map of a job of so many ranks and fills
 * m->spec and m->map_spec, which run_model_free() frees. 0, or -EINVAL after
 * saying what is wrong.
 */
int run_model_check(struct run_model *m, int ranks, bool quiet);
void run_model_free(struct run_model *m);

/* 0, or -EINVAL after saying that FI_WEFT_MACHINE is no machine. */
int run_model_known(const char *name);

/* True when the job runs on the model's clock. */
bool run_model_virtual(const struct run_model *m);
/* Can these faults be made with the live clock, on one host? */
bool run_model_live_faults(const struct run_model *m);

#endif

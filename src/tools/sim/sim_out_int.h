/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the writers of weft-sim. */
#ifndef WEFT_SIM_OUT_INT_H
#define WEFT_SIM_OUT_INT_H

#include "src/tools/sim/sim_out.h"
#include "src/base/attr.h"

extern const struct sim_writer sim_json;

/* Statistics of faults (sim_fault.c), written only with a fault plan. */
void sim_faults_text(const struct sim_opts *o, const struct sim_result *r);
void sim_faults_json(const struct sim_opts *o, const struct sim_result *r);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors a rank runs on. run_bind_open() loads the topology once;
 * ranks get it as XML in a memfd and need not look for themselves.
 */
#ifndef WEFT_RUN_BIND_H
#define WEFT_RUN_BIND_H

#include "src/run/run_job.h"

#include <sched.h>

struct run_cpus {
	cpu_set_t *set;
	size_t size; /* bytes */
};

/* Processors this job may use: affinity mask and control group's quota. */
int run_bind_cpus(void);

/* The processors of a rank; NULL: it is not bound. */
const struct run_cpus *run_bind_of(const struct run_bind *b, int rank);

#endif

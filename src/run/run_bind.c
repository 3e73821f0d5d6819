/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement of ranks on processors. */
#include "src/run/run_bind.h"

int run_bind_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

const struct run_cpus *run_bind_of(const struct run_bind *b, int rank)
{
	return NULL;
}

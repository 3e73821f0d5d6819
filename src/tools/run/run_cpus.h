/* SPDX-License-Identifier: BSD-3-Clause */
/* Number of processors that this job may use. */
#ifndef WEFT_RUN_CPUS_H
#define WEFT_RUN_CPUS_H

/*
 * Returns the smaller of the affinity mask and the control group's quota; >= 1.
 */
int run_cpus(void);

/*
 * Returns the processors in the text of cpu.max ("150000 100000", "max
 * 100000"), rounded up; 0: no limit, or not understood.
 */
int run_cpus_parse(const char *text);

/*
 * Returns 0, or -errno: the host forbids sched_getaffinity(), as seccomp
 * filters do. hwloc 2 would repeat the call for ever.
 */
int run_cpus_forbidden(void);

#endif

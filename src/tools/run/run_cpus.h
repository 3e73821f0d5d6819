/* SPDX-License-Identifier: BSD-3-Clause */
/* Number of processors that a job may use. */
#ifndef WEFT_RUN_CPUS_H
#define WEFT_RUN_CPUS_H

/*
 * Returns the number of processors in the affinity mask, or the control group's
 * quota if it is smaller; at least 1.
 */
int run_cpus(void);

/*
 * Returns the number of processors in the text of cpu.max ("150000 100000",
 * "max 100000"), rounded up; 0: no limit, or invalid text.
 */
int run_cpus_parse(const char *text);

/*
 * Returns 0, or -errno if the host forbids sched_getaffinity(), as seccomp
 * filters do. hwloc 2 would repeat the call forever.
 */
int run_cpus_forbidden(void);

#endif

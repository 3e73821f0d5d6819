/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variable by which mpiexec informs a rank in virtual time which of several
 * jobs it belongs to: number of the job's first rank among all ranks, number of
 * its ranks, and "background" if the job ends with the others.
 */
#ifndef WEFT_JOB_OWN_H
#define WEFT_JOB_OWN_H

#define WEFT_JOB_OWN		"WEFT_JOB_OWN"
#define WEFT_JOB_OWN_FORMAT	"%d+%d%15s"
#define WEFT_JOB_OWN_BACKGROUND ",background"

#endif

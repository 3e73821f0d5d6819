/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of computation in virtual time (mpiexec --machine). A region has a
 * name; it contains no MPI call.
 *
 *   WEFT_REGION_BEGIN("solve");
 *   ... computation, which is executed ...
 *   WEFT_REGION_END("solve");
 *
 *   WEFT_SAMPLE("solve", 3) {
 *           ... computation, executed three times only; later iterations
 *           take the mean time of these three, and are skipped ...
 *   }
 *
 * The time of a region is taken from the table (mpiexec --compute-table FILE);
 * if the table does not contain the region, it is the CPU time of its first
 * executions, times the factor of --compute (1 if not given). A region in the
 * table is executed by WEFT_REGION_BEGIN, and skipped by WEFT_SAMPLE, since its
 * result is not needed for its time. With the live clock, and with other MPI
 * libraries, all regions are executed.
 *
 *   WEFT_REGION_TIME(12.5e-6);
 *
 * stands for a computation of so many seconds that is not executed: the rank's
 * clock advances. With the live clock, and with other MPI libraries, it takes
 * no time.
 */
#ifndef WEFT_REGION_H
#define WEFT_REGION_H

#include <mpi.h>

/*
 * Levels of MPI_Pcontrol. Arguments of BEGIN: name, executions to sample,
 * result; of END: name; of TIME: seconds.
 */
#define WEFT_PCONTROL_BEGIN 0x57454601
#define WEFT_PCONTROL_END   0x57454602
#define WEFT_PCONTROL_TIME  0x57454603

#define WEFT_REGION_BEGIN(name)                                           \
	((void)MPI_Pcontrol(WEFT_PCONTROL_BEGIN, (const char *)(name), 1, \
			    (int *)0))
#define WEFT_REGION_END(name) \
	((void)MPI_Pcontrol(WEFT_PCONTROL_END, (const char *)(name)))

#define WEFT_REGION_TIME(seconds) \
	((void)MPI_Pcontrol(WEFT_PCONTROL_TIME, (double)(seconds)))

static inline int weft_sample_begin_(const char *name, int n)
{
	int run = 1;

	MPI_Pcontrol(WEFT_PCONTROL_BEGIN, name, n, &run);
	return run;
}

static inline int weft_sample_end_(const char *name)
{
	MPI_Pcontrol(WEFT_PCONTROL_END, name);
	return 0;
}

#define WEFT_SAMPLE(name, n)                                             \
	for (int weft_run_ = weft_sample_begin_((name), (n)); weft_run_; \
	     weft_run_ = weft_sample_end_(name))

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows that an MPI program in virtual time measures (repro_measure.c), started
 * with mpiexec. Rows with the same machine, shape, number of ranks and ranks
 * per node are measured by one job.
 */
#ifndef WEFT_REPRO_MPI_H
#define WEFT_REPRO_MPI_H

#include "src/tools/reproduce/repro.h"

/* Returns whether an MPI program measures the row in this run. */
bool repro_by_mpi(const struct repro *r, const struct repro_row *row);
/*
 * Measures a row; *model_p: the quantity of the experiment. Returns 0, or
 * -errno after a message.
 */
int repro_mpi_run(const struct repro *r, const struct repro_row *row,
		  enum repro_measure measure, double *model_p);

/* A job, and the argument of its program for one row. */
struct repro_mpi_job {
	char machine[512];
	uint32_t ranks, per;
	char word[80];
};
/* Fills the job of a row. Returns 0, or -EINVAL: no MPI program measures it. */
int repro_mpi_job(const struct repro *r, const struct repro_row *row,
		  struct repro_mpi_job *j);

#endif

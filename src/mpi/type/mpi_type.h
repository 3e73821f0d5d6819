/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about datatypes. */
#ifndef WEFT_MPI_TYPE_H
#define WEFT_MPI_TYPE_H

#include "src/types/types_dt.h"
#include "src/diag/diag_err.h"

/* Raises MPI_ERR_TYPE for an invalid or unsupported type. */
int mpi_type_bad(const char *func, int arg, MPI_Datatype handle) WEFT_COLD;

static inline int mpi_check_type(const char *func, int arg, MPI_Datatype handle,
				 struct weft_dt **dt_p)
{
	*dt_p = weft_dt_of(handle);
	return weft_likely(*dt_p && (*dt_p)->size >= 0)
		       ? 0
		       : mpi_type_bad(func, arg, handle);
}

#endif

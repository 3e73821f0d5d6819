/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every file here starts with: mpi.h with its names visible outside the
 * library, which is hidden otherwise.
 *
 * A function X is defined as PMPI_X, the strong name, and has a weak alias
 * that tools may replace:
 *
 *   #pragma weak MPI_X = PMPI_X
 *   int PMPI_X(...)
 *
 * Inside the library nobody calls either name.
 */
#ifndef WEFT_MPI_FACE_H
#define WEFT_MPI_FACE_H

/* Here also those that the library does not have yet are declared. */
#define WEFT_MPI_NOT_YET

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#endif

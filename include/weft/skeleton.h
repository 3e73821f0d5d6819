/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of skeletons: programs that only communicate, and do not read the data
 * of their large buffers. With mpiexec --skeleton (Weft, virtual time) all
 * ranks share the pages of these buffers, and their data is not copied between
 * ranks; otherwise the memory is ordinary. Works with every MPI library.
 *
 *   double *grid = WEFT_SHARED_MALLOC(n * sizeof(*grid));
 *   ...
 *   WEFT_SHARED_FREE(grid);
 */
#ifndef WEFT_SKELETON_H
#define WEFT_SKELETON_H

#include <mpi.h>
#include <stddef.h>

/* Returns memory whose contents are undefined, or NULL. */
static inline void *weft_shared_malloc(size_t bytes)
{
	void *p = NULL;

	return MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p) ? NULL : p;
}

static inline void weft_shared_free(void *p)
{
	if (p)
		MPI_Free_mem(p);
}

#define WEFT_SHARED_MALLOC(bytes) weft_shared_malloc(bytes)
#define WEFT_SHARED_FREE(p)	  weft_shared_free(p)

#endif

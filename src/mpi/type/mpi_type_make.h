/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call of a constructor, for either width of its integers. Arrays are read
 * through struct mpi_list; the envelope gets the original arguments.
 */
#ifndef WEFT_MPI_TYPE_MAKE_H
#define WEFT_MPI_TYPE_MAKE_H

#include "src/types/types_dt_env.h"
#include "src/mpi/type/mpi_type.h"

/* An array argument: at most one of the three pointers is set. */
struct mpi_list {
	const int *i;
	const MPI_Aint *a;
	const MPI_Count *c;
};

static inline bool mpi_list_is_set(const struct mpi_list *l)
{
	return l->i || l->a || l->c;
}

static inline MPI_Count mpi_list_at(const struct mpi_list *l, MPI_Count k)
{
	if (l->i)
		return l->i[k];
	return l->a ? (MPI_Count)l->a[k] : l->c[k];
}

/*
 * Ends a constructor: rc is the result of weft_dt_*, env may be NULL (no
 * memory). Stores the handle, or frees the objects and raises the error.
 */
int mpi_type_finish(const char *func, int rc, struct weft_dt *dt,
		    struct weft_dt_env *env, MPI_Datatype *newtype);

/* Raises an error of the given class if an argument is negative. */
int mpi_check_nonneg(const char *func, int arg, int class, MPI_Count n,
		     const char *what);

#endif

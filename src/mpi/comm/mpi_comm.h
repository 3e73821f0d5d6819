/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about communicators and groups. */
#ifndef WEFT_MPI_COMM_H
#define WEFT_MPI_COMM_H

#include "src/comm/comm.h"

struct weft_errh;
struct weft_info;

/* Returns MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. */
int mpi_group_compare(const struct weft_group *a, const struct weft_group *b);

/*
 * Add the hints of info (may be NULL) to *hints_p, which is opened if NULL, or
 * to the hints of c. Return 0 or -ENOMEM.
 */
int mpi_comm_merge_hints(struct weft_info **hints_p, struct weft_info *info);
int mpi_comm_merge_info(struct weft_comm *c, struct weft_info *info);

/* Sets the hints and the error handler given as arguments of a constructor. */
int mpi_comm_set_args(struct weft_comm *made, MPI_Info info,
		      MPI_Errhandler errhandler);

/* Gets the group of a handle; raises MPI_ERR_GROUP. */
int mpi_check_group(const void *obj, const char *func, int arg, MPI_Group h,
		    struct weft_group **group_p);

/* Raises MPI_ERR_SESSION if the groups belong to different sessions. */
int mpi_check_not_mixed(const void *obj, const char *func, int arg,
			const struct weft_group *a, const struct weft_group *b);

/*
 * Gets the error handler of a handle; raises an error if communicators cannot
 * have this handler.
 */
int mpi_check_errh(const void *obj, const char *func, int arg, MPI_Errhandler h,
		   struct weft_errh **errh_p);

/* Checks that the handle is MPI_INFO_NULL or a valid info. */
int mpi_check_info(const void *obj, const char *func, int arg, MPI_Info info);

/* Sets the output to MPI_COMM_NULL, when a constructor fails. */
static inline void mpi_comm_set_null(MPI_Comm *newcomm)
{
	if (newcomm)
		*newcomm = MPI_COMM_NULL;
}

#endif

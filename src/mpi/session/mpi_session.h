/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files that have functions of sessions. */
#ifndef WEFT_MPI_SESSION_H
#define WEFT_MPI_SESSION_H

#include "src/comm/comm_session.h"

/* Gets the open session of a handle; raises MPI_ERR_SESSION. */
int mpi_check_session(const char *func, int arg, MPI_Session handle,
		      struct weft_session **session_p);

/*
 * Gets the error handler of a handle; raises an error if sessions cannot have
 * this handler.
 */
int mpi_check_session_errh(const void *obj, const char *func, int arg,
			   MPI_Errhandler h, struct weft_errh **errh_p);

#endif

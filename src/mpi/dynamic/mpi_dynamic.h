/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the functions about processes of several jobs. */
#ifndef WEFT_MPI_DYNAMIC_H
#define WEFT_MPI_DYNAMIC_H

#include "src/comm/comm.h"

#include <mpi.h>

/* Checks that root is a rank of the intracommunicator c. */
int mpi_check_dynamic_root(struct weft_comm *c, const char *func, int arg,
			   int root);

/* Raises the error rc of a function of comm_port.h; rc 0: no error. */
int mpi_port_result(const void *obj, const char *func, int arg, int rc);

/*
 * Connects a job that was spawned to its parents. Called by MPI_Init; all
 * processes of the job call it. Returns 0 or -errno.
 */
int mpi_spawn_connect(void);

#endif

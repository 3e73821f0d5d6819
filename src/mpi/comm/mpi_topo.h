/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about topologies. */
#ifndef WEFT_MPI_TOPO_H
#define WEFT_MPI_TOPO_H

#include "src/types/types_topo.h"
#include "src/mpi/mpi_check.h"

/* Gets a communicator with a topology of this kind, or raises an error. */
int mpi_check_topo(const char *func, MPI_Comm handle, int kind,
		   struct weft_comm **comm_p);

/*
 * Creates a communicator of the first n processes of c, without a topology yet;
 * *comm_p is NULL on other processes. Returns 0 or -errno.
 */
int mpi_topo_comm(struct weft_comm *c, int n, struct weft_comm **comm_p);

/*
 * Attaches t to comm and stores the handle. comm NULL: this process is not a
 * member; t NULL in a member: no memory.
 */
int mpi_topo_finish(const char *func, struct weft_comm *old, int rc,
		    struct weft_comm *comm, struct weft_topo *t, MPI_Comm *out);

#endif

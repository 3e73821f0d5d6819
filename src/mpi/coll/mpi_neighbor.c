/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives, blocking, nonblocking and persistent. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/coll/mpi_coll_args.h"

#define COLL_BODY "src/mpi/coll/mpi_neighbor_body.inc"
#include "src/mpi/coll/mpi_coll_forms.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Includes COLL_BODY for the three forms of a collective, each with int counts
 * and with MPI_Count (mpi_both_counts.h). A body uses these names for what
 * differs between the forms of, say, MPI_Bcast:
 *
 *                    blocking       nonblocking     persistent
 *   FORM(X, x)       Bcast          Ibcast          Bcast_init
 *   FORM_ARGS                       request         info, request
 *   FORM_ENTER       MPI_ENTER_COLL MPI_ENTER_ON    MPI_ENTER_ON
 *   FORM_DO(m)       mpi_coll_run   mpi_coll_start  mpi_coll_init
 *   FORM_ALLREDUCE   allreduce      iallreduce      allreduce_init
 *   FORM_PASS        the names in FORM_ARGS
 *   FORM_HOT         the function is among the hot code
 */
#define FORM(X, x) X
#define FORM_ARGS
#define FORM_PASS
#define FORM_ENTER     MPI_ENTER_COLL
#define FORM_DO(m)     mpi_coll_run(m)
#define FORM_ALLREDUCE allreduce
#define FORM_HOT       WEFT_HOT_TEXT
#define MPI_BODY       COLL_BODY
#include "src/mpi/mpi_both_counts.h"
#undef FORM
#undef FORM_ARGS
#undef FORM_PASS
#undef FORM_ENTER
#undef FORM_DO
#undef FORM_ALLREDUCE
#undef FORM_HOT

#define FORM(X, x)     I##x
#define FORM_ARGS      , MPI_Request *request
#define FORM_PASS      , request
#define FORM_ENTER     MPI_ENTER_ON
#define FORM_DO(m)     mpi_coll_start(m, request)
#define FORM_ALLREDUCE iallreduce
#define FORM_HOT
#define MPI_BODY COLL_BODY
#include "src/mpi/mpi_both_counts.h"
#undef FORM
#undef FORM_ARGS
#undef FORM_PASS
#undef FORM_DO
#undef FORM_ALLREDUCE

#define FORM(X, x)     X##_init
#define FORM_ARGS      , MPI_Info info, MPI_Request *request
#define FORM_PASS      , info, request
#define FORM_DO(m)     mpi_coll_init(m, info, request)
#define FORM_ALLREDUCE allreduce_init
#define MPI_BODY       COLL_BODY
#include "src/mpi/mpi_both_counts.h"
#undef FORM
#undef FORM_ARGS
#undef FORM_PASS
#undef FORM_ENTER
#undef FORM_DO
#undef FORM_ALLREDUCE
#undef FORM_HOT
#undef COLL_BODY

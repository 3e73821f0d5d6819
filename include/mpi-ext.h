/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extensions of MPI: the MPI Forum's interface for programs that survive the
 * failure of processes, with the names and classes of Open MPI 5. Jobs are
 * started with mpiexec --survive; see doc/failures.md.
 */
#ifndef WEFT_MPI_EXT_H
#define WEFT_MPI_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Feature macros of the extension; the first one has the name that Open MPI
 * defines.
 */
#define OMPI_HAVE_MPI_EXT_FTMPI 1
#define MPIX_HAVE_FT		1

/* Error classes, with values that the standard ABI does not use. */
enum {
	MPIX_ERR_PROC_FAILED = 1019,
	MPIX_ERR_PROC_FAILED_PENDING = 1020,
	MPIX_ERR_REVOKED = 1021
};

/*
 * MPIX_Comm_revoke interrupts all operations on the communicator, at all
 * members; MPIX_Comm_is_revoked reports whether this has happened.
 */
int MPIX_Comm_revoke(MPI_Comm comm);
int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag);

/* Creates a communicator of the members that have not failed. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

/* Computes the bitwise AND of the flags of the members that have not failed. */
int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);

/* Return the members known to have failed, and acknowledge these failures. */
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);
int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
int MPIX_Comm_failure_ack(MPI_Comm comm);
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp);

/*
 * Returns 1 if communication calls accept memory of NVIDIA GPUs (after
 * MPI_Init, on a host with the driver's devices), else 0.
 */
#define MPIX_CUDA_AWARE_SUPPORT 1
int MPIX_Query_cuda_support(void);

int PMPIX_Query_cuda_support(void);
int PMPIX_Comm_revoke(MPI_Comm comm);
int PMPIX_Comm_is_revoked(MPI_Comm comm, int *flag);
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int PMPIX_Comm_agree(MPI_Comm comm, int *flag);
int PMPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp);
int PMPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked);
int PMPIX_Comm_failure_ack(MPI_Comm comm);
int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp);

#ifdef __cplusplus
}
#endif

#endif

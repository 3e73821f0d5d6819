/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variable that is set to 1 if processes on other hosts may connect to a rank:
 * by mpiexec in a job with a list of hosts, and by MPI_Comm_spawn in the jobs
 * that such a job spawns.
 */
#ifndef WEFT_JOB_NETWORK_H
#define WEFT_JOB_NETWORK_H

#define WEFT_JOB_NETWORK "WEFT_JOB_NETWORK"

#endif

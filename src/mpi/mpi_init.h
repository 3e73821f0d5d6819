/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of mpi_init.c for sessions. */
#ifndef WEFT_MPI_INIT_H
#define WEFT_MPI_INIT_H

/* Returns the name of a thread level: "MPI_THREAD_SINGLE", ... */
const char *mpi_thread_level_name(int level);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declarations shared by the files about MPI_T. The interface is initialized
 * independently of MPI: calls of init_thread and finalize are counted, and
 * MPI_T works before MPI_Init. Errors of MPI_T are returned, and no error
 * handler is called.
 */
#ifndef WEFT_MPI_TOOL_H
#define WEFT_MPI_TOOL_H

#include "src/job/job_cfg.h"

#include <mpi.h>
#include <stdbool.h>

/* Returns MPI_SUCCESS, or MPI_T_ERR_NOT_INITIALIZED. */
int mpi_tool_ready(void);

/*
 * Copies a text as MPI_T defines: *len is the size of the buffer `to` and
 * becomes the length of the text with its final zero. With *len 0, or `to`
 * NULL, only the length is returned.
 */
void mpi_tool_text(const char *from, char *to, int *len);

/* The tables of options; their order is the order of the control variables. */
enum { MPI_TOOL_CORE, MPI_TOOL_COLL, MPI_TOOL_PROVIDER, MPI_TOOL_TABLES };

/* Return the number of control variables, and variable i. */
int mpi_tool_cvars(void);
const struct weft_cfg_opt *mpi_tool_cvar(int i);
/* Returns the index of a table's first control variable. */
int mpi_tool_first_cvar(int table);

#endif

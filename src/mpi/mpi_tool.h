/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T: what its files share. The interface has its own life, apart from
 * that of MPI: init_thread and finalize count, and it works before MPI_Init.
 * Its errors are returned, never raised.
 */
#ifndef WEFT_MPI_TOOL_H
#define WEFT_MPI_TOOL_H

#include "src/base/cfg.h"

#include <mpi.h>
#include <stdbool.h>

/* MPI_SUCCESS, or MPI_T_ERR_NOT_INITIALIZED. */
int mpi_tool_ready(void);

/*
 * Hands out a text as MPI_T wants it: *len is the room (0 or text NULL: only
 * asks) and becomes the length with the final zero.
 */
void mpi_tool_text(const char *from, char *to, int *len);

/* The control variables: all options, in the order of their tables. */
int mpi_tool_cvars(void);
const struct weft_cfg_opt *mpi_tool_cvar(int i);
int mpi_tool_core_cvars(void); /* those come first, the collectives' after */

#endif

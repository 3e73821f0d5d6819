/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context ids: 14 bits that keep the messages of communicators apart. All
 * members of a new communicator must take the same id, so they agree on one
 * that is free everywhere.
 */
#ifndef WEFT_CORE_CTX_H
#define WEFT_CORE_CTX_H

#include "src/core/core_comm.h"

enum {
	WEFT_CTX_LIBRARY = 0, /* acknowledgements */
	WEFT_CTX_WORLD = 1,
	WEFT_CTX_SELF = 2,
	WEFT_CTX_NOBODY = 3, /* agreements without a communicator */
	WEFT_CTX_FIRST = 4,
};

void weft_ctx_free(unsigned id);

/* MPI_COMM_WORLD and MPI_COMM_SELF. */
int weft_comm_open_predefined(void);
void weft_comm_close_predefined(void);

#endif

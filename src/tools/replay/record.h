/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of MPI calls, inside a rank:
 *
 *   record_enter (computation since the last call)
 *       -> PMPI call -> record_begin, record_number ... -> record_leave
 */
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include "src/job/job_record.h"

#include <mpi.h>
#include <stdbool.h>

/* Called after MPI_Init, and before MPI_Finalize. */
void record_start(void);
void record_end(void);
/* Called when a rank enters MPI, and when it leaves. */
void record_enter(void);
void record_leave(void);

/*
 * Begins a call of at most `numbers` numbers, which the caller adds. Returns
 * false if nothing is recorded.
 */
bool record_begin(enum record_kind kind, size_t numbers);
void record_number(uint64_t n);
void record_text(const char *text);
/* Records a call that cannot be replayed. */
void record_other(const char *name);

/* Resizes a block; a job that has no memory for its recording is aborted. */
void *record_realloc(void *block, size_t bytes);

/* Return the number of a new request, and of an open request (0: unknown). */
uint64_t record_req_add(MPI_Request handle);
uint64_t record_req_find(MPI_Request handle, bool take);

/* Return the number of a communicator, and of a new one. */
uint64_t record_comm(MPI_Comm comm);
uint64_t record_comm_add(MPI_Comm comm);
void record_comm_drop(MPI_Comm comm);

uint64_t record_bytes(MPI_Count count, MPI_Datatype type);
/* Returns whether the bytes are not adjacent in memory. */
bool record_has_gaps(MPI_Count count, MPI_Datatype type);

#endif

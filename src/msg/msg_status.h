/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private words of MPI_Status: [0] bit 0 cancelled, [1..2] the number of bytes.
 * The object is aligned to 4 bytes only, so 64-bit values are copied.
 */
#ifndef WEFT_MSG_STATUS_H
#define WEFT_MSG_STATUS_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static inline void weft_status_set_bytes(MPI_Status *s, MPI_Count bytes)
{
	memcpy(&s->MPI_internal[1], &bytes, sizeof(bytes));
}

static inline MPI_Count weft_status_bytes(const MPI_Status *s)
{
	MPI_Count bytes;

	memcpy(&bytes, &s->MPI_internal[1], sizeof(bytes));
	return bytes;
}

static inline void weft_status_set_cancelled(MPI_Status *s, bool on)
{
	s->MPI_internal[0] = on;
}

static inline bool weft_status_is_cancelled(const MPI_Status *s)
{
	return s->MPI_internal[0];
}

/*
 * Sets all fields except MPI_ERROR, which is set only by calls with an array of
 * statuses.
 */
static inline void weft_status_set(MPI_Status *s, int source, int tag,
				   MPI_Count bytes)
{
	s->MPI_SOURCE = source;
	s->MPI_TAG = tag;
	s->MPI_internal[0] = 0;
	weft_status_set_bytes(s, bytes);
}

#endif

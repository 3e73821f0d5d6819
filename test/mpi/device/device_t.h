/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device memory for the test programs: of the emulated device or, with
 * TEST_DEVICE_KIND=cuda:device, of a GPU. A direct access by the processor ends
 * with SIGSEGV; MPI_Unpack copies to this memory, MPI_Pack from it.
 */
#ifndef WEFT_TEST_MPI_DEVICE_T_H
#define WEFT_TEST_MPI_DEVICE_T_H

#include "mpi_t.h"

#include <stdlib.h>

#define DEVICE_KIND "weft:device"

static inline const char *device_kind(void)
{
	const char *kind = getenv("TEST_DEVICE_KIND");

	return kind ? kind : DEVICE_KIND;
}

static inline void *device_alloc(size_t bytes)
{
	MPI_Info info;
	void *at = NULL;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "weft_memory_alloc_kind", device_kind()));
	MT_OK(MPI_Alloc_mem((MPI_Aint)bytes, info, &at));
	MT_OK(MPI_Info_free(&info));
	return at;
}

static inline void device_in(void *to, const void *from, size_t bytes)
{
	MPI_Count pos = 0;

	MT_OK(MPI_Unpack_c(from, (MPI_Count)bytes, &pos, to, (MPI_Count)bytes,
			   MPI_BYTE, MPI_COMM_SELF));
}

static inline void device_out(void *to, const void *from, size_t bytes)
{
	MPI_Count pos = 0;

	MT_OK(MPI_Pack_c(from, (MPI_Count)bytes, MPI_BYTE, to, (MPI_Count)bytes,
			 &pos, MPI_COMM_SELF));
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The envelope: how the user made a type, kept as the call's arguments in
 * four lists, for MPI_Type_get_envelope and MPI_Type_get_contents.
 */
#ifndef WEFT_TYPES_DT_ENV_H
#define WEFT_TYPES_DT_ENV_H

#include "src/types/types_dt.h"

struct weft_dt_env {
	int combiner;
	MPI_Count ints;
	MPI_Count addrs;
	MPI_Count counts; /* large counts: a _c constructor made it */
	MPI_Count types;
	int *i;
	MPI_Aint *a;
	MPI_Count *c;
	struct weft_dt **t; /* a reference on each */
};

/* Lists of the four lengths, zeroed; NULL when memory is out. */
struct weft_dt_env *weft_dt_env_open(int combiner, MPI_Count ints,
				     MPI_Count addrs, MPI_Count counts,
				     MPI_Count types);
/* Takes NULL. */
void weft_dt_env_close(struct weft_dt_env *env);

#endif

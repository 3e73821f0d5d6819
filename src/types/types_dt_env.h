/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The envelope: the arguments of the constructor that made a type, in four
 * lists, for MPI_Type_get_envelope and MPI_Type_get_contents.
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

/* Lists of the four lengths, zeroed; NULL: out of memory. */
struct weft_dt_env *weft_dt_env_open(int combiner, MPI_Count ints,
				     MPI_Count addrs, MPI_Count counts,
				     MPI_Count types);
/* Accepts NULL. */
void weft_dt_env_close(struct weft_dt_env *env);

#endif

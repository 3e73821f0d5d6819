/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The envelope of a type: the arguments of its constructor, in four lists, for
 * MPI_Type_get_envelope and MPI_Type_get_contents.
 */
#ifndef WEFT_TYPES_DT_ENV_H
#define WEFT_TYPES_DT_ENV_H

#include "src/types/types_dt.h"

struct weft_dt_env {
	int combiner;
	MPI_Count ints;
	MPI_Count addrs;
	/* number of large counts; > 0: created by a _c constructor */
	MPI_Count counts;
	MPI_Count types;
	int *i;
	MPI_Aint *a;
	MPI_Count *c;
	struct weft_dt **t; /* component types, with a reference on each */
};

/* Creates an envelope with four zeroed lists; NULL: no memory. */
struct weft_dt_env *weft_dt_env_open(int combiner, MPI_Count ints,
				     MPI_Count addrs, MPI_Count counts,
				     MPI_Count types);
/* Frees an envelope; env may be NULL. */
void weft_dt_env_close(struct weft_dt_env *env);

#endif

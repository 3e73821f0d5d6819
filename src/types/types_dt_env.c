/* SPDX-License-Identifier: BSD-3-Clause */
/* Envelopes: storage of a constructor's arguments. */
#include "src/types/types_dt_env.h"

#include <stdlib.h>

struct weft_dt_env *weft_dt_env_open(int combiner, MPI_Count ints,
				     MPI_Count addrs, MPI_Count counts,
				     MPI_Count types)
{
	struct weft_dt_env *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->combiner = combiner;
	e->ints = ints;
	e->addrs = addrs;
	e->counts = counts;
	e->types = types;
	e->i = calloc((size_t)ints + 1, sizeof(*e->i));
	e->a = calloc((size_t)addrs + 1, sizeof(*e->a));
	e->c = calloc((size_t)counts + 1, sizeof(*e->c));
	e->t = calloc((size_t)types + 1, sizeof(struct weft_dt *));
	if (e->i && e->a && e->c && e->t)
		return e;
	weft_dt_env_close(e);
	return NULL;
}

void weft_dt_env_close(struct weft_dt_env *e)
{
	if (!e)
		return;
	for (MPI_Count k = 0; e->t && k < e->types; k++)
		if (e->t[k])
			weft_dt_put(e->t[k]);
	free(e->i);
	free(e->a);
	free(e->c);
	free(e->t);
	free(e);
}

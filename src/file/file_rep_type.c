/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types in the representation of a file: a type is built again by its
 * constructors, from basic types that have the sizes used in the file. Strides
 * and displacements in elements thus change with the sizes; those in bytes are
 * unchanged, as MPI specifies for types that are not portable.
 */
#include "src/file/file_rep.h"

#include "src/types/types_dt_env.h"

#include <errno.h>
#include <stdlib.h>

/* ---- arguments of constructors ------------------------------------------- */

/* Returns count number k of the constructor's arguments. */
static MPI_Count num(const struct weft_dt_env *e, MPI_Count k)
{
	return e->counts ? e->c[k] : e->i[k];
}

/*
 * Returns address number k of the constructor's arguments; `first`: number of
 * counts before the addresses.
 */
static MPI_Count addr(const struct weft_dt_env *e, MPI_Count first, MPI_Count k)
{
	return e->counts ? e->c[first + k] : e->a[k];
}

/* ---- basic types --------------------------------------------------------- */

static int make_basic(const struct weft_file_rep *rep, const struct weft_dt *dt,
		      struct weft_dt **dt_p)
{
	MPI_Count bytes;
	int rc = file_rep_basic(rep, dt, &bytes);

	return rc ? rc
		  : weft_dt_vector(1, bytes, bytes, weft_dt_of(MPI_BYTE), dt_p);
}

/* ---- lists of blocks ----------------------------------------------------- */

/* Form of the list arguments of a combiner. */
struct list_kind {
	bool lengths; /* a length for each block; else one length for all */
	bool bytes;   /* displacements in bytes; else in elements */
};

static struct list_kind list_kind(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_INDEXED:
		return (struct list_kind){ true, false };
	case MPI_COMBINER_INDEXED_BLOCK:
		return (struct list_kind){ false, false };
	case MPI_COMBINER_HINDEXED_BLOCK:
		return (struct list_kind){ false, true };
	default: /* MPI_COMBINER_HINDEXED, _STRUCT */
		return (struct list_kind){ true, true };
	}
}

static int make_list(const struct weft_dt_env *e, struct weft_dt **old,
		     struct weft_dt **dt_p)
{
	struct list_kind kind = list_kind(e->combiner);
	MPI_Count n = num(e, 0), nums = 1 + (kind.lengths ? n : 1);
	MPI_Count *list = calloc(2 * (size_t)n + 1, sizeof(*list));
	struct weft_dt_blocks b = {
		.n = n,
		.len = kind.lengths ? 0 : num(e, 1),
		.blocklen = kind.lengths ? list : NULL,
		.disp = list ? list + n : NULL,
		.old = old,
		.same = e->combiner != MPI_COMBINER_STRUCT,
	};
	int rc;

	if (!list)
		return -ENOMEM;
	for (MPI_Count k = 0; k < n; k++) {
		list[k] = kind.lengths ? num(e, 1 + k) : 0;
		list[n + k] = kind.bytes ? addr(e, nums, k)
					 : num(e, nums + k) * old[0]->extent;
	}
	rc = weft_dt_blocks(&b, dt_p);
	free(list);
	return rc;
}

/* ---- arrays -------------------------------------------------------------- */

static int make_subarray(const struct weft_dt_env *e, struct weft_dt *old,
			 struct weft_dt **dt_p)
{
	int n = e->i[0];
	MPI_Count *v = calloc(3 * (size_t)n + 1, sizeof(*v));
	struct weft_dt_subarray a = { n, v, v ? v + n : NULL,
				      v ? v + 2 * n : NULL, e->i[e->ints - 1] };
	int rc;

	if (!v)
		return -ENOMEM;
	for (int k = 0; k < 3 * n; k++)
		v[k] = e->counts ? e->c[k] : e->i[1 + k];
	rc = weft_dt_subarray(&a, old, dt_p);
	free(v);
	return rc;
}

static int make_darray(const struct weft_dt_env *e, struct weft_dt *old,
		       struct weft_dt **dt_p)
{
	int n = e->i[2];
	const int *rest = e->i + 3 + (e->counts ? 0 : n);
	MPI_Count *g = calloc((size_t)n + 1, sizeof(*g));
	struct weft_dt_darray a = { e->i[0],  e->i[1],	    n,		g, rest,
				    rest + n, rest + 2 * n, rest[3 * n] };
	int rc;

	if (!g)
		return -ENOMEM;
	for (int k = 0; k < n; k++)
		g[k] = e->counts ? e->c[k] : e->i[3 + k];
	rc = weft_dt_darray(&a, old, dt_p);
	free(g);
	return rc;
}

/* ---- all constructors ---------------------------------------------------- */

static int make(const struct weft_dt_env *e, struct weft_dt **old,
		struct weft_dt **dt_p)
{
	switch (e->combiner) {
	case MPI_COMBINER_DUP:
		return weft_dt_dup(old[0], dt_p);
	case MPI_COMBINER_CONTIGUOUS:
		return weft_dt_vector(num(e, 0), 1, old[0]->extent, old[0],
				      dt_p);
	case MPI_COMBINER_VECTOR:
		return weft_dt_vector(num(e, 0), num(e, 1),
				      num(e, 2) * old[0]->extent, old[0], dt_p);
	case MPI_COMBINER_HVECTOR:
		return weft_dt_vector(num(e, 0), num(e, 1), addr(e, 2, 0),
				      old[0], dt_p);
	case MPI_COMBINER_RESIZED:
		return weft_dt_resized(old[0], addr(e, 0, 0), addr(e, 0, 1),
				       dt_p);
	case MPI_COMBINER_SUBARRAY:
		return make_subarray(e, old[0], dt_p);
	case MPI_COMBINER_DARRAY:
		return make_darray(e, old[0], dt_p);
	default:
		return make_list(e, old, dt_p);
	}
}

static int make_derived(const struct weft_file_rep *rep,
			const struct weft_dt_env *e, struct weft_dt **dt_p)
{
	struct weft_dt **old = calloc((size_t)e->types, sizeof(*old));
	int rc = old ? 0 : -ENOMEM;

	for (MPI_Count k = 0; k < e->types && !rc; k++)
		rc = weft_file_rep_type(rep, e->t[k], &old[k]);
	if (!rc)
		rc = make(e, old, dt_p);
	for (MPI_Count k = 0; old && k < e->types; k++)
		if (old[k])
			weft_dt_put(old[k]);
	free(old);
	return rc;
}

int weft_file_rep_type(const struct weft_file_rep *rep, struct weft_dt *dt,
		       struct weft_dt **dt_p)
{
	int rc;

	if (!file_rep_converts(rep) || !dt->size) {
		*dt_p = weft_dt_get(dt);
		return 0;
	}
	rc = dt->env && dt->env->types ? make_derived(rep, dt->env, dt_p)
				       : make_basic(rep, dt, dt_p);
	if (!rc)
		weft_dt_commit(*dt_p);
	return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of parts of arrays: subarray and darray. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/type/mpi_type_make.h"

#include <errno.h>
#include <stdlib.h>

static int check_frame(const char *func, int ndims, int ndims_arg, int order,
		       int order_arg)
{
	if (!weft_check)
		return 0;
	if (ndims < 1)
		return weft_err_arg(NULL, func, MPI_ERR_ARG, ndims_arg,
				    "ndims %d is not positive", ndims);
	if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
		return weft_err_arg(
			NULL, func, MPI_ERR_ARG, order_arg,
			"order %d is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN",
			order);
	return 0;
}

/* ---- subarray ------------------------------------------------------------*/

struct sub_call {
	const char *func;
	bool large;
	int ndims;
	struct mpi_list list[3]; /* sizes, subsizes, starts */
	int order;
	MPI_Datatype old;
	MPI_Datatype *newtype;
};

static int sub_check(const struct sub_call *c)
{
	static const char *const what[3] = { "array_of_sizes",
					     "array_of_subsizes",
					     "array_of_starts" };
	int err = check_frame(c->func, c->ndims, 1, c->order, 5);

	for (int k = 0; k < 3 && !err; k++)
		if (!mpi_list_is_set(&c->list[k]))
			err = weft_check_ptr(NULL, c->func, 2 + k, NULL,
					     what[k]);

	for (int d = 0; d < c->ndims && !err && weft_check; d++) {
		MPI_Count size = mpi_list_at(&c->list[0], d);
		MPI_Count sub = mpi_list_at(&c->list[1], d);
		MPI_Count start = mpi_list_at(&c->list[2], d);

		if (size < 1)
			err = weft_err_arg(NULL, c->func, MPI_ERR_ARG, 2,
					   "invalid size %lld of dimension %d",
					   (long long)size, d);
		else if (sub < 1 || sub > size)
			err = weft_err_arg(NULL, c->func, MPI_ERR_ARG, 3,
					   "subsize %lld is invalid in "
					   "dimension %d of size %lld",
					   (long long)sub, d, (long long)size);
		else if (start < 0 || start > size - sub)
			err = weft_err_arg(NULL, c->func, MPI_ERR_ARG, 4,
					   "start %lld is outside dimension %d "
					   "of size %lld",
					   (long long)start, d,
					   (long long)size);
	}
	return err;
}

static struct weft_dt_env *sub_env(const struct sub_call *c,
				   struct weft_dt *old)
{
	int n = 3 * c->ndims;
	struct weft_dt_env *e =
		c->large ? weft_dt_env_open(MPI_COMBINER_SUBARRAY, 2, 0, n, 1)
			 : weft_dt_env_open(MPI_COMBINER_SUBARRAY, n + 2, 0, 0,
					    1);

	if (!e)
		return NULL;
	e->i[0] = c->ndims;
	e->i[e->ints - 1] = c->order;
	for (int k = 0; k < n; k++) {
		MPI_Count v = mpi_list_at(&c->list[k / c->ndims], k % c->ndims);

		if (c->large)
			e->c[k] = v;
		else
			e->i[1 + k] = (int)v;
	}
	e->t[0] = weft_dt_get(old);
	return e;
}

static int sub_make(const struct sub_call *c)
{
	struct weft_dt *old, *dt = NULL;
	MPI_Count *v;
	int err = sub_check(c), rc = -ENOMEM;

	if (!err)
		err = mpi_check_type(c->func, 6, c->old, &old);
	if (!err)
		err = weft_check_ptr(NULL, c->func, 7, c->newtype, "newtype");
	if (err)
		return err;
	v = malloc(3 * (size_t)c->ndims * sizeof(*v));
	if (v) {
		struct weft_dt_subarray a = { c->ndims, v, v + c->ndims,
					      v + 2 * c->ndims, c->order };

		for (int k = 0; k < 3 * c->ndims; k++)
			v[k] = mpi_list_at(&c->list[k / c->ndims],
					   k % c->ndims);
		rc = weft_dt_subarray(&a, old, &dt);
	}
	free(v);
	return mpi_type_finish(c->func, rc, dt, rc ? NULL : sub_env(c, old),
			       c->newtype);
}

/* ---- darray --------------------------------------------------------------*/

struct dar_call {
	const char *func;
	bool large;
	struct mpi_list gsizes;
	struct weft_dt_darray a; /* all arguments except gsizes */
	MPI_Datatype old;
	MPI_Datatype *newtype;
};

static int dar_check_dim(const struct dar_call *c, int d)
{
	int dist = c->a.distribs[d], darg = c->a.dargs[d], p = c->a.psizes[d];
	MPI_Count size = mpi_list_at(&c->gsizes, d);

	if (size < 1)
		return weft_err_arg(NULL, c->func, MPI_ERR_ARG, 4,
				    "invalid size %lld of dimension %d",
				    (long long)size, d);
	if (dist != MPI_DISTRIBUTE_BLOCK && dist != MPI_DISTRIBUTE_CYCLIC &&
	    dist != MPI_DISTRIBUTE_NONE)
		return weft_err_arg(NULL, c->func, MPI_ERR_ARG, 5,
				    "invalid distribution %d of dimension %d",
				    dist, d);
	if (p < 1 || (dist == MPI_DISTRIBUTE_NONE && p != 1))
		return weft_err_arg(NULL, c->func, MPI_ERR_ARG, 7,
				    "%d processes in dimension %d", p, d);
	if (dist == MPI_DISTRIBUTE_NONE || darg == MPI_DISTRIBUTE_DFLT_DARG)
		return 0;
	if (darg < 1 ||
	    (dist == MPI_DISTRIBUTE_BLOCK && (MPI_Count)darg * p < size))
		return weft_err_arg(
			NULL, c->func, MPI_ERR_ARG, 6,
			"distribution argument %d of dimension %d of size %lld",
			darg, d, (long long)size);
	return 0;
}

static int dar_check(const struct dar_call *c)
{
	int err = check_frame(c->func, c->a.ndims, 3, c->a.order, 8);
	MPI_Count procs = 1;

	if (!err && !mpi_list_is_set(&c->gsizes))
		err = weft_check_ptr(NULL, c->func, 4, NULL, "array_of_gsizes");
	if (!err)
		err = weft_check_ptr(NULL, c->func, 5, c->a.distribs,
				     "array_of_distribs");
	if (!err)
		err = weft_check_ptr(NULL, c->func, 6, c->a.dargs,
				     "array_of_dargs");
	if (!err)
		err = weft_check_ptr(NULL, c->func, 7, c->a.psizes,
				     "array_of_psizes");

	if (err || !weft_check)
		return err;
	for (int d = 0; d < c->a.ndims && !err; d++) {
		err = dar_check_dim(c, d);
		procs *= c->a.psizes[d];
	}
	if (!err && procs != c->a.size)
		err = weft_err_arg(NULL, c->func, MPI_ERR_ARG, 1,
				   "grid of %lld processes for size %d",
				   (long long)procs, c->a.size);
	if (!err && (c->a.rank < 0 || c->a.rank >= c->a.size))
		err = weft_err_arg(NULL, c->func, MPI_ERR_ARG, 2,
				   "invalid rank %d of %d", c->a.rank,
				   c->a.size);
	return err;
}

static struct weft_dt_env *dar_env(const struct dar_call *c,
				   struct weft_dt *old)
{
	int n = c->a.ndims, k = 0;
	struct weft_dt_env *e = weft_dt_env_open(MPI_COMBINER_DARRAY,
						 4 + (c->large ? 3 : 4) * n, 0,
						 c->large ? n : 0, 1);

	if (!e)
		return NULL;
	e->i[k++] = c->a.size;
	e->i[k++] = c->a.rank;
	e->i[k++] = n;
	for (int d = 0; d < n; d++) {
		if (c->large)
			e->c[d] = c->a.gsizes[d];
		else
			e->i[k++] = (int)c->a.gsizes[d];
	}
	memcpy(e->i + k, c->a.distribs, (size_t)n * sizeof(int));
	memcpy(e->i + k + n, c->a.dargs, (size_t)n * sizeof(int));
	memcpy(e->i + k + 2 * n, c->a.psizes, (size_t)n * sizeof(int));
	e->i[k + 3 * n] = c->a.order;
	e->t[0] = weft_dt_get(old);
	return e;
}

static int dar_make(struct dar_call *c)
{
	struct weft_dt *old, *dt = NULL;
	struct weft_dt_env *e = NULL;
	MPI_Count *v;
	int err = dar_check(c), rc = -ENOMEM;

	if (!err)
		err = mpi_check_type(c->func, 9, c->old, &old);
	if (!err)
		err = weft_check_ptr(NULL, c->func, 10, c->newtype, "newtype");
	if (err)
		return err;
	v = malloc((size_t)c->a.ndims * sizeof(*v));
	if (v) {
		for (int d = 0; d < c->a.ndims; d++)
			v[d] = mpi_list_at(&c->gsizes, d);
		c->a.gsizes = v;
		rc = weft_dt_darray(&c->a, old, &dt);
	}
	if (!rc)
		e = dar_env(c, old);
	free(v);
	return mpi_type_finish(c->func, rc, dt, e, c->newtype);
}

#define MPI_BODY "src/mpi/type/mpi_type_array_body.inc"
#include "src/mpi/mpi_both_counts.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors: contiguous, vector, indexed and struct types, resized. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/type/mpi_type_make.h"

#include <errno.h>
#include <stdlib.h>

int mpi_type_finish(const char *func, int rc, struct weft_dt *dt,
		    struct weft_dt_env *env, MPI_Datatype *newtype)
{
	if (!rc && env) {
		dt->env = env;
		*newtype = weft_dt_handle(dt);
		return MPI_SUCCESS;
	}
	weft_dt_env_close(env);
	if (!rc)
		weft_dt_put(dt);
	return weft_err_rc(NULL, func, rc ? rc : -ENOMEM);
}

int mpi_check_nonneg(const char *func, int arg, int class, MPI_Count n,
		     const char *what)
{
	if (n >= 0 || !weft_check)
		return 0;
	return weft_err_arg(NULL, func, class, arg, "negative %s %lld", what,
			    (long long)n);
}

/* ---- equal blocks --------------------------------------------------------*/

struct vector_call {
	const char *func;
	int combiner;
	bool large;
	MPI_Count count;
	MPI_Count len;
	MPI_Count stride;
	int type_arg; /* position of the old type */
	MPI_Datatype old;
	MPI_Datatype *newtype;
};

static struct weft_dt_env *vector_env(const struct vector_call *c,
				      struct weft_dt *old)
{
	const MPI_Count arg[3] = { c->count, c->len, c->stride };
	int n = c->combiner == MPI_COMBINER_CONTIGUOUS ? 1 : 3;
	int addrs = c->combiner == MPI_COMBINER_HVECTOR && !c->large;
	struct weft_dt_env *e =
		c->large
			? weft_dt_env_open(c->combiner, 0, 0, n, 1)
			: weft_dt_env_open(c->combiner, n - addrs, addrs, 0, 1);

	if (!e)
		return NULL;
	for (int k = 0; k < n; k++) {
		if (c->large)
			e->c[k] = arg[k];
		else if (k < n - addrs)
			e->i[k] = (int)arg[k];
		else
			e->a[0] = (MPI_Aint)arg[k];
	}
	e->t[0] = weft_dt_get(old);
	return e;
}

static int vector_make(const struct vector_call *c)
{
	struct weft_dt *old, *dt = NULL;
	MPI_Count stride = c->stride;
	int err =
		mpi_check_nonneg(c->func, 1, MPI_ERR_COUNT, c->count, "count");
	int rc = 0;

	if (!err)
		err = mpi_check_nonneg(c->func, 2, MPI_ERR_ARG, c->len,
				       "blocklength");
	if (!err)
		err = mpi_check_type(c->func, c->type_arg, c->old, &old);
	if (!err)
		err = weft_check_ptr(NULL, c->func, c->type_arg + 1, c->newtype,
				     "newtype");
	if (err)
		return err;
	if (c->combiner != MPI_COMBINER_HVECTOR &&
	    __builtin_mul_overflow(stride, old->extent, &stride))
		rc = -EOVERFLOW;
	if (!rc)
		rc = weft_dt_vector(c->count, c->len, stride, old, &dt);
	return mpi_type_finish(c->func, rc, dt, vector_env(c, old), c->newtype);
}

static int contiguous(const char *func, bool large, MPI_Count count,
		      MPI_Datatype old, MPI_Datatype *newtype)
{
	struct vector_call c = {
		func,	MPI_COMBINER_CONTIGUOUS, large, count, 1, 1, 2, old,
		newtype
	};

	return vector_make(&c);
}

/* ---- resized -------------------------------------------------------------*/

static int resized(const char *func, bool large, MPI_Datatype oldtype,
		   MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	struct weft_dt *old, *dt = NULL;
	struct weft_dt_env *e;
	int err = mpi_check_type(func, 1, oldtype, &old);
	int rc;

	if (!err)
		err = weft_check_ptr(NULL, func, 4, newtype, "newtype");
	if (err)
		return err;
	rc = weft_dt_resized(old, lb, extent, &dt);
	e = weft_dt_env_open(MPI_COMBINER_RESIZED, 0, large ? 0 : 2,
			     large ? 2 : 0, 1);
	if (e) {
		e->t[0] = weft_dt_get(old);
		if (large) {
			e->c[0] = lb;
			e->c[1] = extent;
		} else {
			e->a[0] = (MPI_Aint)lb;
			e->a[1] = (MPI_Aint)extent;
		}
	}
	return mpi_type_finish(func, rc, dt, e, newtype);
}

#define MPI_BODY "src/mpi/type/mpi_type_make_body.inc"
#include "src/mpi/mpi_both_counts.h"

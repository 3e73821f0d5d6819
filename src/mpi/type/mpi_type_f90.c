/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types found by their properties: MPI_Type_match_size, the Fortran types by
 * precision and range, and pairs by their members.
 */
#include "src/mpi/mpi_export.h"

#include "src/types/types_dt_env.h"
#include "src/mpi/type/mpi_type.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- by size -------------------------------------------------------------*/

static const struct {
	int typeclass;
	int size;
	MPI_Datatype type;
} sized[] = {
	{ MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1 },
	{ MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2 },
	{ MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4 },
	{ MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8 },
	{ MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16 },
	{ MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1 },
	{ MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2 },
	{ MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4 },
	{ MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8 },
	{ MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16 },
	{ MPI_TYPECLASS_REAL, 2, MPI_REAL2 },
	{ MPI_TYPECLASS_REAL, 4, MPI_REAL4 },
	{ MPI_TYPECLASS_REAL, 8, MPI_REAL8 },
	{ MPI_TYPECLASS_REAL, 16, MPI_REAL16 },
	{ MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4 },
	{ MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8 },
	{ MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16 },
	{ MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32 },
};

#pragma weak MPI_Type_match_size = PMPI_Type_match_size
int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 3, datatype, "datatype");

	if (err)
		return err;
	if (weft_check && (typeclass < MPIX_TYPECLASS_LOGICAL ||
			   typeclass > MPI_TYPECLASS_COMPLEX))
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1,
				    "invalid typeclass %d", typeclass);
	for (size_t k = 0; k < WEFT_COUNT_OF(sized); k++) {
		if (sized[k].typeclass != typeclass || sized[k].size != size ||
		    weft_dt_of(sized[k].type)->size < 0)
			continue;
		*datatype = sized[k].type;
		return MPI_SUCCESS;
	}
	return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 2,
			    "no type of size %d in this class", size);
}

/* ---- by precision and range ----------------------------------------------*/

struct kind {
	int p; /* decimal digits */
	int r; /* decimal exponent */
	MPI_Datatype type;
};

static const struct kind reals[] = { { 6, 37, MPI_REAL4 },
				     { 15, 307, MPI_REAL8 },
				     { 33, 4931, MPI_REAL16 } };
static const struct kind complexes[] = { { 6, 37, MPI_COMPLEX8 },
					 { 15, 307, MPI_COMPLEX16 },
					 { 33, 4931, MPI_COMPLEX32 } };
static const struct kind integers[] = { { 0, 2, MPI_INTEGER1 },
					{ 0, 4, MPI_INTEGER2 },
					{ 0, 9, MPI_INTEGER4 },
					{ 0, 18, MPI_INTEGER8 },
					{ 0, 38, MPI_INTEGER16 } };

/* Returns the first kind that is large enough and supported, or NULL. */
static struct weft_dt *find_kind(const struct kind *k, size_t n, int p, int r)
{
	for (size_t i = 0; i < n; i++) {
		struct weft_dt *dt = weft_dt_of(k[i].type);

		if ((p == MPI_UNDEFINED || p <= k[i].p) &&
		    (r == MPI_UNDEFINED || r <= k[i].r) && dt->size > 0)
			return dt;
	}
	return NULL;
}

/* Equal arguments get the same handle, so all results are kept. */
static struct {
	pthread_mutex_t lock;
	struct weft_dt **dt;
	int n;
} made = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

static struct weft_dt *cache_find(int combiner, int p, int r)
{
	for (int i = 0; i < made.n; i++) {
		const struct weft_dt_env *e = made.dt[i]->env;

		if (e->combiner == combiner && e->i[0] == p &&
		    (e->ints == 1 || e->i[1] == r))
			return made.dt[i];
	}
	return NULL;
}

static struct weft_dt *cache_add(int combiner, int p, int r,
				 struct weft_dt *base)
{
	int ints = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2;
	struct weft_dt **more, *dt;

	more = realloc(made.dt, (size_t)(made.n + 1) * sizeof(dt));
	if (!more)
		return NULL;
	made.dt = more;
	if (weft_dt_dup(base, &dt))
		return NULL;
	dt->env = weft_dt_env_open(combiner, ints, 0, 0, 0);
	if (!dt->env) {
		weft_dt_put(dt);
		return NULL;
	}
	dt->env->i[0] = p;
	if (ints == 2)
		dt->env->i[1] = r;
	made.dt[made.n++] = dt;
	return dt;
}

static int f90(const char *func, int combiner, int p, int r,
	       struct weft_dt *base, MPI_Datatype *newtype)
{
	int arg = combiner == MPI_COMBINER_F90_INTEGER ? 2 : 3;
	int err = weft_check_ptr(NULL, func, arg, newtype, "newtype");
	struct weft_dt *dt;

	if (err)
		return err;
	if (!base)
		return weft_err_arg(NULL, func, MPI_ERR_ARG, 1,
				    "no type has a precision of %d digits", p);
	pthread_mutex_lock(&made.lock);
	dt = cache_find(combiner, p, r);
	if (!dt)
		dt = cache_add(combiner, p, r, base);
	pthread_mutex_unlock(&made.lock);
	if (!dt)
		return weft_err_rc(NULL, func, -ENOMEM);
	*newtype = weft_dt_handle(dt);
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_create_f90_real = PMPI_Type_create_f90_real
int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
	MPI_ENTER;

	return f90(__func__, MPI_COMBINER_F90_REAL, p, r,
		   find_kind(reals, WEFT_COUNT_OF(reals), p, r), newtype);
}

#pragma weak MPI_Type_create_f90_complex = PMPI_Type_create_f90_complex
int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
	MPI_ENTER;

	return f90(__func__, MPI_COMBINER_F90_COMPLEX, p, r,
		   find_kind(complexes, WEFT_COUNT_OF(complexes), p, r),
		   newtype);
}

#pragma weak MPI_Type_create_f90_integer = PMPI_Type_create_f90_integer
int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
	MPI_ENTER;

	return f90(__func__, MPI_COMBINER_F90_INTEGER, r, 0,
		   find_kind(integers, WEFT_COUNT_OF(integers), 0, r), newtype);
}

/* ---- pairs ---------------------------------------------------------------*/

static const struct {
	MPI_Datatype value;
	MPI_Datatype index;
	MPI_Datatype pair;
} pairs[] = {
	{ MPI_FLOAT, MPI_INT, MPI_FLOAT_INT },
	{ MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT },
	{ MPI_LONG, MPI_INT, MPI_LONG_INT },
	{ MPI_INT, MPI_INT, MPI_2INT },
	{ MPI_SHORT, MPI_INT, MPI_SHORT_INT },
	{ MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT },
	{ MPI_REAL, MPI_REAL, MPI_2REAL },
	{ MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION },
	{ MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER },
};

/*
 * If no such pair type exists, the result is MPI_DATATYPE_NULL, not an error.
 */
#pragma weak MPI_Type_get_value_index = PMPI_Type_get_value_index
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
			      MPI_Datatype *pair_type)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = mpi_check_type(__func__, 1, value_type, &dt);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, pair_type, "pair_type");
	if (!err)
		err = mpi_check_type(__func__, 2, index_type, &dt);
	if (err)
		return err;
	*pair_type = MPI_DATATYPE_NULL;
	for (size_t k = 0; k < WEFT_COUNT_OF(pairs); k++)
		if (pairs[k].value == value_type &&
		    pairs[k].index == index_type)
			*pair_type = pairs[k].pair;
	return MPI_SUCCESS;
}

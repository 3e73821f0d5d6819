/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes: commit, free, dup, sizes, names, addresses. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/mpi_check.h"
#include "src/types/types_attr.h"
#include "src/types/types_dt_env.h"
#include "src/mpi/type/mpi_type.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

int mpi_type_bad(const char *func, int arg, MPI_Datatype handle)
{
	const struct weft_dt *dt = weft_dt_of(handle);

	if (dt)
		return weft_err_arg(
			NULL, func, MPI_ERR_TYPE, arg,
			"datatype %s is not supported on this platform",
			dt->name ? dt->name : "");
	if (handle == MPI_DATATYPE_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_TYPE, arg,
				    "datatype is MPI_DATATYPE_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_TYPE, arg,
			    "invalid datatype %p", (void *)handle);
}

/* ---- commit, free, duplicate -------------------------------------------- */

#pragma weak MPI_Type_commit = PMPI_Type_commit
int PMPI_Type_commit(MPI_Datatype *datatype)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = weft_check_ptr(NULL, __func__, 1, datatype, "datatype");

	if (!err)
		err = mpi_check_type(__func__, 1, *datatype, &dt);
	if (!err)
		weft_dt_commit(dt);
	return err;
}

/*
 * Returns whether a type is never freed: it is predefined, or was made by
 * MPI_Type_create_f90_*.
 */
static bool is_permanent(const struct weft_dt *dt)
{
	return dt->obj.predefined ||
	       (dt->env && dt->env->combiner >= MPI_COMBINER_F90_REAL &&
		dt->env->combiner <= MPI_COMBINER_F90_INTEGER);
}

#pragma weak MPI_Type_free = PMPI_Type_free
int PMPI_Type_free(MPI_Datatype *datatype)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = weft_check_ptr(NULL, __func__, 1, datatype, "datatype");

	if (!err)
		err = mpi_check_type(__func__, 1, *datatype, &dt);
	if (err)
		return err;
	if (is_permanent(dt))
		return weft_err_arg(NULL, __func__, MPI_ERR_TYPE, 1,
				    "predefined datatype %s cannot be freed",
				    dt->name ? dt->name : "");
	err = weft_attrs_clear(&dt->attr, *datatype);
	if (err)
		return weft_err_rc(NULL, __func__, err);
	weft_dt_put(dt);
	*datatype = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_dup = PMPI_Type_dup
int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	MPI_ENTER;
	struct weft_dt *old, *dt;
	int err = mpi_check_type(__func__, 1, oldtype, &old);
	int rc;

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, newtype, "newtype");
	if (err)
		return err;
	*newtype = MPI_DATATYPE_NULL;
	rc = weft_dt_dup(old, &dt);
	if (rc)
		return weft_err_rc(NULL, __func__, rc);
	dt->env = weft_dt_env_open(MPI_COMBINER_DUP, 0, 0, 0, 1);
	if (dt->env)
		dt->env->t[0] = weft_dt_get(old);
	rc = dt->env ? weft_attrs_copy(&dt->attr, &old->attr, oldtype)
		     : -ENOMEM;
	if (rc) {
		weft_attrs_clear(&dt->attr, weft_dt_handle(dt));
		weft_dt_put(dt);
		return weft_err_rc(NULL, __func__, rc);
	}
	*newtype = weft_dt_handle(dt);
	return MPI_SUCCESS;
}

/* ---- sizes ---------------------------------------------------------------*/

/* Gets the size of a type; the size of an unsupported type is MPI_UNDEFINED. */
static int type_size(const char *func, MPI_Datatype type, MPI_Count *size)
{
	struct weft_dt *dt = weft_dt_of(type);

	if (!dt)
		return mpi_type_bad(func, 1, type);
	if (weft_check && !size)
		return weft_check_ptr(NULL, func, 2, size, "size");
	*size = dt->size;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_size_x = PMPI_Type_size_x
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
	MPI_ENTER;

	return type_size(__func__, datatype, size);
}

/*
 * Gets the extent of a type. true_one: the true extent, without the bounds set
 * by MPI_Type_create_resized.
 */
static int type_extent(const char *func, MPI_Datatype type, bool true_one,
		       MPI_Count *lb, MPI_Count *extent)
{
	struct weft_dt *dt;
	int err = mpi_check_type(func, 1, type, &dt);

	if (!err)
		err = weft_check_ptr(NULL, func, 2, lb, "lb");
	if (!err)
		err = weft_check_ptr(NULL, func, 3, extent, "extent");
	if (err)
		return err;
	*lb = true_one ? dt->true_lb : dt->lb;
	*extent = true_one ? dt->true_extent : dt->extent;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_get_extent_x = PMPI_Type_get_extent_x
int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb,
			   MPI_Count *extent)
{
	MPI_ENTER;

	return type_extent(__func__, datatype, false, lb, extent);
}

#pragma weak MPI_Type_get_true_extent_x = PMPI_Type_get_true_extent_x
int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb,
				MPI_Count *true_extent)
{
	MPI_ENTER;

	return type_extent(__func__, datatype, true, true_lb, true_extent);
}

/* ---- names ---------------------------------------------------------------*/

static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER;

#pragma weak MPI_Type_set_name = PMPI_Type_set_name
int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
	MPI_ENTER;
	struct weft_dt *dt = weft_dt_of(datatype);
	char *name, *old;
	int err = 0;

	if (!dt)
		return mpi_type_bad(__func__, 1, datatype);
	err = weft_check_ptr(NULL, __func__, 2, type_name, "type_name");
	if (err)
		return err;
	if (strlen(type_name) >= MPI_MAX_OBJECT_NAME)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 2,
				    "name of %zu characters is too long",
				    strlen(type_name));
	name = strdup(type_name);
	if (!name)
		return weft_err_rc(NULL, __func__, -ENOMEM);
	pthread_mutex_lock(&name_lock);
	old = dt->set_name;
	dt->set_name = name;
	pthread_mutex_unlock(&name_lock);
	free(old);
	return MPI_SUCCESS;
}

/* Returns the name of a type; MPI_DATATYPE_NULL has a name, too. */
static const char *name_of(MPI_Datatype h, const struct weft_dt *dt)
{
	if (h == MPI_DATATYPE_NULL)
		return "MPI_DATATYPE_NULL";
	if (dt->set_name)
		return dt->set_name;
	return dt->name ? dt->name : "";
}

#pragma weak MPI_Type_get_name = PMPI_Type_get_name
int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
	MPI_ENTER;
	struct weft_dt *dt = weft_dt_of(datatype);
	int err;

	if (!dt && datatype != MPI_DATATYPE_NULL)
		return mpi_type_bad(__func__, 1, datatype);
	err = weft_check_ptr(NULL, __func__, 2, type_name, "type_name");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, resultlen, "resultlen");
	if (err)
		return err;
	pthread_mutex_lock(&name_lock);
	strcpy(type_name, name_of(datatype, dt));
	pthread_mutex_unlock(&name_lock);
	*resultlen = (int)strlen(type_name);
	return MPI_SUCCESS;
}

/* ---- addresses -----------------------------------------------------------*/

#pragma weak MPI_Get_address = PMPI_Get_address
int PMPI_Get_address(const void *location, MPI_Aint *address)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 2, address, "address");

	if (!err)
		*address = (MPI_Aint)location;
	return err;
}

/*
 * Addresses are computed with unsigned integers, because they may wrap around.
 */
#pragma weak MPI_Aint_add = PMPI_Aint_add
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

#pragma weak MPI_Aint_diff = PMPI_Aint_diff
MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}

#define MPI_BODY "src/mpi/type/mpi_datatype_body.inc"
#include "src/mpi/mpi_both_counts.h"

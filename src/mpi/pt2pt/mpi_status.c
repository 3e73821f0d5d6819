/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing MPI_Status. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_status.h"
#include "src/mpi/mpi_check.h"

#include <limits.h>

static int bad_type(const char *func, MPI_Datatype type)
{
	return weft_err_arg(NULL, func, MPI_ERR_TYPE, 2, "invalid datatype %p",
			    (void *)type);
}

/* Checks the status, and the output argument number arg. */
static int check_outputs(const char *func, const void *status, int arg,
			 const void *place, const char *what)
{
	int err = weft_check_ptr(NULL, func, 1, status, "status");

	return err ? err : weft_check_ptr(NULL, func, arg, place, what);
}

/* Gets the received bytes, and the type by which they are counted. */
static int get_bytes(const char *func, const MPI_Status *status,
		     MPI_Datatype type, const void *count,
		     const struct weft_dt **dt_p, MPI_Count *bytes)
{
	int err = check_outputs(func, status, 3, count, "count");

	if (err)
		return err;
	*dt_p = weft_dt_of(type);
	if (!*dt_p || (*dt_p)->size < 0)
		return bad_type(func, type);
	*bytes = weft_status_bytes(status);
	return 0;
}

static int get_count(const char *func, const MPI_Status *status,
		     MPI_Datatype type, MPI_Count *count)
{
	const struct weft_dt *dt;
	MPI_Count bytes = 0;
	int err = get_bytes(func, status, type, count, &dt, &bytes);

	if (err)
		return err;
	if (dt->size == 0)
		*count = bytes ? MPI_UNDEFINED : 0;
	else
		*count = bytes % dt->size ? MPI_UNDEFINED : bytes / dt->size;
	return MPI_SUCCESS;
}

static int get_elements(const char *func, const MPI_Status *status,
			MPI_Datatype type, MPI_Count *count)
{
	const struct weft_dt *dt;
	MPI_Count bytes = 0;
	int err = get_bytes(func, status, type, count, &dt, &bytes);

	if (err)
		return err;
	*count = dt->size ? weft_dt_elements(dt, bytes) : bytes ? -1 : 0;
	if (*count < 0)
		*count = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_elements_x = PMPI_Get_elements_x
int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype,
			MPI_Count *count)
{
	MPI_ENTER;

	return get_elements(__func__, status, datatype, count);
}

static int set_elements(const char *func, MPI_Status *status, MPI_Datatype type,
			MPI_Count count)
{
	const struct weft_dt *dt = weft_dt_of(type);
	int err = weft_check_ptr(NULL, func, 1, status, "status");

	if (err)
		return err;
	if (!dt)
		return bad_type(func, type);
	if (count < 0)
		return weft_err_arg(NULL, func, MPI_ERR_COUNT, 3,
				    "negative count %lld", (long long)count);
	weft_status_set_bytes(status, weft_dt_bytes(dt, count));
	return MPI_SUCCESS;
}

#pragma weak MPI_Status_set_elements_x = PMPI_Status_set_elements_x
int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype,
			       MPI_Count count)
{
	MPI_ENTER;

	return set_elements(__func__, status, datatype, count);
}

#pragma weak MPI_Status_set_cancelled = PMPI_Status_set_cancelled
int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, status, "status");

	if (!err)
		weft_status_set_cancelled(status, flag != 0);
	return err;
}

#pragma weak MPI_Test_cancelled = PMPI_Test_cancelled
int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	MPI_ENTER;
	int err = check_outputs(__func__, status, 2, flag, "flag");

	if (!err)
		*flag = weft_status_is_cancelled(status);
	return err;
}

#pragma weak MPI_Status_get_source = PMPI_Status_get_source
int PMPI_Status_get_source(const MPI_Status *status, int *source)
{
	MPI_ENTER;
	int err = check_outputs(__func__, status, 2, source, "source");

	if (!err)
		*source = status->MPI_SOURCE;
	return err;
}

#pragma weak MPI_Status_set_source = PMPI_Status_set_source
int PMPI_Status_set_source(MPI_Status *status, int source)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, status, "status");

	if (!err)
		status->MPI_SOURCE = source;
	return err;
}

#pragma weak MPI_Status_get_tag = PMPI_Status_get_tag
int PMPI_Status_get_tag(const MPI_Status *status, int *tag)
{
	MPI_ENTER;
	int err = check_outputs(__func__, status, 2, tag, "tag");

	if (!err)
		*tag = status->MPI_TAG;
	return err;
}

#pragma weak MPI_Status_set_tag = PMPI_Status_set_tag
int PMPI_Status_set_tag(MPI_Status *status, int tag)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, status, "status");

	if (!err)
		status->MPI_TAG = tag;
	return err;
}

#pragma weak MPI_Status_get_error = PMPI_Status_get_error
int PMPI_Status_get_error(const MPI_Status *status, int *error)
{
	MPI_ENTER;
	int err = check_outputs(__func__, status, 2, error, "error");

	if (!err)
		*error = status->MPI_ERROR;
	return err;
}

#pragma weak MPI_Status_set_error = PMPI_Status_set_error
int PMPI_Status_set_error(MPI_Status *status, int error)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, status, "status");

	if (!err)
		status->MPI_ERROR = error;
	return err;
}

#define MPI_BODY "src/mpi/pt2pt/mpi_status_body.inc"
#include "src/mpi/mpi_both_counts.h"

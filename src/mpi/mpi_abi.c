/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries and settings of the application binary interface. These functions
 * work at any time. Until a Fortran layer registers the sizes of the Fortran
 * types, the sizes used by the compilers of the supported platforms apply.
 */
#include "src/mpi/mpi_export.h"

#include "src/types/types_dt_predef.h"
#include "src/diag/diag_err.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#pragma weak MPI_Abi_get_version = PMPI_Abi_get_version
int PMPI_Abi_get_version(int *abi_major, int *abi_minor)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, abi_major, "abi_major");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, abi_minor, "abi_minor");
	if (err)
		return err;
	*abi_major = MPI_ABI_VERSION;
	*abi_minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}

static int set_number(struct weft_info *info, const char *key, size_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", n);
	return weft_info_set(info, key, text);
}

#pragma weak MPI_Abi_get_info = PMPI_Abi_get_info
int PMPI_Abi_get_info(MPI_Info *info)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = weft_check_ptr(NULL, __func__, 1, info, "info");
	int rc;

	if (err)
		return err;
	i = weft_info_open();
	rc = i ? 0 : -ENOMEM;
	if (!rc)
		rc = set_number(i, "mpi_aint_size", sizeof(MPI_Aint));
	if (!rc)
		rc = set_number(i, "mpi_count_size", sizeof(MPI_Count));
	if (!rc)
		rc = set_number(i, "mpi_offset_size", sizeof(MPI_Offset));
	if (rc) {
		weft_info_close(i);
		return weft_err_rc(NULL, __func__, rc);
	}
	*info = weft_info_handle(i);
	return MPI_SUCCESS;
}

/* ---- Fortran -------------------------------------------------------------*/

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* registered sizes and values; NULL: not registered */
static struct weft_info *fortran;

/* The sizes that can be registered, and the types that they apply to. */
static const struct {
	const char *key;
	enum { LOGICAL, INTEGER, REAL } what;
	MPI_Datatype one;
	MPI_Datatype two; /* complex type of the same kind; null: none */
	MPI_Datatype pair;
} sizes[] = {
	{ "mpi_logical_size", LOGICAL, MPI_LOGICAL, MPI_DATATYPE_NULL,
	  MPI_DATATYPE_NULL },
	{ "mpi_integer_size", INTEGER, MPI_INTEGER, MPI_DATATYPE_NULL,
	  MPI_2INTEGER },
	{ "mpi_real_size", REAL, MPI_REAL, MPI_COMPLEX, MPI_2REAL },
	{ "mpi_double_precision_size", REAL, MPI_DOUBLE_PRECISION,
	  MPI_DOUBLE_COMPLEX, MPI_2DOUBLE_PRECISION },
};

/*
 * Returns the arithmetic type of a real or integer number, or of a complex
 * number, of this size.
 */
static enum weft_num_type basic_of(int what, int bytes, bool complex)
{
	int k = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;

	if (what == LOGICAL)
		return (enum weft_num_type)(WEFT_NUM_L8 + k);
	if (what == INTEGER)
		return (enum weft_num_type)(WEFT_NUM_I8 + 2 * k);
	if (bytes == 4)
		return complex ? WEFT_NUM_C32 : WEFT_NUM_F32;
	if (bytes == 8)
		return complex ? WEFT_NUM_C64 : WEFT_NUM_F64;
	return complex ? WEFT_NUM_CLD : WEFT_NUM_FLD;
}

/*
 * Returns the arithmetic type of a pair; pairs can be reduced only if their
 * members have the usual size.
 */
static enum weft_num_type basic_of_pair(int what, int bytes)
{
	if (what == INTEGER)
		return bytes == 4 ? WEFT_NUM_2INT : WEFT_NUM_NONE;
	if (bytes == 4)
		return WEFT_NUM_2REAL;
	return bytes == 8 ? WEFT_NUM_2DOUBLE : WEFT_NUM_NONE;
}

static bool size_is_known(int what, int bytes)
{
	if (what == REAL)
		return bytes == 4 || bytes == 8 ||
		       bytes == (int)sizeof(long double);
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool use_size(size_t k, int bytes)
{
	int what = sizes[k].what;

	if (!size_is_known(what, bytes))
		return false;
	weft_dt_predef_resize(sizes[k].one, 1, bytes,
			      basic_of(what, bytes, false));
	weft_dt_predef_resize(sizes[k].two, 2, bytes,
			      basic_of(what, bytes, true));
	weft_dt_predef_resize(sizes[k].pair, 2, bytes,
			      basic_of_pair(what, bytes));
	return true;
}

#pragma weak MPI_Abi_set_fortran_info = PMPI_Abi_set_fortran_info
int PMPI_Abi_set_fortran_info(MPI_Info info)
{
	MPI_ENTER;
	struct weft_info *from = weft_info_of(info);
	char text[24];
	int err = MPI_SUCCESS;

	if (!from)
		return weft_err_arg(NULL, __func__, MPI_ERR_INFO, 1,
				    "invalid info %p", (void *)info);
	pthread_mutex_lock(&lock);
	if (fortran)
		err = MPI_ERR_ABI;
	for (size_t k = 0; k < WEFT_COUNT_OF(sizes) && !err; k++)
		if (weft_info_get(from, sizes[k].key, text, sizeof(text)) > 0 &&
		    !use_size(k, atoi(text)))
			err = MPI_ERR_ARG;
	if (!err)
		fortran = weft_info_dup(from);
	pthread_mutex_unlock(&lock);
	if (err == MPI_ERR_ABI)
		return weft_err_arg(
			NULL, __func__, err, 0,
			"the sizes of Fortran types are already registered");
	if (err)
		return weft_err_arg(NULL, __func__, err, 1,
				    "this host does not support the size");
	return MPI_SUCCESS;
}

#pragma weak MPI_Abi_get_fortran_info = PMPI_Abi_get_fortran_info
int PMPI_Abi_get_fortran_info(MPI_Info *info)
{
	MPI_ENTER;
	struct weft_info *copy = NULL;
	bool known;
	int err = weft_check_ptr(NULL, __func__, 1, info, "info");

	if (err)
		return err;
	pthread_mutex_lock(&lock);
	known = fortran != NULL;
	if (known)
		copy = weft_info_dup(fortran);
	pthread_mutex_unlock(&lock);
	if (known && !copy)
		return weft_err_rc(NULL, __func__, -ENOMEM);
	*info = known ? weft_info_handle(copy) : MPI_INFO_NULL;
	return MPI_SUCCESS;
}

/* Returns the entry for LOGICAL of this size, or NULL. */
static struct weft_num_logical *logical_of(int size)
{
	for (int k = 0; k < 5; k++)
		if (size == 1 << k)
			return &weft_num_logical[k];
	return NULL;
}

#pragma weak MPI_Abi_set_fortran_booleans = PMPI_Abi_set_fortran_booleans
int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true,
				  void *logical_false)
{
	MPI_ENTER;
	struct weft_num_logical *l = logical_of(logical_size);
	int err =
		weft_check_ptr(NULL, __func__, 2, logical_true, "logical_true");
	bool again;

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, logical_false,
				     "logical_false");
	if (err)
		return err;
	if (!l)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1,
				    "there is no LOGICAL of %d bytes",
				    logical_size);
	pthread_mutex_lock(&lock);
	again = l->set;
	if (!again) {
		memcpy(l->yes, logical_true, (size_t)logical_size);
		memcpy(l->no, logical_false, (size_t)logical_size);
		l->set = true;
	}
	pthread_mutex_unlock(&lock);
	if (again)
		return weft_err_arg(NULL, __func__, MPI_ERR_ABI, 0,
				    "booleans of %d bytes are registered",
				    logical_size);
	return MPI_SUCCESS;
}

#pragma weak MPI_Abi_get_fortran_booleans = PMPI_Abi_get_fortran_booleans
int PMPI_Abi_get_fortran_booleans(int logical_size, void *logical_true,
				  void *logical_false, int *is_set)
{
	MPI_ENTER;
	struct weft_num_logical *l = logical_of(logical_size);
	int err = weft_check_ptr(NULL, __func__, 4, is_set, "is_set");

	if (err)
		return err;
	if (!l)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1,
				    "there is no LOGICAL of %d bytes",
				    logical_size);
	pthread_mutex_lock(&lock);
	*is_set = l->set;
	if (l->set) {
		memcpy(logical_true, l->yes, (size_t)logical_size);
		memcpy(logical_false, l->no, (size_t)logical_size);
	}
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

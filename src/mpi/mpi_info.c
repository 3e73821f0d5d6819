/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects. They can be used before MPI_Init and after MPI_Finalize. */
#include "src/mpi/mpi_export.h"

#include "src/diag/diag_err.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <string.h>

static int check_info(const char *func, int arg, MPI_Info handle,
		      struct weft_info **info_p)
{
	*info_p = weft_info_of(handle);
	if (*info_p)
		return 0;
	if (handle == MPI_INFO_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_INFO, arg,
				    "info is MPI_INFO_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_INFO, arg, "invalid info %p",
			    (void *)handle);
}

/* Gets an info that may be changed; MPI_INFO_ENV is read-only. */
static int check_writable(const char *func, MPI_Info handle,
			  struct weft_info **info_p)
{
	int err = check_info(func, 1, handle, info_p);

	if (err || !(*info_p)->obj.predefined)
		return err;
	return weft_err_arg(NULL, func, MPI_ERR_INFO, 1,
			    "MPI_INFO_ENV cannot be changed");
}

static int check_text(const char *func, int arg, int class, const char *text,
		      size_t room)
{
	size_t len = text ? strlen(text) : 0;

	if (text && len < room && (len || class == MPI_ERR_INFO_VALUE))
		return 0;
	if (!text || !len)
		return weft_err_arg(NULL, func, class, arg, "text is %s",
				    text ? "empty" : "NULL");
	return weft_err_arg(
		NULL, func, class, arg,
		"string has %zu characters, at most %zu are allowed", len,
		room - 1);
}

static int check_key(const char *func, int arg, const char *key)
{
	return check_text(func, arg, MPI_ERR_INFO_KEY, key, MPI_MAX_INFO_KEY);
}

/* ---- create, free, duplicate -------------------------------------------- */

static int return_info(const char *func, struct weft_info *info, MPI_Info *out)
{
	if (!info)
		return weft_err_rc(NULL, func, -ENOMEM);
	*out = weft_info_handle(info);
	return MPI_SUCCESS;
}

#pragma weak MPI_Info_create = PMPI_Info_create
int PMPI_Info_create(MPI_Info *info)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, info, "info");

	return err ? err : return_info(__func__, weft_info_open(), info);
}

#pragma weak MPI_Info_create_env = PMPI_Info_create_env
int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
	MPI_ENTER;
	struct weft_info *env;
	int err = weft_check_ptr(NULL, __func__, 3, info, "info");

	if (err)
		return err;
	env = weft_info_open();
	if (env && weft_info_fill(env, argv ? argc : 0, argv)) {
		weft_info_close(env);
		env = NULL;
	}
	return return_info(__func__, env, info);
}

#pragma weak MPI_Info_dup = PMPI_Info_dup
int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
	MPI_ENTER;
	struct weft_info *from;
	int err = check_info(__func__, 1, info, &from);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, newinfo, "newinfo");
	return err ? err : return_info(__func__, weft_info_dup(from), newinfo);
}

#pragma weak MPI_Info_free = PMPI_Info_free
int PMPI_Info_free(MPI_Info *info)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = weft_check_ptr(NULL, __func__, 1, info, "info");

	if (!err)
		err = check_writable(__func__, *info, &i);
	if (err)
		return err;
	weft_info_close(i);
	*info = MPI_INFO_NULL;
	return MPI_SUCCESS;
}

/* ---- writing -------------------------------------------------------------*/

#pragma weak MPI_Info_set = PMPI_Info_set
int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = check_writable(__func__, info, &i);

	if (!err)
		err = check_key(__func__, 2, key);
	if (!err)
		err = check_text(__func__, 3, MPI_ERR_INFO_VALUE, value,
				 MPI_MAX_INFO_VAL);
	if (err)
		return err;
	return weft_err_rc(NULL, __func__, weft_info_set(i, key, value));
}

#pragma weak MPI_Info_delete = PMPI_Info_delete
int PMPI_Info_delete(MPI_Info info, const char *key)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = check_writable(__func__, info, &i);

	if (!err)
		err = check_key(__func__, 2, key);
	if (!err && weft_info_delete(i, key))
		err = weft_err_arg(NULL, __func__, MPI_ERR_INFO_NOKEY, 2,
				   "key \"%s\" does not exist", key);
	return err;
}

/* ---- reading -------------------------------------------------------------*/

/* Reads the value of a key. *len_p: length of the value; -1: no such key. */
static int read_value(const char *func, MPI_Info info, const char *key,
		      char *value, int room, int *len_p)
{
	struct weft_info *i;
	int err = check_info(func, 1, info, &i);

	if (!err)
		err = check_key(func, 2, key);
	if (!err)
		*len_p = weft_info_get(i, key, value, room);
	return err;
}

#pragma weak MPI_Info_get = PMPI_Info_get
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value,
		  int *flag)
{
	MPI_ENTER;
	int len = -1;
	int err = weft_check_ptr(NULL, __func__, 5, flag, "flag");

	if (!err && valuelen < 0)
		err = weft_err_arg(NULL, __func__, MPI_ERR_ARG, 3,
				   "negative length %d", valuelen);
	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, value, "value");
	if (!err)
		err = read_value(__func__, info, key, value, valuelen + 1,
				 &len);
	if (!err)
		*flag = len >= 0;
	return err;
}

#pragma weak MPI_Info_get_string = PMPI_Info_get_string
int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen,
			 char *value, int *flag)
{
	MPI_ENTER;
	int len = -1;
	int err = weft_check_ptr(NULL, __func__, 3, buflen, "buflen");

	if (!err && *buflen > 0)
		err = weft_check_ptr(NULL, __func__, 4, value, "value");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 5, flag, "flag");
	if (!err)
		err = read_value(__func__, info, key, value, *buflen, &len);
	if (err)
		return err;
	*flag = len >= 0;
	if (*flag)
		*buflen = len + 1;
	return MPI_SUCCESS;
}

#pragma weak MPI_Info_get_valuelen = PMPI_Info_get_valuelen
int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen,
			   int *flag)
{
	MPI_ENTER;
	int len = -1;
	int err = read_value(__func__, info, key, NULL, 0, &len);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, valuelen, "valuelen");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, flag, "flag");
	if (err)
		return err;
	*flag = len >= 0;
	if (*flag)
		*valuelen = len;
	return MPI_SUCCESS;
}

#pragma weak MPI_Info_get_nkeys = PMPI_Info_get_nkeys
int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = check_info(__func__, 1, info, &i);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, nkeys, "nkeys");
	if (!err)
		*nkeys = weft_info_count(i);
	return err;
}

#pragma weak MPI_Info_get_nthkey = PMPI_Info_get_nthkey
int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
	MPI_ENTER;
	struct weft_info *i;
	int err = check_info(__func__, 1, info, &i);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, key, "key");
	if (!err && weft_info_key(i, n, key))
		err = weft_err_arg(NULL, __func__, MPI_ERR_ARG, 2,
				   "key number %d of %d", n,
				   weft_info_count(i));
	return err;
}

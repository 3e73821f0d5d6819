/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of communicators, datatypes and windows. */
#include "src/mpi/mpi_export.h"

#include "src/types/types_attr.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/type/mpi_type.h"
#include "src/mpi/win/mpi_win.h"

/* ---- common to all kinds of objects ------------------------------------- */

/* Returns whether key is predefined (MPI_TAG_UB, MPI_WIN_BASE, ...). */
static bool is_predefined(int key)
{
	return key >= MPI_TAG_UB && key < 1024;
}

/*
 * Converts the result of weft_attr_* to a code: an internal error class gets
 * its text here, the result of a user's callback is returned unchanged.
 */
static int result(const void *obj, const char *func, int arg, int key, int rc)
{
	if (rc == MPI_SUCCESS)
		return rc;
	if (rc == MPI_ERR_KEYVAL && is_predefined(key))
		return weft_err_arg(obj, func, MPI_ERR_KEYVAL, arg,
				    "keyval %d is predefined", key);
	if (rc == MPI_ERR_KEYVAL)
		return weft_err_arg(obj, func, MPI_ERR_KEYVAL, arg,
				    "invalid keyval %d", key);
	return weft_err_rc(obj, func, rc);
}

static int create_keyval(const char *func, const struct weft_keyval_fns *fns,
			 int *key)
{
	int err = weft_check_ptr(NULL, func, 3, key, "keyval");

	return err ? err : weft_err_rc(NULL, func, weft_keyval_open(fns, key));
}

static int free_keyval(const char *func, enum weft_kind kind, int *key)
{
	int err = weft_check_ptr(NULL, func, 1, key, "keyval");

	if (!err)
		err = result(NULL, func, 1, *key, weft_keyval_free(kind, *key));
	if (!err)
		*key = MPI_KEYVAL_INVALID;
	return err;
}

/* Checks the output arguments of a call that gets an attribute. */
static int check_outputs(const void *obj, const char *func, const void *value,
			 const int *flag)
{
	int err = weft_check_ptr(obj, func, 3, value, "attribute_val");

	return err ? err : weft_check_ptr(obj, func, 4, flag, "flag");
}

/* ---- communicators -------------------------------------------------------*/

static int comm_create(const char *func, MPI_Comm_copy_attr_function *copy,
		       MPI_Comm_delete_attr_function *del, int *key,
		       void *extra)
{
	struct weft_keyval_fns f = { .kind = WEFT_KIND_COMM,
				     .copy.comm = copy,
				     .del.comm = del,
				     .extra = extra };

	return create_keyval(func, &f, key);
}

static int comm_set(const char *func, MPI_Comm comm, int key, void *value)
{
	struct weft_comm *c;
	int err = mpi_check_comm(func, 1, comm, &c);

	return err ? err
		   : result(c, func, 2, key,
			    weft_attr_set(&c->attr, WEFT_KIND_COMM, comm, key,
					  value));
}

static int comm_get(const char *func, MPI_Comm comm, int key, void *value,
		    int *flag)
{
	struct weft_comm *c;
	int err = mpi_check_comm(func, 1, comm, &c);

	if (!err)
		err = check_outputs(c, func, value, flag);
	return err ? err
		   : result(c, func, 2, key,
			    weft_attr_get(&c->attr, WEFT_KIND_COMM, key, value,
					  flag));
}

static int comm_delete(const char *func, MPI_Comm comm, int key)
{
	struct weft_comm *c;
	int err = mpi_check_comm(func, 1, comm, &c);

	return err ? err
		   : result(c, func, 2, key,
			    weft_attr_delete(&c->attr, WEFT_KIND_COMM, comm,
					     key));
}

#pragma weak MPI_Comm_create_keyval = PMPI_Comm_create_keyval
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
			    MPI_Comm_delete_attr_function *comm_delete_attr_fn,
			    int *comm_keyval, void *extra_state)
{
	MPI_ENTER;

	return comm_create(__func__, comm_copy_attr_fn, comm_delete_attr_fn,
			   comm_keyval, extra_state);
}

#pragma weak MPI_Comm_free_keyval = PMPI_Comm_free_keyval
int PMPI_Comm_free_keyval(int *comm_keyval)
{
	MPI_ENTER;

	return free_keyval(__func__, WEFT_KIND_COMM, comm_keyval);
}

#pragma weak MPI_Comm_set_attr = PMPI_Comm_set_attr
int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	MPI_ENTER;

	return comm_set(__func__, comm, comm_keyval, attribute_val);
}

#pragma weak MPI_Comm_get_attr = PMPI_Comm_get_attr
int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val,
		       int *flag)
{
	MPI_ENTER;

	return comm_get(__func__, comm, comm_keyval, attribute_val, flag);
}

#pragma weak MPI_Comm_delete_attr = PMPI_Comm_delete_attr
int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
	MPI_ENTER;

	return comm_delete(__func__, comm, comm_keyval);
}

/*
 * Functions of MPI 1; their callbacks have the same signatures as those of
 * their successors.
 */

#pragma weak MPI_Keyval_create = PMPI_Keyval_create
int PMPI_Keyval_create(MPI_Copy_function *copy_fn,
		       MPI_Delete_function *delete_fn, int *keyval,
		       void *extra_state)
{
	MPI_ENTER;

	return comm_create(__func__, copy_fn, delete_fn, keyval, extra_state);
}

#pragma weak MPI_Keyval_free = PMPI_Keyval_free
int PMPI_Keyval_free(int *keyval)
{
	MPI_ENTER;

	return free_keyval(__func__, WEFT_KIND_COMM, keyval);
}

#pragma weak MPI_Attr_put = PMPI_Attr_put
int PMPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
	MPI_ENTER;

	return comm_set(__func__, comm, keyval, attribute_val);
}

#pragma weak MPI_Attr_get = PMPI_Attr_get
int PMPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
	MPI_ENTER;

	return comm_get(__func__, comm, keyval, attribute_val, flag);
}

#pragma weak MPI_Attr_delete = PMPI_Attr_delete
int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
	MPI_ENTER;

	return comm_delete(__func__, comm, keyval);
}

/* ---- datatypes -----------------------------------------------------------*/

#pragma weak MPI_Type_create_keyval = PMPI_Type_create_keyval
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
			    MPI_Type_delete_attr_function *type_delete_attr_fn,
			    int *type_keyval, void *extra_state)
{
	MPI_ENTER;
	struct weft_keyval_fns f = { .kind = WEFT_KIND_DT,
				     .copy.type = type_copy_attr_fn,
				     .del.type = type_delete_attr_fn,
				     .extra = extra_state };

	return create_keyval(__func__, &f, type_keyval);
}

#pragma weak MPI_Type_free_keyval = PMPI_Type_free_keyval
int PMPI_Type_free_keyval(int *type_keyval)
{
	MPI_ENTER;

	return free_keyval(__func__, WEFT_KIND_DT, type_keyval);
}

#pragma weak MPI_Type_set_attr = PMPI_Type_set_attr
int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval,
		       void *attribute_val)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = mpi_check_type(__func__, 1, datatype, &dt);

	return err ? err
		   : result(NULL, __func__, 2, type_keyval,
			    weft_attr_set(&dt->attr, WEFT_KIND_DT, datatype,
					  type_keyval, attribute_val));
}

#pragma weak MPI_Type_get_attr = PMPI_Type_get_attr
int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval,
		       void *attribute_val, int *flag)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = mpi_check_type(__func__, 1, datatype, &dt);

	if (!err)
		err = check_outputs(NULL, __func__, attribute_val, flag);
	return err ? err
		   : result(NULL, __func__, 2, type_keyval,
			    weft_attr_get(&dt->attr, WEFT_KIND_DT, type_keyval,
					  attribute_val, flag));
}

#pragma weak MPI_Type_delete_attr = PMPI_Type_delete_attr
int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
	MPI_ENTER;
	struct weft_dt *dt;
	int err = mpi_check_type(__func__, 1, datatype, &dt);

	return err ? err
		   : result(NULL, __func__, 2, type_keyval,
			    weft_attr_delete(&dt->attr, WEFT_KIND_DT, datatype,
					     type_keyval));
}

/* ---- windows -------------------------------------------------------------*/

#pragma weak MPI_Win_create_keyval = PMPI_Win_create_keyval
int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
			   MPI_Win_delete_attr_function *win_delete_attr_fn,
			   int *win_keyval, void *extra_state)
{
	MPI_ENTER;
	struct weft_keyval_fns f = { .kind = WEFT_KIND_WIN,
				     .copy.win = win_copy_attr_fn,
				     .del.win = win_delete_attr_fn,
				     .extra = extra_state };

	return create_keyval(__func__, &f, win_keyval);
}

#pragma weak MPI_Win_free_keyval = PMPI_Win_free_keyval
int PMPI_Win_free_keyval(int *win_keyval)
{
	MPI_ENTER;

	return free_keyval(__func__, WEFT_KIND_WIN, win_keyval);
}

/* Returns the value of a predefined key; NULL: no such key. */
static void *win_value(struct weft_win *w, int key)
{
	switch (key) {
	case MPI_WIN_BASE:
		return w->base;
	case MPI_WIN_SIZE:
		return &w->bytes;
	case MPI_WIN_DISP_UNIT:
		return &w->disp_unit;
	case MPI_WIN_CREATE_FLAVOR:
		return &w->flavor;
	case MPI_WIN_MODEL:
		return &w->model;
	default:
		return NULL;
	}
}

#pragma weak MPI_Win_set_attr = PMPI_Win_set_attr
int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	return err ? err
		   : result(w, __func__, 2, win_keyval,
			    weft_attr_set(&w->attr, WEFT_KIND_WIN, win,
					  win_keyval, attribute_val));
}

#pragma weak MPI_Win_get_attr = PMPI_Win_get_attr
int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val,
		      int *flag)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = check_outputs(w, __func__, attribute_val, flag);
	if (err)
		return err;
	if (win_keyval >= MPI_WIN_BASE && win_keyval <= MPI_WIN_MODEL) {
		*(void **)attribute_val = win_value(w, win_keyval);
		*flag = 1;
		return MPI_SUCCESS;
	}
	return result(w, __func__, 2, win_keyval,
		      weft_attr_get(&w->attr, WEFT_KIND_WIN, win_keyval,
				    attribute_val, flag));
}

#pragma weak MPI_Win_delete_attr = PMPI_Win_delete_attr
int PMPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	return err ? err
		   : result(w, __func__, 2, win_keyval,
			    weft_attr_delete(&w->attr, WEFT_KIND_WIN, win,
					     win_keyval));
}

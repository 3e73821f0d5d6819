/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error handlers of communicators, windows, files and sessions; classes, codes
 * and texts.
 */
#include "src/mpi/mpi_export.h"

#include "src/diag/diag_errtext.h"
#include "src/core/core_state.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/file/mpi_file.h"
#include "src/mpi/session/mpi_session.h"
#include "src/mpi/win/mpi_win.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- handlers ------------------------------------------------------------ */

static int check_errh(const void *obj, const char *func, int arg,
		      MPI_Errhandler h, struct weft_errh **errh_p)
{
	*errh_p = weft_errh_of(h);
	if (*errh_p)
		return 0;
	return weft_err_arg(obj, func, MPI_ERR_ERRHANDLER, arg,
			    "invalid error handler %p", (void *)h);
}

int mpi_check_errh(const void *obj, const char *func, int arg, MPI_Errhandler h,
		   struct weft_errh **errh_p)
{
	int err = check_errh(obj, func, arg, h, errh_p);

	if (err || !(*errh_p)->of || (*errh_p)->of == WEFT_KIND_COMM)
		return err;
	return weft_err_arg(obj, func, MPI_ERR_ARG, arg,
			    "error handler is not for communicators");
}

static int create(const char *func, const struct weft_errh *as, bool fn,
		  MPI_Errhandler *errhandler)
{
	struct weft_errh *h;
	int err = weft_check_ptr(NULL, func, 2, errhandler, "errhandler");

	if (!err && !fn)
		err = weft_check_ptr_bad(NULL, func, 1, "function");
	if (err)
		return err;
	h = malloc(sizeof(*h));
	if (!h)
		return weft_err_rc(NULL, func, -ENOMEM);
	*h = *as;
	weft_obj_init(&h->obj, WEFT_KIND_ERRH);
	*errhandler = (MPI_Errhandler)h;
	return MPI_SUCCESS;
}

#pragma weak MPI_Comm_create_errhandler = PMPI_Comm_create_errhandler
int PMPI_Comm_create_errhandler(
	MPI_Comm_errhandler_function *comm_errhandler_fn,
	MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_errh h = { .of = WEFT_KIND_COMM,
			       .fn.comm = comm_errhandler_fn };

	return create(__func__, &h, comm_errhandler_fn != NULL, errhandler);
}

#pragma weak MPI_Comm_set_errhandler = PMPI_Comm_set_errhandler
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	MPI_ENTER;
	struct weft_comm *c;
	struct weft_errh *h, *old;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = mpi_check_errh(c, __func__, 2, errhandler, &h);
	if (err)
		return err;
	old = c->errh;
	c->errh = weft_errh_get(h);
	weft_errh_put(old);
	return MPI_SUCCESS;
}

#pragma weak MPI_Comm_get_errhandler = PMPI_Comm_get_errhandler
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, errhandler, "errhandler");
	if (!err)
		*errhandler = weft_obj_handle(&weft_errh_get(c->errh)->obj);
	return err;
}

#pragma weak MPI_Comm_call_errhandler = PMPI_Comm_call_errhandler
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (err)
		return err;
	weft_err_call(c, __func__, errorcode);
	return MPI_SUCCESS;
}

#pragma weak MPI_Win_create_errhandler = PMPI_Win_create_errhandler
int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
			       MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_errh h = { .of = WEFT_KIND_WIN,
			       .fn.win = win_errhandler_fn };

	return create(__func__, &h, win_errhandler_fn != NULL, errhandler);
}

#pragma weak MPI_Win_set_errhandler = PMPI_Win_set_errhandler
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	MPI_ENTER;
	struct weft_win *w;
	struct weft_errh *h;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = check_errh(w, __func__, 2, errhandler, &h);
	if (!err && h->of && h->of != WEFT_KIND_WIN)
		err = weft_err_arg(w, __func__, MPI_ERR_ARG, 2,
				   "error handler is not for windows");
	if (!err)
		weft_win_errhandler_set(w, h);
	return err;
}

#pragma weak MPI_Win_get_errhandler = PMPI_Win_get_errhandler
int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (!err)
		err = weft_check_ptr(w, __func__, 2, errhandler, "errhandler");
	if (!err)
		*errhandler =
			weft_obj_handle(&weft_errh_get(w->head.errh)->obj);
	return err;
}

#pragma weak MPI_Win_call_errhandler = PMPI_Win_call_errhandler
int PMPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
	MPI_ENTER;
	struct weft_win *w;
	int err = mpi_check_win(__func__, 1, win, &w);

	if (err)
		return err;
	weft_err_call(w, __func__, errorcode);
	return MPI_SUCCESS;
}

#pragma weak MPI_File_create_errhandler = PMPI_File_create_errhandler
int PMPI_File_create_errhandler(
	MPI_File_errhandler_function *file_errhandler_fn,
	MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_errh h = { .of = WEFT_KIND_FILE,
			       .fn.file = file_errhandler_fn };

	return create(__func__, &h, file_errhandler_fn != NULL, errhandler);
}

#pragma weak MPI_File_set_errhandler = PMPI_File_set_errhandler
int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
	MPI_ENTER;
	struct weft_err_owner *o;
	struct weft_errh *h;
	int err = mpi_check_file_owner(__func__, 1, file, &o);

	if (!err)
		err = check_errh(o, __func__, 2, errhandler, &h);
	if (!err && h->of && h->of != WEFT_KIND_FILE)
		err = weft_err_arg(o, __func__, MPI_ERR_ARG, 2,
				   "error handler is not for files");
	if (!err)
		weft_file_errhandler_set(o, h);
	return err;
}

#pragma weak MPI_File_get_errhandler = PMPI_File_get_errhandler
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_err_owner *o;
	int err = mpi_check_file_owner(__func__, 1, file, &o);

	if (!err)
		err = weft_check_ptr(o, __func__, 2, errhandler, "errhandler");
	if (!err)
		*errhandler = weft_obj_handle(
			&weft_errh_get(weft_file_errhandler(o))->obj);
	return err;
}

#pragma weak MPI_File_call_errhandler = PMPI_File_call_errhandler
int PMPI_File_call_errhandler(MPI_File fh, int errorcode)
{
	MPI_ENTER;
	struct weft_err_owner *o;
	int err = mpi_check_file_owner(__func__, 1, fh, &o);

	if (err)
		return err;
	weft_err_call(o, __func__, errorcode);
	return MPI_SUCCESS;
}

int mpi_check_session_errh(const void *obj, const char *func, int arg,
			   MPI_Errhandler h, struct weft_errh **errh_p)
{
	int err = check_errh(obj, func, arg, h, errh_p);

	if (err || !(*errh_p)->of || (*errh_p)->of == WEFT_KIND_SESSION)
		return err;
	return weft_err_arg(obj, func, MPI_ERR_ARG, arg,
			    "error handler is not for sessions");
}

#pragma weak MPI_Session_create_errhandler = PMPI_Session_create_errhandler
int PMPI_Session_create_errhandler(
	MPI_Session_errhandler_function *session_errhandler_fn,
	MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_errh h = { .of = WEFT_KIND_SESSION,
			       .fn.session = session_errhandler_fn };

	return create(__func__, &h, session_errhandler_fn != NULL, errhandler);
}

#pragma weak MPI_Session_set_errhandler = PMPI_Session_set_errhandler
int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
	MPI_ENTER;
	struct weft_session *s;
	struct weft_errh *h;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = mpi_check_session_errh(s, __func__, 2, errhandler, &h);
	if (!err)
		weft_session_errhandler_set(s, h);
	return err;
}

#pragma weak MPI_Session_get_errhandler = PMPI_Session_get_errhandler
int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = weft_check_ptr(s, __func__, 2, errhandler, "errhandler");
	if (!err)
		*errhandler =
			weft_obj_handle(&weft_errh_get(s->head.errh)->obj);
	return err;
}

#pragma weak MPI_Session_call_errhandler = PMPI_Session_call_errhandler
int PMPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
	MPI_ENTER;
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (err)
		return err;
	weft_err_call(s, __func__, errorcode);
	return MPI_SUCCESS;
}

#pragma weak MPI_Errhandler_free = PMPI_Errhandler_free
int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
	MPI_ENTER;
	struct weft_errh *h;
	int err = weft_check_ptr(NULL, __func__, 1, errhandler, "errhandler");

	if (!err)
		err = check_errh(NULL, __func__, 1, *errhandler, &h);
	if (err)
		return err;
	weft_errh_put(h);
	*errhandler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}

/* ---- classes, codes, texts ----------------------------------------------- */

static int raise_no_code(const char *func, int arg, int code)
{
	return weft_err_arg(NULL, func, MPI_ERR_ARG, arg,
			    "%d is not an error code or class", code);
}

#pragma weak MPI_Error_class = PMPI_Error_class
int PMPI_Error_class(int errorcode, int *errorclass)
{
	MPI_ENTER;
	int class = weft_errtext_class(errorcode);
	int err = weft_check_ptr(NULL, __func__, 2, errorclass, "errorclass");

	if (err)
		return err;
	if (class < 0)
		return raise_no_code(__func__, 1, errorcode);
	*errorclass = class;
	return MPI_SUCCESS;
}

#pragma weak MPI_Error_string = PMPI_Error_string
int PMPI_Error_string(int errorcode, char *string, int *resultlen)
{
	MPI_ENTER;
	const char *text = weft_errtext_get(errorcode);
	const char *name = weft_errtext_name(errorcode);
	int err = weft_check_ptr(NULL, __func__, 2, string, "string");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, resultlen, "resultlen");
	if (err)
		return err;
	if (!text)
		return raise_no_code(__func__, 1, errorcode);
	if (name)
		snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", name, text);
	else
		snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
	*resultlen = (int)strlen(string);
	return MPI_SUCCESS;
}

#pragma weak MPI_Add_error_class = PMPI_Add_error_class
int PMPI_Add_error_class(int *errorclass)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, errorclass, "errorclass");

	if (err)
		return err;
	return weft_err_rc(NULL, __func__, weft_errtext_add_class(errorclass));
}

/*
 * Raises rc, the error that a function of diag_errtext.c returned for `code`;
 * rc 0: no error.
 */
static int query_result(const char *func, int rc, int code)
{
	if (rc == -EINVAL)
		return raise_no_code(func, 1, code);
	if (rc == -EBUSY)
		return weft_err_arg(NULL, func, MPI_ERR_OTHER, 1,
				    "%d still has a text or codes", code);
	return weft_err_rc(NULL, func, rc);
}

#pragma weak MPI_Add_error_code = PMPI_Add_error_code
int PMPI_Add_error_code(int errorclass, int *errorcode)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 2, errorcode, "errorcode");

	if (err)
		return err;
	return query_result(__func__,
			    weft_errtext_add_code(errorclass, errorcode),
			    errorclass);
}

#pragma weak MPI_Add_error_string = PMPI_Add_error_string
int PMPI_Add_error_string(int errorcode, const char *string)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 2, string, "string");

	if (err)
		return err;
	return query_result(__func__,
			    weft_errtext_add_string(errorcode, string),
			    errorcode);
}

#pragma weak MPI_Remove_error_class = PMPI_Remove_error_class
int PMPI_Remove_error_class(int errorclass)
{
	MPI_ENTER;

	return query_result(__func__, weft_errtext_remove(errorclass, true),
			    errorclass);
}

#pragma weak MPI_Remove_error_code = PMPI_Remove_error_code
int PMPI_Remove_error_code(int errorcode)
{
	MPI_ENTER;

	return query_result(__func__, weft_errtext_remove(errorcode, false),
			    errorcode);
}

#pragma weak MPI_Remove_error_string = PMPI_Remove_error_string
int PMPI_Remove_error_string(int errorcode)
{
	MPI_ENTER;

	return query_result(__func__, weft_errtext_remove_string(errorcode),
			    errorcode);
}

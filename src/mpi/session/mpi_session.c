/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end of sessions, and their info. */
#include "src/mpi/mpi_export.h"

#include "coll/coll.h"
#include "src/boot/boot_init.h"
#include "src/comm/comm_coll_table.h"
#include "src/core/core_state.h"
#include "src/file/file.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/mpi_init.h"
#include "src/mpi/session/mpi_session.h"
#include "src/msg/msg_bsend.h"
#include "src/offload/offload_device.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <string.h>

int mpi_check_session(const char *func, int arg, MPI_Session handle,
		      struct weft_session **session_p)
{
	*session_p = weft_session_of(handle);
	if (weft_likely(*session_p != NULL))
		return 0;
	if (handle == MPI_SESSION_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_SESSION, arg,
				    "session is MPI_SESSION_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_SESSION, arg,
			    "invalid session %p", (void *)handle);
}

/* ---- begin --------------------------------------------------------------- */

/*
 * Returns the thread level that the info key thread_level requests; -1: unknown
 * level.
 */
static int wanted_level(MPI_Info handle)
{
	struct weft_info *info = weft_info_of(handle);
	char text[MPI_MAX_INFO_VAL] = "";
	int level;

	if (!info ||
	    weft_info_get(info, "thread_level", text, sizeof(text)) < 0)
		return MPI_THREAD_MULTIPLE;
	for (level = MPI_THREAD_SINGLE; level <= MPI_THREAD_MULTIPLE; level++)
		if (!strcmp(text, mpi_thread_level_name(level)))
			return level;
	return -1;
}

/* Returns the info that MPI_Session_get_info copies; NULL: no memory. */
static struct weft_info *used_info(void)
{
	struct weft_info *info = weft_info_open();

	if (info &&
	    !weft_info_set(info, "thread_level",
			   mpi_thread_level_name(weft_core.thread_level)) &&
	    !weft_device_info(info))
		return info;
	weft_info_close(info);
	return NULL;
}

/*
 * Starts the session's use of the library. After a failure, calls the error
 * handler that the session would have had.
 */
static int begin(const char *func, struct weft_session *s, int level)
{
	int rc;

	weft_core_coll_set(&weft_coll_core_ops);
	rc = weft_core_session_open(level);
	if (rc)
		return weft_err_arg(s, func, MPI_ERR_OTHER, 0,
				    "the library cannot be started: %s",
				    strerror(-rc));
	s->info = used_info();
	if (s->info)
		return MPI_SUCCESS;
	weft_core_session_close();
	return weft_err_rc(s, func, -ENOMEM);
}

#pragma weak MPI_Session_init = PMPI_Session_init
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler,
		      MPI_Session *session)
{
	MPI_ENTER;
	int level = wanted_level(info);
	struct weft_session *s;
	struct weft_errh *h;
	int err = mpi_check_session_errh(NULL, __func__, 2, errhandler, &h);

	if (err)
		return err;
	s = weft_session_new(h, NULL);
	if (!s)
		return weft_err_rc(NULL, __func__, -ENOMEM);
	err = weft_check_ptr(s, __func__, 3, session, "session");
	if (!err)
		err = mpi_check_info(s, __func__, 1, info);
	if (!err && level < 0)
		err = weft_err_arg(s, __func__, MPI_ERR_INFO_VALUE, 1,
				   "thread_level is not the name of a level");
	if (!err)
		err = begin(__func__, s, level);
	if (!err)
		*session = weft_obj_handle(&s->head.obj);
	else
		weft_session_put(s);
	return err;
}

/* ---- end ----------------------------------------------------------------- */

#pragma weak MPI_Session_finalize = PMPI_Session_finalize
int PMPI_Session_finalize(MPI_Session *session)
{
	MPI_ENTER;
	struct weft_session *s;
	MPI_Count size;
	void *buffer;
	int err = weft_check_ptr(NULL, __func__, 1, session, "session");

	if (!err)
		err = mpi_check_session(__func__, 1, *session, &s);
	if (err)
		return err;
	weft_bsend_detach(&s->bsend, &buffer, &size);
	s->closed = true;
	weft_session_put(s);
	*session = MPI_SESSION_NULL;
	weft_core_session_close();
	return MPI_SUCCESS;
}

#pragma weak MPI_Session_get_info = PMPI_Session_get_info
int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
	MPI_ENTER;
	struct weft_session *s;
	struct weft_info *info;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = weft_check_ptr(s, __func__, 2, info_used, "info_used");
	if (err)
		return err;
	info = weft_info_dup(s->info);
	if (!info)
		return weft_err_rc(s, __func__, -ENOMEM);
	*info_used = weft_info_handle(info);
	return MPI_SUCCESS;
}

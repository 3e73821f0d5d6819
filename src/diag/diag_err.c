/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts failures to error codes and calls the error handler. Called by
 * src/mpi only; the functions of the core return -errno.
 */
#include "src/diag/diag_err.h"

#include "src/boot/boot_abort.h"
#include "src/comm/comm.h"
#include "src/diag/diag_peer_failure.h"
#include "src/diag/diag_errtext.h"
#include "src/core/core_state.h"
#include "src/recover/recover.h"

#include <errno.h>
#include <mpi-ext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool weft_check = true;

/* ---- handlers ------------------------------------------------------------ */

#define PREDEFINED(h)                                                          \
	{                                                                      \
		.obj = {.kind = WEFT_KIND_ERRH, .refs = 1, .predefined = (h) } \
	}

enum { FATAL, ABORT, RETURN };

static struct weft_errh predefined[] = {
	[FATAL] = PREDEFINED(0x141),  /* MPI_ERRORS_ARE_FATAL */
	[ABORT] = PREDEFINED(0x142),  /* MPI_ERRORS_ABORT */
	[RETURN] = PREDEFINED(0x143), /* MPI_ERRORS_RETURN */
};

struct weft_errh *weft_errh_of(MPI_Errhandler handle)
{
	uintptr_t v = (uintptr_t)handle;

	if (v >= 0x141 && v <= 0x143)
		return &predefined[v - 0x141];
	return weft_obj_of(handle, WEFT_KIND_ERRH);
}

struct weft_errh *weft_errh_get(struct weft_errh *h)
{
	weft_obj_get(&h->obj);
	return h;
}

void weft_errh_put(struct weft_errh *h)
{
	if (!weft_obj_put(&h->obj) || h->obj.predefined)
		return;
	h->obj.kind = WEFT_KIND_FREE;
	free(h);
}

/*
 * Returns the error handler of an object; without an object, that of
 * MPI_COMM_SELF.
 */
static struct weft_errh *handler_of(const void *obj)
{
	const struct weft_obj *o = obj;

	if (o && o->kind == WEFT_KIND_COMM)
		return ((const struct weft_comm *)obj)->errh;
	if (o && (o->kind == WEFT_KIND_WIN || o->kind == WEFT_KIND_SESSION))
		return ((const struct weft_err_owner *)obj)->errh;
	if (o && o->kind == WEFT_KIND_FILE) {
		struct weft_errh *h =
			((const struct weft_err_owner *)obj)->errh;

		/* used for MPI_FILE_NULL if its handler was never set */
		return h ? h : &predefined[RETURN];
	}
	if (weft_core.self)
		return weft_core.self->errh;
	return &predefined[FATAL];
}

static void call_user(struct weft_errh *h, const void *obj, int code)
{
	const struct weft_obj *o = obj;
	MPI_Comm comm = MPI_COMM_SELF;
	MPI_Session session;
	MPI_Win win;
	MPI_File file;

	if (o && o->kind == WEFT_KIND_FILE) {
		file = weft_obj_handle(o);
		h->fn.file(&file, &code);
		return;
	}
	if (o && o->kind == WEFT_KIND_WIN) {
		win = weft_obj_handle(o);
		h->fn.win(&win, &code);
		return;
	}
	if (o && o->kind == WEFT_KIND_SESSION) {
		session = weft_obj_handle(o);
		h->fn.session(&session, &code);
		return;
	}
	if (o && o->kind == WEFT_KIND_COMM)
		comm = weft_obj_handle(o);
	h->fn.comm(&comm, &code);
}

static void raise_fatal(const char *func, int code)
{
	const char *name = weft_errtext_name(weft_errtext_class(code));
	const char *text = weft_errtext_get(code);
	int class = weft_errtext_class(code);

	weft_core_abort(class, "%s (%s)", text && *text ? text : func,
			name ? name : "user's error class");
}

int weft_err_call(const void *obj, const char *func, int code)
{
	struct weft_errh *h = handler_of(obj);

	if (h == &predefined[RETURN])
		return code;
	if (h->obj.predefined)
		raise_fatal(func, code);
	weft_errh_get(h);
	call_user(h, obj, code);
	weft_errh_put(h);
	return code;
}

/* ---- raising ------------------------------------------------------------- */

/* Returns the name of the function that the application called, MPI_*. */
static const char *mpi_name(const char *func)
{
	return func[0] == 'P' && func[1] == 'M' ? func + 1 : func;
}

int weft_err_arg(const void *obj, const char *func, int class, int arg,
		 const char *fmt, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int pos = snprintf(text, sizeof(text), "%s: ", mpi_name(func));
	va_list ap;

	va_start(ap, fmt);
	pos += vsnprintf(text + pos, sizeof(text) - (size_t)pos, fmt, ap);
	va_end(ap);
	if (arg > 0 && pos < (int)sizeof(text))
		snprintf(text + pos, sizeof(text) - (size_t)pos,
			 " (argument %d)", arg);
	return weft_err_call(obj, func, weft_errtext_store(class, text));
}

/*
 * Creates an error code with a text, without calling a handler; used for
 * status.MPI_ERROR.
 */
WEFT_PRINTF(2, 3) WEFT_COLD static int code_of(int class, const char *fmt, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return weft_errtext_store(class, text);
}

/* Returns the MPI error class of -errno. */
static int class_of(int rc)
{
	switch (-rc) {
	case 0:
		return MPI_SUCCESS;
	case ENOMEM:
		return MPI_ERR_NO_MEM;
	case EMSGSIZE:
		return MPI_ERR_TRUNCATE;
	case EINVAL:
		return MPI_ERR_ARG;
	case ENOBUFS:
		return MPI_ERR_BUFFER;
	case ERANGE:
		return MPI_ERR_RMA_RANGE;
	case EOVERFLOW:
		return MPI_ERR_VALUE_TOO_LARGE;
	case ENOTSUP:
	case ENOSYS:
		return MPI_ERR_UNSUPPORTED_OPERATION;
	case EHOSTDOWN:
	case EHOSTUNREACH:
	case ECONNRESET:
	case ESHUTDOWN:
		return weft_core.survives ? MPIX_ERR_PROC_FAILED
					  : MPI_ERR_PROC_ABORTED;
	case EOWNERDEAD:
		return MPIX_ERR_PROC_FAILED_PENDING;
	case ESTALE:
		return MPIX_ERR_REVOKED;
	default:
		return MPI_ERR_OTHER;
	}
}

/*
 * Returns a text for an error for which strerror() is not helpful; NULL for
 * other errors.
 */
static const char *other_text(int rc)
{
	switch (-rc) {
	case EPROTO:
		return "the members called different collectives, or "
		       "with different sizes, types, operations or roots";
	case EREMOTEIO:
		return "another rank failed in this collective";
	default:
		return strerror(-rc);
	}
}

int weft_err_code_rc(const struct weft_comm *c, int rc)
{
	int class;

	if (rc >= 0)
		return rc;
	if (c)
		rc = weft_recover_errno(c, rc);
	class = class_of(rc);
	if (class == MPI_ERR_OTHER)
		return code_of(class, "%s", other_text(rc));
	return class;
}

/*
 * Converts an error code that was caused by the failure of a process or by a
 * revocation.
 */
static int after_failure(const void *obj, int rc)
{
	const struct weft_obj *o = obj;

	return o && o->kind == WEFT_KIND_COMM ? weft_recover_errno(obj, rc)
					      : rc;
}

int weft_err_rc_slow(const void *obj, const char *func, int rc)
{
	char text[MPI_MAX_ERROR_STRING], failed_ranks[320] = "";
	int class;

	if (rc > 0)
		return weft_err_call(obj, func, rc);
	rc = after_failure(obj, rc);
	class = class_of(rc);
	if (class == MPI_ERR_PROC_ABORTED || class == MPIX_ERR_PROC_FAILED)
		weft_failure_text(failed_ranks, sizeof(failed_ranks));
	snprintf(text, sizeof(text), "%s: %s%s", mpi_name(func),
		 class == MPI_ERR_OTHER ? other_text(rc)
					: weft_errtext_get(class),
		 failed_ranks);
	return weft_err_call(obj, func, weft_errtext_store(class, text));
}

/* ---- shared checks ------------------------------------------------------- */

static const char *phase_error(const weft_au32 *phase)
{
	switch (weft_load32(phase)) {
	case WEFT_BEFORE_INIT:
		return "MPI_Init has not been called";
	case WEFT_AFTER_FINALIZE:
		return "MPI_Finalize has been called";
	default:
		return NULL;
	}
}

int weft_check_comm_bad(const char *func, int arg, MPI_Comm handle)
{
	bool world = handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF;
	const char *why =
		phase_error(world ? &weft_core.world_phase : &weft_core.phase);

	if (why)
		return weft_err_arg(NULL, func, MPI_ERR_OTHER, 0, "%s", why);
	if (handle == MPI_COMM_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_COMM, arg,
				    "communicator is MPI_COMM_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_COMM, arg,
			    "invalid communicator %p", (void *)handle);
}

int weft_check_intra(const struct weft_comm *c, const char *func, int arg)
{
	if (!c->inter)
		return 0;
	return weft_err_arg(c, func, MPI_ERR_COMM, arg,
			    "communicator is an intercommunicator");
}

int weft_check_ptr_bad(const void *obj, const char *func, int arg,
		       const char *what)
{
	return weft_err_arg(obj, func, MPI_ERR_ARG, arg, "%s is NULL", what);
}

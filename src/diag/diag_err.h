/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors, and how they are raised to the application.
 *
 * Internal functions return 0 or -errno. In src/mpi one of two functions
 * converts a failure into the return value of the MPI function:
 *
 *   weft_err_arg()  an argument is wrong: class, position, text
 *   weft_err_rc()   an internal call failed: -errno (or a user's MPI code)
 *
 * Both create an error code with a text, call the error handler of the object
 * (or of MPI_COMM_SELF if there is no object) and return the code:
 *
 *   MPI_Send: invalid rank 7 in communicator of size 4 (argument 4)
 *
 * func is __func__ of the PMPI_ function; the text omits the P.
 */
#ifndef WEFT_DIAG_ERR_H
#define WEFT_DIAG_ERR_H

#include "src/base/attr.h"
#include "src/types/types_obj.h"

#include <mpi.h>
#include <stdbool.h>

struct weft_comm;

struct weft_errh {
	struct weft_obj obj;
	/* kind of object: WEFT_KIND_COMM, _WIN, _FILE, _SESSION; 0: any */
	uint32_t of;
	union {
		MPI_Comm_errhandler_function *comm;
		MPI_Win_errhandler_function *win;
		MPI_File_errhandler_function *file;
		MPI_Session_errhandler_function *session;
	} fn; /* user-defined handlers only */
};

/* First fields of windows and other objects with an error handler. */
struct weft_err_owner {
	struct weft_obj obj;
	/* error handler, with one reference; never NULL */
	struct weft_errh *errh;
};

/* Arguments are checked; WEFT_CHECK=0 disables this. */
extern bool weft_check;

/*
 * Reports an invalid argument to the error handler of obj (struct weft_comm,
 * weft_win, ... or NULL). arg: position of the argument, counted from 1; 0: the
 * message does not name it. Returns the error code for the application.
 */
int weft_err_arg(const void *obj, const char *func, int class, int arg,
		 const char *fmt, ...) WEFT_PRINTF(5, 6) WEFT_COLD;

/*
 * Raises the error rc, which is -errno or an MPI error code. Returns the code
 * for the application.
 */
int weft_err_rc_slow(const void *obj, const char *func, int rc) WEFT_COLD;

static inline int weft_err_rc(const void *obj, const char *func, int rc)
{
	return weft_likely(rc == 0) ? MPI_SUCCESS
				    : weft_err_rc_slow(obj, func, rc);
}

/*
 * Converts -errno or an MPI error code to an error code for the application,
 * without calling a handler. c: the communicator of the operation, or NULL.
 */
int weft_err_code_rc(const struct weft_comm *c, int rc);

/*
 * Calls the error handler of obj with an existing error code. Returns the code.
 */
int weft_err_call(const void *obj, const char *func, int code) WEFT_COLD;

struct weft_errh *weft_errh_of(MPI_Errhandler handle);
struct weft_errh *weft_errh_get(struct weft_errh *h);
void weft_errh_put(struct weft_errh *h);

/* ---- shared checks, which return 0 or an error code ---------------------- */

int weft_check_comm_bad(const char *func, int arg, MPI_Comm handle) WEFT_COLD;

/* Raises MPI_ERR_COMM if c is an intercommunicator. */
int weft_check_intra(const struct weft_comm *c, const char *func, int arg);

/* Raises MPI_ERR_ARG for a NULL pointer. */
int weft_check_ptr_bad(const void *obj, const char *func, int arg,
		       const char *what) WEFT_COLD;

static inline int weft_check_ptr(const void *obj, const char *func, int arg,
				 const void *p, const char *what)
{
	return weft_likely(p != NULL)
		       ? 0
		       : weft_check_ptr_bad(obj, func, arg, what);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included first by every file of this folder: mpi.h with its symbols exported;
 * the other symbols of the library are hidden.
 *
 * A function X is defined as PMPI_X, the strong name, and has a weak alias
 * that tools may replace:
 *
 *   #pragma weak MPI_X = PMPI_X
 *   int PMPI_X(...)
 *
 * A function with an int and an MPI_Count form is written once, in a file
 * *_body.inc (mpi_both_counts.h). The library itself calls neither name. The
 * first line of a function is MPI_ENTER; functions that cannot wait and are
 * called within expressions omit it.
 */
#ifndef WEFT_MPI_EXPORT_H
#define WEFT_MPI_EXPORT_H

/* Makes mpi.h also declare the functions that are not implemented yet. */
#define WEFT_MPI_NOT_YET

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include "src/diag/diag_trace.h"

/*
 * Records that the thread is in this call, until the function returns. clang
 * does not count the cleanup function as a use of the variable.
 */
#define MPI_ENTER                                                       \
	static struct weft_call_site call_site = { .name = __func__ };  \
	WEFT_CLEANUP(weft_call_leave)                                   \
	const struct weft_call call_here = weft_call_enter(&call_site); \
	(void)call_here

/*
 * MPI_ENTER for collectives; the slow path also records the call in the trace.
 * The data is count and type, or MPI_NO_DATA.
 */
#define MPI_ENTER_COLL(comm, root, ...)            \
	MPI_ENTER;                                 \
	if (weft_unlikely(call_here.slot == NULL)) \
	weft_trace_coll(comm, root, __VA_ARGS__)

/*
 * MPI_ENTER for other calls on a communicator; passes their arguments to the
 * trace.
 */
#define MPI_ENTER_ARGS(comm, peer, tag, root, ...)                        \
	MPI_ENTER;                                                        \
	if (weft_unlikely(call_here.slot == NULL))                        \
	weft_trace_args(&(const struct weft_trace_args){ comm, peer, tag, \
							 root, __VA_ARGS__ })
#define MPI_ENTER_ON(comm, root, ...) \
	MPI_ENTER_ARGS(comm, MPI_NO_ARG, MPI_NO_ARG, root, __VA_ARGS__)

/* The names and weak aliases of functions in *_body.inc. */
#define MPI_PASTE_(a, b, c)	  a##b##c
#define MPI_PASTE(a, b, c)	  MPI_PASTE_(a, b, c)
#define MPI_PRAGMA(text)	  _Pragma(#text)
#define MPI_WEAK_ALIAS(mpi, pmpi) MPI_PRAGMA(weak mpi = pmpi)
#define MPI_WEAK(x)		  MPI_WEAK_ALIAS(MPI_NAME(x), PMPI(x))

#define MPI_NO_ROOT (-1)
#define MPI_NO_ARG  WEFT_TRACE_NO_ARG
#define MPI_NO_DATA 0, MPI_DATATYPE_NULL

#endif

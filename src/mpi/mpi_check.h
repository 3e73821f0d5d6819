/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of arguments that many functions share. Each returns 0, or calls the
 * error handler and returns the code that the MPI function returns. The case
 * without an error is inline and takes a few branches.
 */
#ifndef WEFT_MPI_CHECK_H
#define WEFT_MPI_CHECK_H

#include "src/comm/comm.h"
#include "src/types/types_dt.h"
#include "src/msg/msg_p2p.h"
#include "src/diag/diag_err.h"

#include <limits.h>

/* Returns n for an int form, or MPI_UNDEFINED if n exceeds INT_MAX. */
static inline int mpi_narrow(MPI_Count n)
{
	return n > INT_MAX ? MPI_UNDEFINED : (int)n;
}

static inline int mpi_check_comm(const char *func, int arg, MPI_Comm handle,
				 struct weft_comm **comm_p)
{
	*comm_p = weft_comm_of(handle);
	return weft_likely(*comm_p != NULL)
		       ? 0
		       : weft_check_comm_bad(func, arg, handle);
}

/* Gets the intracommunicator of argument number arg. */
static inline int mpi_check_intra(const char *func, int arg, MPI_Comm handle,
				  struct weft_comm **comm_p)
{
	int err = mpi_check_comm(func, arg, handle, comm_p);

	return err ? err : weft_check_intra(*comm_p, func, arg);
}

/* A message as the application describes it: buf, count, type, peer, tag and
 * comm are consecutive arguments, the first of them number arg. */
struct mpi_msg {
	const char *func;
	int arg;
	const void *buf;
	MPI_Count count;
	MPI_Datatype type;
	int peer;
	int tag;
	/* object of the datatype; set when the arguments are checked */
	struct weft_dt *dt;
};

/*
 * Finds the wrong argument and raises the error. Returns 0 if no argument is
 * wrong.
 */
int mpi_check_msg_slow(const struct mpi_msg *m, const struct weft_comm *c,
		       int recv) WEFT_COLD;

/*
 * Returns a copy for the slow path only, made field by field, so that the
 * message stays in registers on the fast path.
 */
static inline struct mpi_msg mpi_msg_copy(const struct mpi_msg *m)
{
	return (struct mpi_msg){ m->func, m->arg,  m->buf, m->count,
				 m->type, m->peer, m->tag, m->dt };
}

static inline int mpi_check_msg_cold(const struct mpi_msg *m,
				     const struct weft_comm *c, int recv)
{
	const struct mpi_msg copy = mpi_msg_copy(m);

	return mpi_check_msg_slow(&copy, c, recv);
}

/*
 * Returns whether the buffer is neither NULL nor MPI_IN_PLACE, and the count
 * needs no further check.
 */
static inline bool mpi_data_is_valid(const struct mpi_msg *m)
{
	return m->dt && weft_dt_is_int_safe(m->dt) &&
	       (uint64_t)m->count <= INT_MAX && (uintptr_t)m->buf > 1;
}

/* Checks a message, and always sets m->dt. recv: wildcards are allowed. */
static inline int mpi_check_msg(struct mpi_msg *m, const struct weft_comm *c,
				int recv)
{
	m->dt = weft_dt_of(m->type);
	if (weft_likely(mpi_data_is_valid(m) && m->tag >= 0 &&
			(unsigned)m->peer < c->reach))
		return 0;
	return mpi_check_msg_cold(m, c, recv);
}

/*
 * Returns the arguments of a checked message, copied field by field for the
 * same reason as in mpi_msg_copy().
 */
static inline struct weft_p2p_args
mpi_msg_args(const struct mpi_msg *m, struct weft_comm *c, unsigned mode)
{
	return (struct weft_p2p_args){ (void *)(uintptr_t)m->buf,
				       m->count,
				       m->dt,
				       m->peer,
				       m->tag,
				       c,
				       mode };
}

/* Checks only buf, count and type. c: owner of the error handler. */
int mpi_check_data_slow(const struct mpi_msg *m, const void *c) WEFT_COLD;

static inline int mpi_check_data_cold(const struct mpi_msg *m, const void *c)
{
	const struct mpi_msg copy = mpi_msg_copy(m);

	return mpi_check_data_slow(&copy, c);
}

static inline int mpi_check_data(struct mpi_msg *m, const void *c)
{
	m->dt = weft_dt_of(m->type);
	if (weft_likely(mpi_data_is_valid(m)))
		return 0;
	return mpi_check_data_cold(m, c);
}

/* Raises MPI_ERR_REQUEST for an invalid handle. */
struct weft_req;
int mpi_check_req_bad(const char *func, int arg, MPI_Request handle) WEFT_COLD;

#endif

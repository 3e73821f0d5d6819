/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow paths of mpi_check.h: find the wrong argument and raise the error. */
#include "src/mpi/mpi_check.h"

#include <errno.h>

int mpi_check_data_slow(const struct mpi_msg *m, const void *c)
{
	if (!m->dt && m->type == MPI_DATATYPE_NULL)
		return weft_err_arg(c, m->func, MPI_ERR_TYPE, m->arg + 2,
				    "datatype is MPI_DATATYPE_NULL");
	if (!m->dt)
		return weft_err_arg(c, m->func, MPI_ERR_TYPE, m->arg + 2,
				    "invalid datatype %p", (void *)m->type);
	if (!weft_check)
		return 0;
	if (m->count < 0)
		return weft_err_arg(c, m->func, MPI_ERR_COUNT, m->arg + 1,
				    "negative count %lld", (long long)m->count);
	if (m->dt->size < 0)
		return weft_err_arg(
			c, m->func, MPI_ERR_TYPE, m->arg + 2,
			"datatype %s is not supported on this platform",
			m->dt->name ? m->dt->name : "");
	if (!weft_dt_is_committed(m->dt))
		return weft_err_arg(c, m->func, MPI_ERR_TYPE, m->arg + 2,
				    "datatype is not committed");
	if ((m->count > INT_MAX || !weft_dt_is_int_safe(m->dt)) &&
	    !weft_dt_count_valid(m->dt, m->count))
		return weft_err_arg(c, m->func, MPI_ERR_COUNT, m->arg + 1,
				    "%lld elements exceed the address space",
				    (long long)m->count);
	if (m->buf == MPI_IN_PLACE && m->count)
		return weft_err_arg(c, m->func, MPI_ERR_BUFFER, m->arg,
				    "MPI_IN_PLACE is not allowed here");
	if (!m->buf && m->count && m->dt->obj.predefined)
		return weft_err_arg(c, m->func, MPI_ERR_BUFFER, m->arg,
				    "buffer is NULL and count is %lld",
				    (long long)m->count);
	return 0;
}

static int check_peer(const struct mpi_msg *m, const struct weft_comm *c,
		      int recv)
{
	if ((unsigned)m->peer < (unsigned)c->peers ||
	    m->peer == MPI_PROC_NULL || (recv && m->peer == MPI_ANY_SOURCE))
		return 0;
	return weft_err_arg(c, m->func, MPI_ERR_RANK, m->arg + 3,
			    "invalid rank %d in communicator of size %d",
			    m->peer, c->peers);
}

int mpi_check_msg_slow(const struct mpi_msg *m, const struct weft_comm *c,
		       int recv)
{
	int err = mpi_check_data_slow(m, c);

	if (!err && c->revoked)
		return weft_err_rc(c, m->func, -ESTALE);
	if (err || !weft_check)
		return err;
	err = check_peer(m, c, recv);
	if (err || m->tag >= 0 || (recv && m->tag == MPI_ANY_TAG))
		return err;
	return weft_err_arg(c, m->func, MPI_ERR_TAG, m->arg + 4,
			    "invalid tag %d", m->tag);
}

int mpi_check_req_bad(const char *func, int arg, MPI_Request handle)
{
	return weft_err_arg(NULL, func, MPI_ERR_REQUEST, arg,
			    "invalid request %p", (void *)handle);
}

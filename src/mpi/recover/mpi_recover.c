/* SPDX-License-Identifier: BSD-3-Clause */
/* MPIX_Comm_*: communicators whose members fail (mpi-ext.h). */
#include "src/mpi/mpi_export.h"

#pragma GCC visibility push(default)
#include <mpi-ext.h>
#pragma GCC visibility pop

#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/mpi/mpi_check.h"
#include "src/msg/msg_active.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/recover/recover_agree.h"
#include "src/recover/recover_failed.h"
#include "src/recover/recover_revoke.h"

#include <errno.h>

/*
 * Gets the communicator; raises an error if the job does not survive failures.
 */
static int check(const char *func, MPI_Comm comm, struct weft_comm **c_p)
{
	int err = mpi_check_comm(func, 1, comm, c_p);

	if (err || weft_core.survives)
		return err;
	return weft_err_arg(*c_p, func, MPI_ERR_UNSUPPORTED_OPERATION, 0,
			    "the job does not survive failures: start it with "
			    "mpiexec --survive");
}

/* ---- revocation ---------------------------------------------------------- */

#pragma weak MPIX_Comm_revoke = PMPIX_Comm_revoke
int PMPIX_Comm_revoke(MPI_Comm comm)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check(__func__, comm, &c);

	if (err)
		return err;
	weft_lock();
	weft_revoke(c);
	weft_unlock();
	weft_progress();
	return MPI_SUCCESS;
}

#pragma weak MPIX_Comm_is_revoked = PMPIX_Comm_is_revoked
int PMPIX_Comm_is_revoked(MPI_Comm comm, int *flag)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, flag, "flag");
	if (err)
		return err;
	weft_progress();
	*flag = c->revoked;
	return MPI_SUCCESS;
}

/* ---- agreement ----------------------------------------------------------- */

#pragma weak MPIX_Comm_agree = PMPIX_Comm_agree
int PMPIX_Comm_agree(MPI_Comm comm, int *flag)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check(__func__, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, flag, "flag");
	return err ? err
		   : weft_err_rc(c, __func__, weft_recover_agree(c, flag));
}

#pragma weak MPIX_Comm_iagree = PMPIX_Comm_iagree
int PMPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request)
{
	MPI_ENTER;
	struct weft_comm *c;
	struct weft_req *r;
	int rc, err = check(__func__, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, flag, "flag");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, request, "request");
	if (err)
		return err;
	rc = weft_recover_iagree(c, flag, &r);
	if (!rc)
		*request = (MPI_Request)r;
	return weft_err_rc(c, __func__, rc);
}

/* ---- shrink -------------------------------------------------------------- */

static void set_handle(void *arg, struct weft_comm *made)
{
	*(MPI_Comm *)arg = weft_comm_handle(made);
}

static int ishrink(const char *func, MPI_Comm comm, MPI_Comm *newcomm,
		   MPI_Request *request)
{
	struct weft_comm *c;
	struct weft_req *r;
	int rc, err = check(func, comm, &c);

	if (!err)
		err = weft_check_ptr(c, func, 2, newcomm, "new communicator");
	if (!err)
		err = weft_check_ptr(c, func, 3, request, "request");
	if (err)
		return err;
	rc = weft_recover_ishrink(c, set_handle, newcomm, &r);
	if (!rc)
		*request = (MPI_Request)r;
	return weft_err_rc(c, func, rc);
}

#pragma weak MPIX_Comm_ishrink = PMPIX_Comm_ishrink
int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	MPI_ENTER;

	return ishrink(__func__, comm, newcomm, request);
}

#pragma weak MPIX_Comm_shrink = PMPIX_Comm_shrink
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
	MPI_ENTER;
	struct weft_comm *c, *made;
	int rc, err = check(__func__, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, newcomm,
				     "new communicator");
	if (err)
		return err;
	rc = weft_recover_shrink(c, &made);
	if (!rc)
		*newcomm = weft_comm_handle(made);
	return weft_err_rc(c, __func__, rc);
}

/* ---- failed members ------------------------------------------------------ */

/* Returns the members of c among the first `count` failures. */
static struct weft_group *failed_group(const struct weft_comm *c, int count)
{
	struct weft_group *g = weft_group_new(count);
	int n = 0;

	for (int i = 0; g && i < count; i++)
		if (weft_failed_is_member(c, weft_failed_proc(i)))
			g->proc[n++] = weft_failed_proc(i);
	if (!g)
		return NULL;
	g->size = n;
	weft_group_ready(g);
	weft_group_set_session(g, c->group->session);
	return g;
}

static int get_group(const char *func, MPI_Comm comm, MPI_Group *group,
		     bool acked)
{
	struct weft_group *g;
	struct weft_comm *c;
	int err = check(func, comm, &c);

	if (!err)
		err = weft_check_ptr(c, func, 2, group, "group");
	if (err)
		return err;
	weft_lock();
	weft_failed_update();
	g = failed_group(c, acked ? c->acked : weft_failed_count());
	weft_unlock();
	if (!g)
		return weft_err_rc(c, func, -ENOMEM);
	if (!g->size) {
		weft_group_put(g);
		*group = MPI_GROUP_EMPTY;
		return MPI_SUCCESS;
	}
	*group = weft_obj_handle(&g->obj);
	return MPI_SUCCESS;
}

#pragma weak MPIX_Comm_get_failed = PMPIX_Comm_get_failed
int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp)
{
	MPI_ENTER;

	return get_group(__func__, comm, failedgrp, false);
}

#pragma weak MPIX_Comm_failure_get_acked = PMPIX_Comm_failure_get_acked
int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp)
{
	MPI_ENTER;

	return get_group(__func__, comm, failedgrp, true);
}

/*
 * Acknowledges failures until `wanted` members of c are acknowledged. Returns
 * the number of acknowledged members. Requires the lock.
 */
static int acknowledge(struct weft_comm *c, int wanted)
{
	int n = 0, i = 0;

	for (; i < weft_failed_count() && (i < c->acked || n < wanted); i++)
		n += weft_failed_is_member(c, weft_failed_proc(i));
	c->acked = i;
	return n;
}

#pragma weak MPIX_Comm_ack_failed = PMPIX_Comm_ack_failed
int PMPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check(__func__, comm, &c);

	if (!err && num_to_ack < 0)
		return weft_err_arg(c, __func__, MPI_ERR_ARG, 2,
				    "negative number %d of failures",
				    num_to_ack);
	if (!err)
		err = weft_check_ptr(c, __func__, 3, num_acked,
				     "number of acknowledged failures");
	if (err)
		return err;
	weft_lock();
	weft_failed_update();
	*num_acked = acknowledge(c, num_to_ack);
	weft_p2p_resume_all(c);
	weft_unlock();
	return MPI_SUCCESS;
}

#pragma weak MPIX_Comm_failure_ack = PMPIX_Comm_failure_ack
int PMPIX_Comm_failure_ack(MPI_Comm comm)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check(__func__, comm, &c);

	if (err)
		return err;
	weft_lock();
	weft_failed_update();
	c->acked = weft_failed_count();
	weft_p2p_resume_all(c);
	weft_unlock();
	return MPI_SUCCESS;
}

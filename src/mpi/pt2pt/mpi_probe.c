/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, matched probes, and receives of matched messages. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg.h"
#include "src/msg/msg_probe.h"
#include "src/msg/msg_status.h"
#include "src/msg/msg_wait.h"
#include "src/mpi/mpi_check.h"

/* Checks source, tag and comm; a probe has no buffer and no datatype. */
static int check_probe(const char *func, int source, int tag, MPI_Comm comm,
		       struct weft_p2p_args *a)
{
	struct mpi_msg m = { func, -2, a, 0, MPI_BYTE, source, tag, NULL };
	struct weft_comm *c;
	int err = mpi_check_comm(func, 3, comm, &c);

	if (!err)
		err = mpi_check_msg(&m, c, 1);
	*a = (struct weft_p2p_args){ NULL, 0, m.dt, source, tag, c, 0 };
	return err;
}

static void probe_proc_null(MPI_Status *status)
{
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

/*
 * Probes for a message. *flag: 1 found, 0 none; msg_p NULL: the message stays
 * in the queue.
 */
static int probe(const char *func, const struct weft_p2p_args *a, int wait,
		 struct weft_p2p **msg_p, MPI_Status *status)
{
	int rc = wait ? weft_core_probe(a, msg_p, status)
		      : weft_core_iprobe(a, msg_p, status);

	return rc < 0 ? weft_err_rc(a->comm, func, rc) : MPI_SUCCESS;
}

#pragma weak MPI_Probe = PMPI_Probe
int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_p2p_args a;
	int err = check_probe(__func__, source, tag, comm, &a);

	if (err)
		return err;
	if (source != MPI_PROC_NULL)
		return probe(__func__, &a, 1, NULL, status);
	probe_proc_null(status);
	return MPI_SUCCESS;
}

#pragma weak MPI_Iprobe = PMPI_Iprobe
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
		MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_p2p_args a;
	int err = check_probe(__func__, source, tag, comm, &a);
	int rc;

	if (!err)
		err = weft_check_ptr(a.comm, __func__, 4, flag, "flag");
	if (err)
		return err;
	*flag = 1;
	if (source == MPI_PROC_NULL) {
		probe_proc_null(status);
		return MPI_SUCCESS;
	}
	rc = weft_core_iprobe(&a, NULL, status);
	*flag = rc == 1;
	return rc < 0 ? weft_err_rc(a.comm, __func__, rc) : MPI_SUCCESS;
}

#pragma weak MPI_Mprobe = PMPI_Mprobe
int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
		MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_p2p_args a;
	struct weft_p2p *msg = NULL;
	int err = check_probe(__func__, source, tag, comm, &a);

	if (!err)
		err = weft_check_ptr(a.comm, __func__, 4, message, "message");
	if (err)
		return err;
	*message = MPI_MESSAGE_NO_PROC;
	if (source == MPI_PROC_NULL) {
		probe_proc_null(status);
		return MPI_SUCCESS;
	}
	err = probe(__func__, &a, 1, &msg, status);
	if (!err)
		*message = (MPI_Message)msg;
	return err;
}

#pragma weak MPI_Improbe = PMPI_Improbe
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag,
		 MPI_Message *message, MPI_Status *status)
{
	MPI_ENTER_ARGS(comm, source, tag, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_p2p_args a;
	struct weft_p2p *msg = NULL;
	int err = check_probe(__func__, source, tag, comm, &a);

	if (!err)
		err = weft_check_ptr(a.comm, __func__, 4, flag, "flag");
	if (!err)
		err = weft_check_ptr(a.comm, __func__, 5, message, "message");
	if (err)
		return err;
	*flag = 1;
	*message = MPI_MESSAGE_NO_PROC;
	if (source == MPI_PROC_NULL) {
		probe_proc_null(status);
		return MPI_SUCCESS;
	}
	err = probe(__func__, &a, 0, &msg, status);
	*flag = msg != NULL;
	*message = msg ? (MPI_Message)msg : MPI_MESSAGE_NULL;
	return err;
}

/* ---- receiving ---------------------------------------------------------- */

static int bad_message(const char *func, MPI_Message message)
{
	return weft_err_arg(NULL, func, MPI_ERR_REQUEST, 4,
			    "invalid message %p", (void *)message);
}

static int imrecv(struct mpi_msg m, MPI_Message *message,
		  struct weft_req **req_p)
{
	struct weft_p2p *msg;
	struct weft_comm *c;
	int err = weft_check_ptr(NULL, m.func, 4, message, "message");

	if (!err)
		err = weft_check_ptr(NULL, m.func, 5, req_p, "request");
	if (err)
		return err;
	msg = weft_msg_of(*message);
	c = msg ? weft_msg_comm(msg) : NULL;
	if (!msg && *message != MPI_MESSAGE_NO_PROC)
		return bad_message(m.func, *message);
	err = mpi_check_data(&m, c);
	if (err)
		return err;
	*message = MPI_MESSAGE_NULL;
	if (!msg) {
		*req_p = weft_req_no_proc();
		return MPI_SUCCESS;
	}
	return weft_err_rc(c, m.func,
			   weft_core_imrecv(msg, (void *)(uintptr_t)m.buf,
					    m.count, m.dt, req_p));
}

static int mrecv(struct mpi_msg m, MPI_Message *message, MPI_Status *status)
{
	struct weft_req *r;
	struct weft_comm *c;
	int err = imrecv(m, message, &r);

	if (err)
		return err;
	weft_req_wait(r);
	c = r->comm;
	if (c)
		weft_comm_get(c);
	err = weft_err_rc(c, m.func, weft_req_collect(&r, status));
	if (c)
		weft_comm_put(c);
	return err;
}

#define MSG                                                   \
	{                                                     \
		__func__, 1, buf, count, datatype, 0, 0, NULL \
	}

#define MPI_BODY "src/mpi/pt2pt/mpi_probe_body.inc"
#include "src/mpi/mpi_both_counts.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, accept, connect and join. */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm_port.h"
#include "src/core/core_state.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/dynamic/mpi_dynamic.h"
#include "src/mpi/mpi_check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int mpi_check_dynamic_root(struct weft_comm *c, const char *func, int arg,
			   int root)
{
	if (root >= 0 && root < c->size)
		return 0;
	return weft_err_arg(c, func, MPI_ERR_ROOT, arg,
			    "invalid root %d in communicator of size %d", root,
			    c->size);
}

int mpi_port_result(const void *obj, const char *func, int arg, int rc)
{
	switch (-rc) {
	case ENXIO:
		return weft_err_arg(obj, func, MPI_ERR_PORT, arg,
				    "there is no such port");
	case EKEYREJECTED:
		return weft_err_arg(obj, func, MPI_ERR_PORT, arg,
				    "the port belongs to a job with another "
				    "key: jobs that communicate by datagrams "
				    "need the same FI_WEFT_KEY, or one of them "
				    "is spawned by the other");
	case EPROTO:
		return weft_err_arg(obj, func, MPI_ERR_PORT, arg,
				    "the port belongs to a process with "
				    "another provider or version");
	case EHOSTUNREACH:
	case ECONNRESET:
	case ECONNREFUSED:
	case ESHUTDOWN:
		return weft_err_arg(obj, func, MPI_ERR_PORT, arg,
				    "the process that opened the port does "
				    "not exist, or cannot be reached");
	default:
		return weft_err_rc(obj, func, rc);
	}
}

#pragma weak MPI_Open_port = PMPI_Open_port
int PMPI_Open_port(MPI_Info info, char *port_name)
{
	MPI_ENTER;
	int err = mpi_check_info(NULL, __func__, 1, info);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, port_name, "port_name");
	if (!err && !weft_running())
		err = weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	return err ? err
		   : weft_err_rc(NULL, __func__,
				 weft_comm_port_open(port_name));
}

#pragma weak MPI_Close_port = PMPI_Close_port
int PMPI_Close_port(const char *port_name)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, port_name, "port_name");

	return err ? err
		   : mpi_port_result(NULL, __func__, 1,
				     weft_comm_port_close(port_name));
}

typedef int port_fn(struct weft_comm *c, int root, const char *name,
		    struct weft_comm **comm_p);

/* Implements accept and connect. */
static int accept_or_connect(const char *func, port_fn *fn,
			     const char *port_name, MPI_Info info, int root,
			     MPI_Comm comm, MPI_Comm *newcomm)
{
	struct weft_comm *c, *made = NULL;
	int err = mpi_check_intra(func, 4, comm, &c);

	mpi_comm_set_null(newcomm);
	if (!err)
		err = mpi_check_dynamic_root(c, func, 3, root);
	if (!err && c->rank == root)
		err = weft_check_ptr(c, func, 1, port_name, "port_name");
	if (!err && c->rank == root)
		err = mpi_check_info(c, func, 2, info);
	if (!err)
		err = weft_check_ptr(c, func, 5, newcomm, "newcomm");
	if (!err)
		err = mpi_port_result(c, func, 1,
				      fn(c, root, port_name, &made));
	if (!err)
		*newcomm = weft_comm_handle(made);
	return err;
}

#pragma weak MPI_Comm_accept = PMPI_Comm_accept
int PMPI_Comm_accept(const char *port_name, MPI_Info info, int root,
		     MPI_Comm comm, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, root, MPI_NO_DATA);

	return accept_or_connect(__func__, weft_comm_port_accept, port_name,
				 info, root, comm, newcomm);
}

#pragma weak MPI_Comm_connect = PMPI_Comm_connect
int PMPI_Comm_connect(const char *port_name, MPI_Info info, int root,
		      MPI_Comm comm, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, root, MPI_NO_DATA);

	return accept_or_connect(__func__, weft_comm_port_connect, port_name,
				 info, root, comm, newcomm);
}

/* ---- join ---------------------------------------------------------------- */

/* Reads or writes all bytes. Returns 0 or -errno. */
static int transfer(int fd, char *buf, size_t len, bool writes)
{
	ssize_t n;

	while (len) {
		n = writes ? write(fd, buf, len) : read(fd, buf, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

static int join(int fd, struct weft_comm **comm_p)
{
	char mine[MPI_MAX_PORT_NAME] = "", theirs[MPI_MAX_PORT_NAME];
	int rc = weft_comm_port_open(mine);

	if (rc)
		return rc;
	rc = transfer(fd, mine, sizeof(mine), true);
	if (!rc)
		rc = transfer(fd, theirs, sizeof(theirs), false);
	theirs[sizeof(theirs) - 1] = '\0';
	if (!rc)
		rc = weft_comm_port_join(weft_core.self, mine, theirs, comm_p);
	weft_comm_port_close(mine);
	return rc;
}

#pragma weak MPI_Comm_join = PMPI_Comm_join
int PMPI_Comm_join(int fd, MPI_Comm *intercomm)
{
	MPI_ENTER;
	struct weft_comm *c, *made = NULL;
	int err = mpi_check_comm(__func__, 0, MPI_COMM_SELF, &c);

	mpi_comm_set_null(intercomm);
	if (!err)
		err = weft_check_ptr(c, __func__, 2, intercomm, "intercomm");
	if (!err && fd < 0)
		err = weft_err_arg(c, __func__, MPI_ERR_ARG, 1,
				   "invalid descriptor %d", fd);
	if (!err)
		err = mpi_port_result(c, __func__, 1, join(fd, &made));
	if (!err)
		*intercomm = weft_comm_handle(made);
	return err;
}

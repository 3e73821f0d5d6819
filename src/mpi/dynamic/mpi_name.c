/* SPDX-License-Identifier: BSD-3-Clause */
/* Published names of services. */
#include "src/mpi/mpi_export.h"

#include "src/boot/boot_names.h"
#include "src/diag/diag_err.h"
#include "src/mpi/comm/mpi_comm.h"

#include <errno.h>

static int check(const char *func, const char *service, MPI_Info info,
		 const char *port)
{
	int err = weft_check_ptr(NULL, func, 1, service, "service_name");

	if (!err)
		err = mpi_check_info(NULL, func, 2, info);
	if (!err)
		err = weft_check_ptr(NULL, func, 3, port, "port_name");
	return err;
}

#pragma weak MPI_Publish_name = PMPI_Publish_name
int PMPI_Publish_name(const char *service_name, MPI_Info info,
		      const char *port_name)
{
	MPI_ENTER;
	int rc, err = check(__func__, service_name, info, port_name);

	if (err)
		return err;
	rc = weft_names_publish(service_name, port_name);
	if (rc == -EEXIST)
		return weft_err_arg(NULL, __func__, MPI_ERR_SERVICE, 1,
				    "service \"%s\" is published already",
				    service_name);
	if (rc == -ENAMETOOLONG)
		return weft_err_arg(NULL, __func__, MPI_ERR_PORT, 3,
				    "the name of the port is too long");
	return weft_err_rc(NULL, __func__, rc);
}

#pragma weak MPI_Unpublish_name = PMPI_Unpublish_name
int PMPI_Unpublish_name(const char *service_name, MPI_Info info,
			const char *port_name)
{
	MPI_ENTER;
	int err = check(__func__, service_name, info, port_name);

	if (err || !weft_names_unpublish(service_name, port_name))
		return err;
	return weft_err_arg(NULL, __func__, MPI_ERR_SERVICE, 1,
			    "this process has not published service \"%s\" "
			    "with this port",
			    service_name);
}

#pragma weak MPI_Lookup_name = PMPI_Lookup_name
int PMPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
	MPI_ENTER;
	int err = check(__func__, service_name, info, port_name);

	if (err ||
	    !weft_names_lookup(service_name, port_name, MPI_MAX_PORT_NAME))
		return err;
	return weft_err_arg(NULL, __func__, MPI_ERR_NAME, 1,
			    "service \"%s\" is not published", service_name);
}

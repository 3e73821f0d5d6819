/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_partitioned.h"
#include "src/msg/msg.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"

static int init(struct mpi_msg m, int partitions, MPI_Comm comm, MPI_Info info,
		int recv, MPI_Request *request)
{
	struct weft_comm *c;
	struct weft_req *r;
	struct weft_p2p_args a;
	int err = mpi_check_comm(m.func, 7, comm, &c);
	int rc;

	if (!err)
		err = mpi_check_msg(&m, c, 0);
	if (!err && partitions < 0)
		err = weft_err_arg(c, m.func, MPI_ERR_ARG, 2, "%d partitions",
				   partitions);
	if (!err)
		err = mpi_check_info(c, m.func, 8, info);
	if (!err)
		err = weft_check_ptr(c, m.func, 9, request, "request");
	if (err)
		return err;
	a = mpi_msg_args(&m, c, 0);
	rc = recv ? weft_partitioned_recv_init(&a, partitions, &r)
		  : weft_partitioned_send_init(&a, partitions, &r);
	if (rc)
		return weft_err_rc(c, m.func, rc);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#define MSG                                                        \
	{                                                          \
		__func__, 2, buf, count, datatype, dest, tag, NULL \
	}

static int ready(const char *func, MPI_Request request, int first, int last)
{
	struct weft_req *r = weft_obj_of(request, WEFT_KIND_REQ);

	if (!r)
		return mpi_check_req_bad(func, 2, request);
	if (!weft_partitioned_ready(r, first, last))
		return MPI_SUCCESS;
	return weft_err_arg(r->comm, func, MPI_ERR_ARG, 1,
			    "partitions %d to %d are not in an active "
			    "partitioned send",
			    first, last);
}

#pragma weak MPI_Pready = PMPI_Pready
int PMPI_Pready(int partition, MPI_Request request)
{
	MPI_ENTER;

	return ready(__func__, request, partition, partition);
}

#pragma weak MPI_Pready_range = PMPI_Pready_range
int PMPI_Pready_range(int partition_low, int partition_high,
		      MPI_Request request)
{
	MPI_ENTER;

	return ready(__func__, request, partition_low, partition_high);
}

#pragma weak MPI_Pready_list = PMPI_Pready_list
int PMPI_Pready_list(int length, const int array_of_partitions[],
		     MPI_Request request)
{
	MPI_ENTER;
	int i, err = MPI_SUCCESS;

	if (length < 0)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1,
				    "negative number %d", length);
	if (length)
		err = weft_check_ptr(NULL, __func__, 2, array_of_partitions,
				     "array_of_partitions");
	for (i = 0; i < length && !err; i++)
		err = ready(__func__, request, array_of_partitions[i],
			    array_of_partitions[i]);
	return err;
}

#pragma weak MPI_Parrived = PMPI_Parrived
int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
	MPI_ENTER;
	struct weft_req *r = weft_obj_of(request, WEFT_KIND_REQ);

	if (!flag)
		return weft_check_ptr(NULL, __func__, 3, flag, "flag");
	*flag = 1;
	if (request == MPI_REQUEST_NULL)
		return MPI_SUCCESS;
	if (!r)
		return mpi_check_req_bad(__func__, 1, request);
	if (!weft_partitioned_arrived(r, partition, flag))
		return MPI_SUCCESS;
	return weft_err_arg(r->comm, __func__, MPI_ERR_ARG, 2,
			    "no partition %d in a partitioned receive",
			    partition);
}

#define MPI_BODY "src/mpi/pt2pt/mpi_part_body.inc"
#include "src/mpi/mpi_both_counts.h"

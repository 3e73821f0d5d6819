/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized requests together with ordinary ones. */
#include "mpi_t.h"

static int freed, cancelled;

static int query(void *extra, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
	MPI_Status_set_cancelled(status, cancelled);
	MPI_Status_set_source(status, 5);
	MPI_Status_set_tag(status, 6);
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	freed++;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	cancelled = !complete;
	return MPI_SUCCESS;
}

/* ---- errors of callbacks ------------------------------------------------- */

static int query_fails(void *extra, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	return MPI_ERR_ARG;
}

static int release_fails(void *extra)
{
	freed++;
	return MPI_ERR_NAME;
}

static void callback_errors(void)
{
	MPI_Request r;
	int flag, extra = 1;

	freed = 0;
	MT_OK(MPI_Grequest_start(query, release_fails, cancel, &extra, &r));
	MT_OK(MPI_Grequest_complete(r));
	MT_IS(mt_class(MPI_Grequest_complete(r)), MPI_ERR_REQUEST);
	MT_IS(mt_class(MPI_Wait(&r, MPI_STATUS_IGNORE)), MPI_ERR_NAME);
	MT_IS(r, MPI_REQUEST_NULL);
	MT_OK(MPI_Grequest_start(query_fails, release, cancel, &extra, &r));
	MT_OK(MPI_Grequest_complete(r));
	MT_IS(mt_class(MPI_Test(&r, &flag, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
	MT_IS(r, MPI_REQUEST_NULL);
	/* if two callbacks fail, the error of the last one is returned */
	MT_OK(MPI_Grequest_start(query_fails, release_fails, cancel, &extra,
				 &r));
	MT_OK(MPI_Grequest_complete(r));
	MT_IS(mt_class(MPI_Waitany(1, &r, &flag, MPI_STATUS_IGNORE)),
	      MPI_ERR_NAME);
	MT_IS(freed, 3);
}

static void callback_errors_of_many(void)
{
	MPI_Request r[2];
	MPI_Status st[2];
	int extra = 1;

	MT_OK(MPI_Grequest_start(query, release, cancel, &extra, &r[0]));
	MT_OK(MPI_Grequest_start(query, release_fails, cancel, &extra, &r[1]));
	MT_OK(MPI_Grequest_complete(r[0]));
	MT_OK(MPI_Grequest_complete(r[1]));
	MT_IS(mt_class(MPI_Waitall(2, r, st)), MPI_ERR_IN_STATUS);
	MT_IS(st[0].MPI_ERROR, MPI_SUCCESS);
	MT_IS(mt_class(st[1].MPI_ERROR), MPI_ERR_NAME);
}

/*
 * Of MPI_Request_free and MPI_Grequest_complete, the later call returns the
 * error of the free callback.
 */
static void callback_errors_after_free(void)
{
	MPI_Request r, copy;
	int extra = 1;

	freed = 0;
	MT_OK(MPI_Grequest_start(query, release_fails, cancel, &extra, &r));
	copy = r;
	MT_OK(MPI_Request_free(&r));
	MT_IS(freed, 0);
	MT_IS(mt_class(MPI_Grequest_complete(copy)), MPI_ERR_NAME);
	MT_IS(freed, 1);
	MT_OK(MPI_Grequest_start(query, release_fails, cancel, &extra, &r));
	MT_OK(MPI_Grequest_complete(r));
	MT_IS(mt_class(MPI_Request_free(&r)), MPI_ERR_NAME);
	MT_IS(r, MPI_REQUEST_NULL);
	MT_IS(freed, 2);
}

int main(int argc, char **argv)
{
	int extra = 9, n, flag, src, x, y = 4;
	MPI_Request r[2];
	MPI_Status st[2];

	mt_begin(&argc, &argv);
	MT_OK(MPI_Grequest_start(query, release, cancel, &extra, &r[0]));
	MT_OK(MPI_Test(&r[0], &flag, &st[0]));
	MT_IS(flag, 0);
	MT_OK(MPI_Grequest_complete(r[0]));
	MT_OK(MPI_Wait(&r[0], &st[0]));
	MT_IS(freed, 1);
	MT_IS(r[0], MPI_REQUEST_NULL);
	MT_OK(MPI_Get_count(&st[0], MPI_INT, &n));
	MT_IS(n, 9);
	MT_OK(MPI_Status_get_source(&st[0], &src));
	MT_IS(src, 5);

	MT_OK(MPI_Grequest_start(query, release, cancel, &extra, &r[0]));
	MT_OK(MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]));
	MT_OK(MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
	MT_OK(MPI_Cancel(&r[0]));
	MT_OK(MPI_Grequest_complete(r[0]));
	MT_OK(MPI_Waitall(2, r, st));
	MT_OK(MPI_Test_cancelled(&st[0], &flag));
	MT_IS(flag, 1);
	MT_IS(x, 4);
	MT_IS(freed, 2);

	MT_OK(MPI_Grequest_start(query, release, cancel, &extra, &r[0]));
	n = 1;
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	callback_errors();
	callback_errors_of_many();
	callback_errors_after_free();
	return mt_end();
}

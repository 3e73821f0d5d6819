/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized requests: the application completes them. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_progress.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/pt2pt/mpi_req.h"

#include <errno.h>
#include <stdlib.h>

struct greq {
	struct weft_req req;
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *extra;
};

static int greq_query(struct weft_req *r, MPI_Status *status)
{
	struct greq *g = weft_container_of(r, struct greq, req);

	return g->query ? g->query(g->extra, status) : MPI_SUCCESS;
}

static int greq_cancel(struct weft_req *r)
{
	struct greq *g = weft_container_of(r, struct greq, req);

	return g->cancel ? g->cancel(g->extra, weft_req_is_done(r)) : 0;
}

static int greq_leave(struct weft_req *r)
{
	struct greq *g = weft_container_of(r, struct greq, req);

	return g->free ? g->free(g->extra) : MPI_SUCCESS;
}

static void greq_free(struct weft_req *r)
{
	struct greq *g = weft_container_of(r, struct greq, req);

	r->obj.kind = WEFT_KIND_FREE;
	free(g);
}

static const struct weft_req_ops greq_ops = {
	.name = "generalized",
	.start = weft_req_no_start,
	.cancel = greq_cancel,
	.step = weft_req_no_step,
	.query = greq_query,
	.leave = greq_leave,
	.free = greq_free,
};

#pragma weak MPI_Grequest_start = PMPI_Grequest_start
int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn,
			MPI_Grequest_free_function *free_fn,
			MPI_Grequest_cancel_function *cancel_fn,
			void *extra_state, MPI_Request *request)
{
	MPI_ENTER;
	struct greq *g;
	int err = weft_check_ptr(NULL, __func__, 5, request, "request");

	if (err)
		return err;
	g = malloc(sizeof(*g));
	if (!g)
		return weft_err_rc(NULL, __func__, -ENOMEM);
	weft_req_init(&g->req, &greq_ops, NULL,
		      WEFT_REQ_ACTIVE | WEFT_REQ_GREQ);
	g->query = query_fn;
	g->free = free_fn;
	g->cancel = cancel_fn;
	g->extra = extra_state;
	*request = (MPI_Request)&g->req;
	return MPI_SUCCESS;
}

/*
 * When the application has already freed the handle, the request is freed here,
 * and this call returns the error of its free function.
 */
#pragma weak MPI_Grequest_complete = PMPI_Grequest_complete
int PMPI_Grequest_complete(MPI_Request request)
{
	MPI_ENTER;
	struct weft_req *r = weft_obj_of(request, WEFT_KIND_REQ);
	bool orphan;
	int err;

	if (!r || !(r->flags & WEFT_REQ_GREQ) || weft_req_is_done(r))
		return mpi_check_req_bad(__func__, 1, request);
	weft_lock();
	orphan = r->flags & WEFT_REQ_ORPHAN;
	if (!orphan)
		weft_req_complete(r, 0);
	weft_unlock();
	weft_progress_wake();
	if (!orphan)
		return MPI_SUCCESS;
	err = greq_leave(r);
	greq_free(r);
	return weft_err_rc(NULL, __func__, err);
}

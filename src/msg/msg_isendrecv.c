/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one request (msg_isendrecv.h). */
#include "src/msg/msg_isendrecv.h"

#include "src/comm/comm.h"
#include "src/offload/offload_device.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_status.h"

#include <errno.h>
#include <stdlib.h>

struct sendrecv {
	struct weft_req req;
	struct weft_req *send;
	struct weft_req *recv;
	void *tmp;
};

static int sendrecv_step(struct weft_req *r)
{
	struct sendrecv *p = weft_container_of(r, struct sendrecv, req);
	MPI_Status st;
	int rc, rc2;

	if (!weft_req_is_done(p->send) || !weft_req_is_done(p->recv))
		return 0;
	rc = weft_req_collect(&p->send, MPI_STATUS_IGNORE);
	rc2 = weft_req_collect(&p->recv, &st);
	r->source = st.MPI_SOURCE;
	r->tag = st.MPI_TAG;
	r->bytes = weft_status_bytes(&st);
	if (!rc)
		rc = rc2;
	return rc ? rc : 1;
}

static void sendrecv_free(struct weft_req *r)
{
	struct sendrecv *p = weft_container_of(r, struct sendrecv, req);

	weft_comm_put(r->comm);
	r->obj.kind = WEFT_KIND_FREE;
	free(p->tmp);
	free(p);
}

static const struct weft_req_ops sendrecv_ops = {
	.name = "sendrecv",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = sendrecv_step,
	.query = weft_req_no_query,
	.free = sendrecv_free,
};

int weft_core_isendrecv(const struct weft_p2p_args *send,
			const struct weft_p2p_args *recv, void *tmp,
			struct weft_req **req_p)
{
	struct sendrecv *p = malloc(sizeof(*p));
	int rc;

	if (!p)
		return -ENOMEM;
	weft_req_init(&p->req, &sendrecv_ops, send->comm, WEFT_REQ_ACTIVE);
	p->tmp = tmp;
	rc = weft_core_irecv(recv, &p->recv);
	if (!rc) {
		rc = weft_core_isend(send, &p->send);
		if (rc == -EIO && !weft_req_is_done(p->recv))
			p->recv->ops->cancel(p->recv);
		if (rc)
			weft_req_release(p->recv);
	}
	if (rc) {
		free(p);
		return rc;
	}
	weft_comm_get(send->comm);
	*req_p = &p->req;
	weft_progress_add(&p->req);
	return 0;
}

int weft_core_packed_copy(const void *buf, MPI_Count count, struct weft_dt *dt,
			  void **copy_p)
{
	struct weft_typed t = { dt, (void *)(uintptr_t)buf, count };
	size_t bytes = weft_typed_bytes(&t);
	void *copy = malloc(bytes + 1);
	int rc = copy ? weft_core_pack(&t, 0, copy, bytes) : -ENOMEM;

	if (rc)
		free(copy);
	else
		*copy_p = copy;
	return rc;
}

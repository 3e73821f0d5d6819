/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking operations of the unit in a process of one thread: the provider
 * works in the request's memory and says there when it is over, without an
 * entry in a queue. Waiting for one is as short as a blocking call.
 */
#include "src/core/core_fi.h"
#include "src/core/core_unit_int.h"

#include "src/base/attr.h"
#include "src/base/pool.h"
#include "src/core/core_io.h"
#include "src/core/core_req.h"
#include "src/core/core_state.h"

#include <errno.h>

struct later {
	struct weft_req req;
	struct weft_route *route;
	struct fi_weft_work work;
};

static struct weft_pool laters;

static void later_over(struct fi_weft_work *work, int err)
{
	struct later *l = weft_container_of(work, struct later, work);

	weft_req_complete(&l->req, weft_unit_errno(weft_fi_errno(-err)));
}

static void later_wait(struct weft_req *r)
{
	struct later *l = weft_container_of(r, struct later, req);

	weft_unit_finish(l->route, &l->work, -FI_EINPROGRESS);
}

static void later_free(struct weft_req *r)
{
	struct weft_comm *comm = r->comm;

	r->obj.kind = WEFT_KIND_FREE;
	weft_pool_put(&laters, weft_container_of(r, struct later, req));
	weft_comm_put(comm);
}

static const struct weft_req_ops later_ops = {
	.name = "collective",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.wait = later_wait,
	.query = weft_req_no_query,
	.free = later_free,
};

void weft_later_open(void)
{
	weft_pool_init(&laters, sizeof(struct later));
}

void weft_later_close(void)
{
	weft_pool_fini(&laters);
}

int weft_later_begin(struct weft_route *r, struct fi_weft_call *f,
		     struct weft_req **req_p)
{
	struct later *l;
	int rc;

	if (weft_unlikely(weft_threads || weft_core.virt))
		return -ENOSYS;
	l = weft_pool_get(&laters);
	if (!l)
		return -ENOMEM;
	f->flags |= FI_WEFT_LATER;
	f->over = later_over;
	/* like a send: nothing to tell in the status */
	weft_req_init(&l->req, &later_ops, r->comm,
		      WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
	l->route = r;
	rc = r->ops->begin(&r->mc->fid, f, &l->work);
	if (rc && rc != -FI_EINPROGRESS) {
		weft_pool_put(&laters, l);
		return rc == -FI_ENOSYS ? -ENOSYS : weft_fi_errno(rc);
	}
	weft_comm_get(r->comm);
	if (!rc)
		weft_req_complete(&l->req, 0);
	*req_p = &l->req;
	return 0;
}
